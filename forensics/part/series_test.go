package part_test

import (
	"bytes"
	"context"
	"iter"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// expanded yields the copies of a log by stretches. Copies in series have only the fields
// known there, and the wanted ones are reduced to these fields.
func expanded(t rapid.TB, c part.Content, log facts.Log, from uint64,
	want []part.Copy) (got []part.Copy, series int) {
	t.Helper()
	for s, err := range c.Stretches(context.Background(), log, from, part.Judging{}) {
		must.Do(t, err)
		if s.Series == nil {
			one := *s.Copy
			one.Arrivals = slices.Clone(one.Arrivals)
			got = append(got, one)
			continue
		}
		series++
		for n := max(from, s.Series.First); n <= s.Series.Last; n++ {
			var one part.Copy
			s.Series.Copy(n, &one)
			i := len(got)
			must.That(t, i != len(want), "series go up to %d", n)
			switch want[i].Size = 0; n {
			case s.Series.First:
				one.Arrivals = slices.Clone(s.Series.Begins)
			case s.Series.Last:
				one.Arrivals = slices.Clone(s.Series.Ends)
			default:
				want[i].Arrivals = nil
			}
			got = append(got, one)
		}
	}
	return got, series
}

// sameStretches checks that a content yields the same copies in stretches and one by one, and
// returns the number of its series.
func sameStretches(t rapid.TB, c part.Content, log facts.Log, from uint64) int {
	t.Helper()
	want := list(t, c.Copies(context.Background(), log, from))
	got, series := expanded(t, c, log, from, want)
	compareHeaders(t, "stretches", want, got)
	var said []part.Statement
	next, stop := c.PullStatements(context.Background(), log, from)
	defer stop()
	for s := must.Get(next())(t); s != nil; s = must.Get(next())(t) {
		said = append(said, *s)
		said[len(said)-1].Said = bytes.Clone(s.Said)
	}
	compareHeaders(t, "statements pulled", list(t, c.Statements(context.Background(), log, from)), said)
	return series
}

// TestSeries: the series of a log have the copies that the log has.
func TestSeries(t *testing.T) {
	events := uint64(chance.Sized(3000, 400))
	for _, logs := range []int{1, 2} {
		first, second := open(t, octets(t, ordinary(1, logs, 1, events), nil)),
			open(t, octets(t, ordinary(2, logs, events+1, events/3), nil))
		both := joined(t, second, first)
		for _, c := range []part.Content{first, both, open(t, octets(t, both, nil))} {
			for _, from := range []uint64{0, 77, events - 10, events + events/6} {
				n := sameStretches(t, c, c.Logs()[0], from)
				check.That(t, n != 0 || c == first && from >= events, "%d logs from %d on: no series", logs, from)
			}
		}
	}
}

// same compares two contents, record by record.
func same(t rapid.TB, want, got part.Content) {
	t.Helper()
	ctx := context.Background()
	compareHeaders(t, "header", want.Header(), got.Header())
	compareHeaders(t, "shares", want.Shares(), got.Shares())
	compareHeaders(t, "unread", want.Unread(), got.Unread())
	compareHeaders(t, "logs", want.Logs(), got.Logs())
	compareHeaders(t, "skips", list(t, want.Skips(ctx)), list(t, got.Skips(ctx)))
	compareHeaders(t, "documents", list(t, want.Documents(ctx)), list(t, got.Documents(ctx)))
	compareHeaders(t, "batches", list(t, want.Batches(ctx)), list(t, got.Batches(ctx)))
	for _, log := range want.Logs() {
		for _, from := range []uint64{0, 5, 1 << 60} {
			compareHeaders(t, "copies", list(t, want.Copies(ctx, log, from)), list(t, got.Copies(ctx, log, from)))
			compareHeaders(t, "statements", list(t, want.Statements(ctx, log, from)), list(t, got.Statements(ctx, log, from)))
			sameStretches(t, got, log, from)
		}
	}
}

func compareHeaders(t rapid.TB, what string, want, got any) {
	t.Helper()
	if reflect.DeepEqual(want, got) { // which is much faster
		return
	}
	diff := cmp.Diff(want, got, cmpopts.EquateEmpty())
	must.That(t, diff == "", "%s (-want +got):\n%s", what, diff)
}

// list returns clones of the yielded values.
func list[T any](t rapid.TB, seq iter.Seq2[*T, error]) (all []T) {
	t.Helper()
	for v, err := range seq {
		must.Do(t, err)
		one := *v
		if c, ok := any(&one).(*part.Copy); ok {
			c.Arrivals = append([]part.Arrival(nil), c.Arrivals...)
		}
		all = append(all, one)
	}
	return all
}

// The sizes of SPEC 19.4.
const (
	mostBeside    = 64 << 10
	mostCopy      = 64
	mostStatement = 160
)

// TestSize: a part of ordinary logs is as small as SPEC 19.4 demands, whether there is one log
// or many, and whether it was read as a whole or joined from parts.
func TestSize(t *testing.T) {
	for name, m := range map[string]*memory{
		"journal": ordinary(1, 1, 1, 20_000), "one event": ordinary(1, 1, 1, 1),
		"store": ordinary(1, 4, 1, 5000), "store of many logs": ordinary(1, 20, 1, 1000),
	} {
		copies := 0
		for _, log := range m.logs {
			copies += len(m.copies[log])
		}
		b := octets(t, m, nil)
		beside := len(b) - mostCopy*copies
		check.That(t, beside <= mostBeside*len(m.logs),
			"%s: %d octets for %d copies, which leaves %d besides", name, len(b), copies, beside)
		check.That(t, copies < 20_000 || len(b) <= mostCopy*copies,
			"%s: %.2f octets for a copy", name, float64(len(b))/float64(copies))
	}
	var parts []part.Content
	for i := range 10 {
		parts = append(parts, ordinary(byte(i), 1, uint64(1+1000*i), 1000))
	}
	if b := merge(t, parts...); len(b) > mostCopy*10_000 {
		t.Errorf("ten sources: %.2f octets for a copy", float64(len(b))/10_000)
	}
}

// TestStatementSize: a statement costs at most 160 bytes in addition to its identifiers.
func TestStatementSize(t *testing.T) {
	m := ordinary(1, 1, 1, 1000)
	before := len(octets(t, m, nil))
	identifiers := 0
	for _, c := range m.copies[m.logs[0]] {
		s := part.Statement{Sequence: c.Sequence, Digest: c.Digest, Type: "approval.recorded", TransactionID: "tx-2026-0001",
			Said: []byte("12345678901234567890123456789012 and a name of a node")}
		identifiers += len(s.TransactionID) + len("a name of a node")
		m.said[m.logs[0]] = append(m.said[m.logs[0]], s)
	}
	size := len(octets(t, m, nil)) - before - identifiers
	check.That(t, size <= mostStatement*1000, "%d octets for 1000 statements", size)
}

// TestDescribe: a description counts the written content, and reports a MAC only as far as it
// was checked.
func TestDescribe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		c := w.content(w.whole()...)
		d := must.Get(part.Describe(context.Background(), openFile(t, octets(t, c, nil))))(t)
		var want part.Totals
		want.Documents, want.Batches = int64(len(c.documents)), int64(len(c.batches))
		for _, s := range c.skips {
			want.Skips += s.Spans
		}
		for _, log := range c.Logs() {
			for one := range c.Copies(context.Background(), log, 0) {
				want.Copies, want.Arrivals = want.Copies+1, want.Arrivals+int64(len(one.Arrivals))
			}
			for range c.Statements(context.Background(), log, 0) {
				want.Statements++
			}
		}
		h := c.Header()
		if d.Totals != want || len(d.Sources) != len(c.shares) || len(d.Logs) != len(c.Logs()) || d.MAC != part.NoMAC ||
			d.Rules != h.Rules || d.TrustSHA256 != h.TrustSHA256.String() || d.Form != "svc-verify/part/v1" {
			t.Fatalf("%+v, expected %+v of %+v", d, want, h)
		}
	})
	key := newKey(t, 1)
	sealed := octets(t, ordinary(1, 2, 1, 12), key)
	for with, want := range map[*part.Key]part.MAC{nil: part.MACUnchecked, key: part.MACHolds} {
		f := must.Get(part.Open(t.Context(), bytes.NewReader(sealed), int64(len(sealed)), with))(t)
		if d, err := part.Describe(t.Context(), f); err != nil || d.MAC != want || d.Octets != int64(len(sealed)) {
			t.Errorf("%+v, %v, expected %s", d, err, want)
		}
	}
}
