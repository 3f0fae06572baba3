package casefile

import (
	"context"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Placed yields every copy of the events of a log, as [Case.EventsInPlace] does,
// with the numbers of the containers that have it: see [Arrivals.Containers]. The value
// is valid until the next one.
func (v Arrivals) Placed(ctx context.Context, log Log, from, to uint64) iter.Seq2[facts.Stretch, error] {
	return stream(func(yield func(facts.Stretch, error) bool) error {
		return inPlace(v.c, func(m *merge) (err error) {
			p := places{m: m}
			if p.again, err = sqlite.OpenIndex(m.r, "deliveries"); err != nil {
				return err
			}
			defer p.again.Close()
			m.at(log.Number, Stretch{from, to})
			if err := p.seek(packedRange(log, from, to)); err != nil {
				return err
			}
			return m.run(ctx, func(e *facts.Event, _ error) bool {
				held, err := p.of(e)
				return yield(facts.Stretch{Event: e, Containers: held}, err) && err == nil
			})
		})
	})
}

// places finds the containers of copies that are read in place.
type places struct {
	m     *merge
	again *sqlite.Index // the deliveries of rows of events after their first
	next  [2]int64
	more  bool
	held  []int64
}

func (p *places) seek(from, to int64) error {
	if err := p.again.Between(from, to); err != nil {
		return err
	}
	return p.step()
}

func (p *places) step() (err error) {
	p.next, p.more, err = p.again.Next()
	return err
}

// of returns the containers of the copy that the merge yields.
func (p *places) of(e *facts.Event) ([]int64, error) {
	p.held = p.held[:0]
	if e.Ref < 0 {
		p.held = append(p.held, p.m.variantRest.container)
		if err := p.ofVariant(e.Ref); err != nil {
			return nil, err
		}
	} else {
		p.held = append(p.held, p.m.packedRest.container)
		for p.more && p.next[0] <= int64(e.Ref) {
			if p.next[0] == int64(e.Ref) {
				p.held = append(p.held, p.next[1])
			}
			if err := p.step(); err != nil {
				return nil, err
			}
		}
	}
	if len(p.held) > 1 {
		slices.Sort(p.held)
		p.held = slices.Compact(p.held)
	}
	return p.held, nil
}

// ofVariant adds the containers in which a variant was found again.
func (p *places) ofVariant(ref facts.Ref) error {
	const query = "SELECT DISTINCT container FROM deliveries WHERE event = ?"
	return p.m.r.Each(query, []any{int64(ref)}, func(s *sqlite.Stmt) error {
		p.held = append(p.held, s.Int(0))
		return nil
	})
}
