package partview

import (
	"context"
	"iter"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// Stretches yields the events of a log from a sequence on, with the containers that have
// them. A pass over the whole log finds out how they arrived as well.
func (v *View) Stretches(ctx context.Context, log facts.Log, from uint64) iter.Seq2[facts.Stretch, error] {
	return evidence.Stream(func(yield func(facts.Stretch) error) error {
		whole, number := runner{v: v}, v.numbers[log]
		watched := from <= wholeLogFrom && v.runs.keptRuns(log) == nil
		p := facts.Stretch{Event: &facts.Event{}}
		err := v.stretches(ctx, log, from, func(c *part.Copy, at which) error {
			v.setPlaced(&p, number, c, at)
			if watched {
				whole.addCopy(c, at, p.Ref)
			}
			return yield(p)
		}, func(s *part.Series) error {
			all := v.asSeries(number, s)
			if watched {
				whole.addSeries(s, all.First.Ref, all.Last.Ref)
			}
			return yield(facts.Stretch{Series: all})
		})
		if watched && err == nil {
			whole.endRun()
			v.runs.keepRuns(log, whole.all)
		}
		return err
	})
}

// asSeries returns a series of a part as evidence.
func (v *View) asSeries(log int32, s *part.Series) *facts.Series {
	all := &facts.Series{Back: s.Back, Containers: v.containersOf(nil, &part.Copy{Arrivals: s.Begins})}
	var c part.Copy
	all.At = func(sequence uint64) (e facts.Event) {
		s.Copy(sequence, &c)
		c.Arrivals = s.Begins // of the same fidelity
		v.setEvent(&e, log, &c, which{0, 1})
		return e
	}
	all.Typed = s.Typed
	all.First, all.Last = all.At(s.First), all.At(s.Last)
	all.Links = chain.Series{First: all.First.Event, Last: s.Last, Recorded: s.Hash, Older: s.Older()}
	return all
}
