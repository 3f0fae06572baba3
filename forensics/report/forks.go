package report

import (
	"context"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// addForks adds the forks that the walk found, with both their branches.
func (g *gatherer) addForks(ctx context.Context, l *Log, log store.Log, found []finding.Finding) error {
	for _, f := range found {
		if markOf[f.Code] != Forked {
			continue
		}
		if len(l.Forks) == mostForks {
			l.MoreForks++
			continue
		}
		fork := Fork{Sequence: f.Sequence}
		for _, b := range branches(f) {
			if err := g.identify(ctx, log, f.Sequence, &b); err != nil {
				return err
			}
			fork.Branches = append(fork.Branches, b)
		}
		l.Forks = append(l.Forks, fork)
	}
	return nil
}

// branches takes the length and the first hash of both branches from the words
// in which the walk says them.
func branches(f finding.Finding) []Branch {
	out := make([]Branch, 2)
	_, err := fmt.Sscanf(f.Found, "two: %d events from %64s on, and %d from %64s on",
		&out[0].Events, &out[0].Hash, &out[1].Events, &out[1].Hash)
	if err != nil {
		return nil
	}
	return out
}

// identify looks the first event of a branch up: who signed it, when, and which
// sources hold it.
func (g *gatherer) identify(ctx context.Context, log store.Log, sequence uint64, b *Branch) error {
	b.Sources = []string{}
	for e, err := range g.c.Events(ctx, log, sequence, sequence) {
		if err != nil {
			return err
		}
		if e.Recorded.String() != b.Hash && e.Link.Hash().String() != b.Hash {
			continue
		}
		b.KeyID, b.Type, b.OccurredAt = e.KeyID, e.Type, stamp(e.OccurredAt)
		all, err := g.c.Deliveries(ctx, e.Ref)
		if err != nil {
			return err
		}
		for _, d := range all {
			b.Sources = append(b.Sources, g.nameOf(d.Source))
		}
	}
	slices.Sort(b.Sources)
	b.Sources = slices.Compact(b.Sources)
	return nil
}

// nameOf returns the name of a source by its number.
func (g *gatherer) nameOf(number int64) string {
	s := g.sources[g.places[number]]
	return Source{SHA256: s.SHA256.String(), Paths: s.Paths}.Name()
}
