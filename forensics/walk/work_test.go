package walk_test

import (
	"context"
	"iter"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// counting counts the events that a walk reads.
type counting struct {
	*walktest.Memory
	read atomic.Int64
}

func (c *counting) Events(ctx context.Context, l facts.Log, after uint64) iter.Seq2[*facts.Event, error] {
	return func(yield func(*facts.Event, error) bool) {
		for e, err := range c.Memory.Events(ctx, l, after) {
			if c.read.Add(1); !yield(e, err) {
				return
			}
		}
	}
}

// TestSkipLinkInACrowd: that a skip link of one of many copies is wrong is said
// without reading, and verifying, all of them again.
func TestSkipLinkInACrowd(t *testing.T) {
	work := func(change func(seal.Object)) (int64, []string) {
		w := plain(t)
		w.Alter(berlin, 2, forge.Resign(w.Keys["berlin"], change))
		crowd(w, 2*walk.MostCopies, func(seal.Object) {})
		source := &counting{Memory: w.Reader()}
		r, _ := walkWith(t, source, w.Root, 1, 10)
		return source.read.Load(), walktest.Said(r.Findings)
	}
	skip, said := work(forge.AlterHash("skip_hash"))
	must.That(t, slices.Contains(said, inBerlin+"chain.link-broken 3-3"), "%v", said)
	if other, said := work(forge.AlterSalt); skip > other+10 { // another event beside it may be read once more
		t.Errorf("%d events are read, and %d where the skip link holds: %v", skip, other, said)
	}
}
