package casefile

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// eventLines are events as the harness writes them, and the same with other
// values: some of them are then no events.
func eventLines(t testing.TB) [][]byte {
	t.Helper()
	s := must.Get(harness.Build("denied", 1, harness.Options{}))(t)
	changes := []*strings.Replacer{
		strings.NewReplacer(),
		strings.NewReplacer(`"tenant_id":"`, `"tenant_id":"`+strings.Repeat("t", 60)),
		strings.NewReplacer(`"occurred_at":"2`, `"occurred_at":"0`),
		strings.NewReplacer(`"occurred_at":"2026`, `"occurred_at":"9999`),
		strings.NewReplacer(`"data":{`, `"data":{"":{"log_id":"x","salt":"\"\\"},`),
	}
	var all [][]byte
	for _, e := range slices.Concat(append(slices.Collect(maps.Values(s.Journals)), s.Tenant)...) {
		for _, change := range changes {
			all = append(all, []byte(change.Replace(string(seal.Canonical(e)))))
		}
	}
	return all
}

// madeAgain keeps the body of a line among others and wants it back, byte for
// byte. It returns false for what is no event.
func madeAgain(t interface{ Fatalf(string, ...any) }, line []byte) bool {
	var l event.Line
	if !event.Scan(line, &l) {
		return false
	}
	row := rowOf(&l)
	row.start = int64(len("before"))
	got, err := row.body(append(appendKept([]byte("before"), &l), "after"...))
	if err != nil || !bytes.Equal(got, l.Body) {
		t.Fatalf("%s, %v\nwant %s", got, err, l.Body)
	}
	return true
}

func rowOf(l *event.Line) bodyRow {
	return bodyRow{bodyPlace: bodyPlace{block: 1, size: int64(len(l.Body))}, tenant: string(l.TenantID),
		log: string(l.LogID),
		typ: string(l.Type), transaction: string(l.TransactionID), sequence: int64(l.Link.Sequence), occurredAt: l.OccurredAt}
}

// TestBodiesAreMadeAgain: of salt, data and columns.
func TestBodiesAreMadeAgain(t *testing.T) {
	events := 0
	for _, line := range eventLines(t) {
		if madeAgain(t, line) {
			events++
		}
	}
	if events < 100 {
		t.Errorf("only %d events", events)
	}
}

func FuzzBody(f *testing.F) {
	for _, line := range eventLines(f) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) { madeAgain(t, line) })
}

// TestDamagedPlaces: a row that leads out of its block is an error.
func TestDamagedPlaces(t *testing.T) {
	var l event.Line
	must.That(t, event.Scan(eventLines(t)[0], &l), "no event")
	block := appendKept(nil, &l)
	sound := rowOf(&l)
	must.Get(sound.body(block))(t)
	for _, change := range []func(*bodyRow){
		func(r *bodyRow) { r.start = -1 },
		func(r *bodyRow) { r.start = 1 },
		func(r *bodyRow) { r.start = math.MaxInt64 },
		func(r *bodyRow) { r.start = math.MinInt64 },
		func(r *bodyRow) { r.size++ },
		func(r *bodyRow) { r.size = 0 },
		func(r *bodyRow) { r.size = math.MaxInt64 },
		func(r *bodyRow) { r.size = math.MinInt64 },
	} {
		r := sound
		change(&r)
		if b, err := r.body(block); err == nil || !strings.Contains(err.Error(), "block 1 of the case") {
			t.Errorf("start %d, size %d: %q, %v", r.start, r.size, b, err)
		}
	}
	if b, err := sound.body(nil); err == nil {
		t.Errorf("an empty block: %q", b)
	}
}

// TestBlocksAreBounded: what a block says of its size is looked at before any
// memory is taken for it.
func TestBlocksAreBounded(t *testing.T) {
	full := make([]byte, maxBlock)
	if got, err := unpack(s2.EncodeSnappy(nil, full)); err != nil || !bytes.Equal(got, full) {
		t.Errorf("%d bytes, %v, want %d", len(got), err, maxBlock)
	}
	for name, packed := range map[string][]byte{
		"one more":  s2.EncodeSnappy(nil, append(full, 0)),
		"very much": append(binary.AppendUvarint(nil, 1<<31), 0),
		"cut":       s2.EncodeSnappy(nil, full)[:100],
		"empty":     {},
		"other":     []byte("{}"),
	} {
		if got, err := unpack(packed); err == nil {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
}
