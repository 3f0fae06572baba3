package report

import (
	"context"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// identifyBranch looks up the first event of a branch: its type, its time, and which
// sources hold it.
func (g *gatherer) identifyBranch(ctx context.Context, log facts.Log, sequence uint64, b *Branch) error {
	b.Sources = nil // their stores until now
	for e, err := range g.c.Events(ctx, log, sequence, sequence) {
		if err != nil {
			return err
		}
		if e.Recorded.String() != b.Hash && e.ContentHash().String() != b.Hash {
			continue
		}
		b.Type, b.OccurredAt = e.Type, timeOf(e.OccurredAt)
		all, err := g.c.Deliveries(ctx, e.Ref)
		if err != nil {
			return err
		}
		for _, d := range all {
			b.Sources = append(b.Sources, delivery.NameOf(g.sources[g.places[d.Source]]))
		}
	}
	slices.Sort(b.Sources)
	b.Sources = slices.Compact(b.Sources)
	return nil
}
