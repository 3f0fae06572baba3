package walk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
)

// A crowd is a sequence with more copies than mostCopies. Anyone who can write to a file can
// put any number of them there, and their order does not show which is genuine. So the
// signature of every one is verified, which costs no more than so many events, but of those
// beyond the bound only few are kept.

// crowd is the kept part of the copies beyond the bound.
type crowd struct {
	kept     []judged
	named    []chain.Hash // hashes that the next event or an anchor names, and no copy has so far
	valid    []chain.Hash // of kept copies
	examples map[example]bool
	lossy    bool // of some copy a transport lost something
}

// example describes the faults of a copy that is not valid: one is kept of each.
type example struct {
	owner            ownership
	signed           event.Signed
	intact, faithful bool
}

// keepCopies keeps the copies that matter: those that are valid, as far as histories
// are followed, those that something names, and of all others one example of
// everything that is wrong.
func (c *crowd) keepCopies(copies []judged) {
	for i := range copies {
		j := &copies[i]
		e := example{j.owner, j.Signed, j.Intact(), j.Faithful()}
		c.lossy = c.lossy || !j.Faithful() && !j.Intact()
		at := slices.Index(c.named, j.Computed)
		switch {
		case j.Valid() && len(c.valid) <= mostBranches && !slices.Contains(c.valid, j.logHash()):
			c.valid = append(c.valid, j.logHash())
		case at >= 0:
			c.named = slices.Delete(c.named, at, at+1)
			j.named = true
		case c.examples[e]:
			continue
		}
		c.examples[e] = true
		c.kept = append(c.kept, *j)
	}
}

// beyond reads and judges the copies of a crowd beyond the bound, and returns
// those that matter. It marks those below the bound that something names.
func (g *judge) beyond(ctx context.Context, first []judged) ([]judged, error) {
	n := first[0].Sequence
	named, err := g.namedHashes(ctx, n)
	if err != nil {
		return nil, err
	}
	c := crowd{named: named, examples: map[example]bool{}}
	c.keepCopies(first)
	c.kept = nil // it has them
	if err := g.readRest(ctx, first, func(copies []judged) error { return g.sift(copies, &c) }); err != nil {
		return nil, err
	}
	valid := validHistories(slices.Concat(first, c.kept))
	if !c.lossy || len(valid) == 0 {
		return c.kept, nil
	}
	altered := func(copies []judged) error { return g.takeAltered(ctx, copies, valid, &c) }
	if err := g.readRest(ctx, first, altered); !errors.Is(err, errEnough) {
		return c.kept, err
	}
	return c.kept, nil
}

// readRest reads the copies of a crowd beyond the bound, some at a time.
func (g *judge) readRest(ctx context.Context, first []judged, take func([]judged) error) error {
	n := first[0].Sequence
	some, seen := make([]judged, 0, sectionEvents), 0
	for e, err := range g.reader.Events(ctx, g.log, n-1) {
		if err != nil {
			return err
		}
		if e.Sequence != n {
			break
		}
		if seen++; seen <= len(first) {
			continue
		}
		if some = append(some, judged{Event: *e}); len(some) == cap(some) {
			if err := take(some); err != nil {
				return err
			}
			some = some[:0]
		}
	}
	return take(some)
}

// errEnough ends the reading of a crowd.
var errEnough = errors.New("enough of the crowd was read")

// takeAltered keeps one lossy copy that was altered besides: the examples may contain only
// others.
func (g *judge) takeAltered(ctx context.Context, copies []judged, valid []*judged, c *crowd) error {
	for i := range copies {
		j := &copies[i]
		if j.Faithful() || j.Intact() {
			continue
		}
		if lossy, err := g.lossy(ctx, j, valid); err != nil {
			return err
		} else if lossy {
			continue
		}
		if !slices.ContainsFunc(c.kept, func(k judged) bool { return k.Variant == j.Variant }) {
			g.identify(g.log, j)
			if err := g.verifyCopies(copies[i : i+1]); err != nil {
				return err
			}
			c.kept = append(c.kept, *j)
		}
		return errEnough
	}
	return nil
}

// sift judges copies, and adds the important ones to the crowd.
func (g *judge) sift(copies []judged, c *crowd) error {
	g.identifyAll(g.log, copies)
	if err := g.verifyCopies(copies); err != nil {
		return err
	}
	c.keepCopies(copies)
	return nil
}

// namedHashes returns the hashes by which an anchor, or a copy of the next event, names
// an event. Of the copies it looks at a bounded number.
func (g *judge) namedHashes(ctx context.Context, sequence uint64) ([]chain.Hash, error) {
	var all []chain.Hash
	for _, a := range g.anchors {
		if a.Sequence == sequence && !slices.Contains(all, a.Hash) {
			all = append(all, a.Hash)
		}
	}
	seen := 0
	for e, err := range g.reader.Events(ctx, g.log, sequence) {
		if err != nil {
			return nil, err
		}
		if seen++; e.Sequence != sequence+1 || seen > mostCopies {
			break
		}
		if !slices.Contains(all, e.Previous) {
			all = append(all, e.Previous)
		}
	}
	return all, nil
}

// judgeManyCopies puts the copies of crowds that matter behind those that were read.
func (g *judge) judgeManyCopies(ctx context.Context, p part) ([]judged, error) {
	copies := p.copies
	for _, n := range p.crowded {
		group := copiesAt(copies, n)
		more, err := g.beyond(ctx, group)
		if err != nil {
			return nil, err
		}
		end := sort.Search(len(copies), func(i int) bool { return copies[i].Sequence > n })
		copies = slices.Concat(copies[:end], more, copies[end:])
	}
	return copies, nil
}

// foremostCopy returns the foremost copy of an event.
func (g *judge) foremostCopy(ctx context.Context, sequence uint64) (*judged, error) {
	copies, err := g.copies(ctx, sequence)
	if err != nil {
		return nil, err
	}
	if len(copies) == 0 {
		return nil, fmt.Errorf("event %d of %s is no longer there", sequence, g.log.LogID)
	}
	return foremostCopy(copies), nil
}

// copies reads and judges the copies of one event, of a crowd those that matter.
func (g *judge) copies(ctx context.Context, sequence uint64) ([]judged, error) {
	var copies []judged
	crowded := false
	for e, err := range g.reader.Events(ctx, g.log, sequence-1) {
		if err != nil {
			return nil, err
		}
		if crowded = e.Sequence == sequence && len(copies) == mostCopies; crowded || e.Sequence != sequence {
			break
		}
		copies = append(copies, judged{Event: *e})
	}
	g.identifyAll(g.log, copies)
	if err := g.verifyCopies(copies); err != nil || !crowded {
		return copies, err
	}
	more, err := g.beyond(ctx, copies)
	return append(copies, more...), err
}
