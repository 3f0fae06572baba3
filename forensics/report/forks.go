package report

import (
	"context"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/evidence"
)

// addForks adds the forks that the walk found, with both their branches.
func (g *gatherer) addForks(ctx context.Context, l *Log, log evidence.Log) error {
	all := l.LogResult.Forks
	for _, f := range all[:min(len(all), mostForks)] {
		fork := Fork{Sequence: f.Sequence, Named: f.Named, Naming: f.Naming()}
		for i, w := range f.Branches {
			b := &fork.Branches[i]
			*b = Branch{Hash: w.FirstHash, Events: w.Events, KeyID: w.KeyID}
			if err := g.identify(ctx, log, f.Sequence, b); err != nil {
				return err
			}
		}
		l.Forks = append(l.Forks, fork)
	}
	l.MoreForks = len(all) - len(l.Forks)
	return nil
}

// identify looks up the first event of a branch: its type, its time, and which
// sources hold it.
func (g *gatherer) identify(ctx context.Context, log evidence.Log, sequence uint64, b *Branch) error {
	for e, err := range g.c.Events(ctx, log, sequence, sequence) {
		if err != nil {
			return err
		}
		if e.Recorded.String() != b.Hash && e.ContentHash().String() != b.Hash {
			continue
		}
		b.Type, b.OccurredAt = e.Type, stamp(e.OccurredAt)
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
