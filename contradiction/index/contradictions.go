package index

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/contradiction"
)

// Contradiction is an entry with the first other that contradicts it in some kind.
type Contradiction struct {
	Entry, Other uint32 // the caller's numbers
	Again        bool   // the pair came before, when the other was the entry
	Finding      contradiction.Finding
}

// Contradictions yields the contradictions that were found, in the order of entries, and for
// one entry in the order of the others. The sides of a finding are in the order of entries
// too: the earlier one is the first. It ends after an error.
func (x *Index) Contradictions(ctx context.Context) iter.Seq2[Contradiction, error] {
	return func(yield func(Contradiction, error) bool) {
		if err := x.err; err != nil || !x.settled {
			yield(Contradiction{}, cmp.Or(err, errSettled))
			return
		}
		d := deciding{index: x}
		for n := range x.bundles {
			if n%cancelEvery == 0 && ctx.Err() != nil {
				yield(Contradiction{}, ctx.Err())
				return
			}
			if goOn, err := d.entry(ctx, uint32(n), yield); err != nil {
				yield(Contradiction{}, err)
				return
			} else if !goOn {
				return
			}
		}
	}
}

// deciding turns candidates into findings.
type deciding struct {
	index  *Index
	recent [4]decoded // others, as many entries are contradicted by the same few
	oldest int
}

// decoded is a bundle whose facts were read again.
type decoded struct {
	number uint32
	facts  *contradiction.Facts
}

// entry yields the contradictions of one bundle.
func (d *deciding) entry(ctx context.Context, n uint32, yield func(Contradiction, error) bool) (bool, error) {
	others := d.index.answers.of(n)
	if len(others) == 0 {
		return true, nil
	}
	facts, err := d.index.read(n)
	if err != nil {
		return false, err
	}
	if others, err = d.certain(ctx, n, facts, others); err != nil {
		return false, err
	}
	for _, o := range others {
		other, err := d.facts(o)
		if err != nil {
			return false, err
		}
		a, b := facts, other
		if o < n {
			a, b = b, a
		}
		d.index.work.compared++
		finding, found := contradiction.Compare(a, b)
		if !found {
			return false, fmt.Errorf("index: entries %d and %d clash and do not contradict each other", n, o)
		}
		c := Contradiction{d.index.bundles[n].entry, d.index.bundles[o].entry, false, finding}
		c.Again = o < n && slices.Contains(d.index.answers.of(o), n)
		if !yield(c, nil) {
			return false, nil
		}
	}
	return true, nil
}

// of returns the others that clash with a bundle, in ascending order, each once.
func (a *answers) of(number uint32) []uint32 {
	var others []uint32
	for _, first := range a.first {
		if first != nil && first[number] != 0 {
			others = append(others, first[number]-1)
		}
	}
	slices.Sort(others)
	return slices.Compact(others)
}

// certain compares the candidates of a bundle by the real claims of both bundles. If a
// candidate is there because two hashes are equal by chance, the bundle is compared with all
// others.
func (d *deciding) certain(ctx context.Context, n uint32, facts *contradiction.Facts, others []uint32) ([]uint32,
	error) {
	claims := newClaimed(facts)
	for kind, first := range d.index.answers.first {
		if first == nil || first[n] == 0 {
			continue
		}
		other, err := d.facts(first[n] - 1)
		if err != nil {
			return nil, err
		}
		if claims.clashes(contradiction.Kind(kind), other) {
			continue
		}
		if first[n], err = d.search(ctx, claims, contradiction.Kind(kind)); err != nil {
			return nil, err
		}
		others = d.index.answers.of(n)
	}
	return others, nil
}

// search returns the number of the first bundle that clashes with one, and one; or 0.
func (d *deciding) search(ctx context.Context, claims claimed, kind contradiction.Kind) (uint32, error) {
	for o := range uint32(len(d.index.bundles)) {
		if o%cancelEvery == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		other, err := d.index.read(o)
		if err != nil {
			return 0, err
		}
		if claims.clashes(kind, other) {
			return o + 1, nil
		}
	}
	return 0, nil
}

// facts returns the facts of another bundle.
func (d *deciding) facts(n uint32) (*contradiction.Facts, error) {
	for _, r := range d.recent {
		if r.facts != nil && r.number == n {
			return r.facts, nil
		}
	}
	f, err := d.index.read(n)
	if err == nil {
		d.recent[d.oldest] = decoded{n, f}
		d.oldest = (d.oldest + 1) % len(d.recent)
	}
	return f, err
}
