package part_test

import (
	"bytes"
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/must"
)

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
