package casefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/must"
)

// crowdOf makes a case in which events 1 and 3 have one copy and event 2 so many.
func crowdOf(t *testing.T, copies int) (*Case, Log) {
	t.Helper()
	w, path := newWriter(t)
	p := must.Get(w.Start(1, chain.Hash{}))(t)
	chunk := &Chunk{Source: p.Source, Containers: []Container{{}}}
	for i := range copies + 2 {
		d := drawn{sequence: min(1+i, 2), kind: 1}
		if i == copies+1 {
			d.sequence = 3
		}
		a := d.arrival(i)
		binary.BigEndian.PutUint32(a.Line.Recorded[28:], uint32(i))
		chunk.Events = append(chunk.Events, a)
	}
	must.Do(t, errors.Join(w.Add(chunk, p), w.Commit(), w.Close()))
	c := must.Get(OpenRead(path, Reopened()))(t) // its events are made up
	t.Cleanup(func() { c.Close() })
	logs := must.Get(c.Logs(t.Context()))(t)
	return c, logs[0]
}

// TestCrowd: all copies come, each with its place among them and their number, by
// digest; and each can be had again by its row.
func TestCrowd(t *testing.T) {
	c, log := crowdOf(t, 400)
	var crowd []facts.Event
	for e, err := range c.Events(t.Context(), log, 1, 3) {
		must.Do(t, err)
		if crowd = append(crowd, e); e.Link.Sequence != 2 {
			if e.Copies != 1 || e.Variant != 0 {
				t.Errorf("event %d is copy %d of %d", e.Link.Sequence, e.Variant, e.Copies)
			}
			continue
		}
		must.That(t, e.Copies == 400 && e.Variant == len(crowd)-2,
			"copy %d of %d, want %d of 400", e.Variant, e.Copies, len(crowd)-2)
	}
	must.That(t, len(crowd) == 402, "%d copies", len(crowd))
	ascend := slices.IsSortedFunc(crowd[1:401], func(a, b facts.Event) int {
		x, y := a.Digest(), b.Digest()
		return bytes.Compare(x[:], y[:])
	})
	packed := slices.IndexFunc(crowd[1:401], func(e facts.Event) bool { return e.Ref > 0 })
	if !ascend || packed < 1 || packed > 398 {
		t.Errorf("in order: %t; the first that came is copy %d", ascend, packed)
	}
	for _, want := range crowd {
		got, err := c.Copy(t.Context(), want.Ref)
		want.Variant, want.Copies, want.TransactionID, want.Deliveries = 0, 0, "", 0
		must.That(t, err == nil && got == want, "%+v, %v, want %+v", got, err, want)
	}
	if _, err := c.Copy(t.Context(), -1000); err == nil {
		t.Error("a copy that is not there was found")
	}
}

// TestCrowdIsNotHeld: what it takes to go through the copies of one event does not
// grow with their number.
func TestCrowdIsNotHeld(t *testing.T) {
	allocated := func(copies int) uint64 {
		c, log := crowdOf(t, copies)
		pass := func() {
			for _, err := range c.EventsInPlace(t.Context(), log, 1, 3) {
				must.Do(t, err)
			}
		}
		pass() // opens the connection
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		pass()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := allocated(100), allocated(4100)
	t.Logf("%d bytes for 100 copies, %d for 4,100", few, many)
	if many > few+4000*32 { // an event has some hundreds
		t.Errorf("%d bytes are allocated for 100 copies and %d for 4,100", few, many)
	}
}

// TestStatementsAreKept: to read a few events costs no preparing of statements,
// so that one can look at the events beside any number of gaps.
func TestStatementsAreKept(t *testing.T) {
	c, log := crowdOf(t, 2)
	pass := func() map[string]uintptr {
		if _, _, err := c.Around(t.Context(), log, 2, 2); err != nil {
			t.Fatal(err)
		}
		for _, err := range c.EventsInPlace(t.Context(), log, 1, 3) {
			must.Do(t, err)
		}
		must.That(t, len(c.idle) == 1, "%d connections", len(c.idle))
		kept := map[string]uintptr{}
		for all := reflect.ValueOf(c.idle[0]).Elem().FieldByName("kept").MapRange(); all.Next(); {
			kept[all.Key().String()] = all.Value().Pointer()
		}
		return kept
	}
	first := pass()
	if len(first) < 6 {
		t.Errorf("%d statements are kept", len(first))
	}
	for sql, s := range pass() {
		if first[sql] != s {
			t.Errorf("prepared anew: %s", sql)
		}
	}
}

// TestWrongDigest: a case whose variants are kept under digests that are not theirs
// is damaged, and not in whatever order they say.
func TestWrongDigest(t *testing.T) {
	w, _ := newWriter(t)
	defer w.Close()
	p := must.Get(w.Start(1, chain.Hash{}))(t)
	chunk := &Chunk{Source: p.Source, Containers: []Container{{}}}
	for i := range 3 {
		chunk.Events = append(chunk.Events, drawn{sequence: 1, variant: i}.arrival(i))
	}
	must.Do(t, errors.Join(w.Add(chunk, p), w.Commit()))
	logs := must.Get(w.Logs(t.Context()))(t)
	read := func() (n int, err error) {
		for _, err := range w.Events(t.Context(), logs[0], 1, 1) {
			if err != nil {
				return n, err
			}
			n++
		}
		return n, nil
	}
	if n, err := read(); n != 3 || err != nil {
		t.Fatalf("%d copies, %v", n, err)
	}
	must.Do(t, w.conn.Run("UPDATE variants SET digest = zeroblob(32) WHERE variant = 1"))
	if _, err := read(); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("error %v", err)
	}
}
