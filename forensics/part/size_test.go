package part_test

import (
	"bytes"
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// The sizes of SPEC 19.4.
const (
	mostBeside    = 64 << 10
	mostCopy      = 64
	mostStatement = 160
)

// TestSize: a part of ordinary logs is as small as SPEC 19.4 says, whether there is one
// log or many, and whether it was read as a whole or joined from parts.
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

// TestStatementSize: a statement takes at most 160 octets besides its identifiers.
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

// TestDescribe: a description counts what was written, and says of a MAC no more than
// what was checked.
func TestDescribe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		c := w.content(w.whole()...)
		d := must.Get(part.Describe(context.Background(), open(t, octets(t, c, nil))))(t)
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
