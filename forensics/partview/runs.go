package partview

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

const (
	leastRun     = 64      // least sequences of a run
	mostRuns     = 1 << 17 // that are remembered, some 400 bytes each
	mostInARow   = 4       // arrivals of an event in a run
	wholeLogFrom = 1       // a pass over a whole log begins here at most
)

// run is events of a log that arrived as [evidence.Arrivals] describes, and the arrivals of
// the first one and of the last one.
type run struct {
	first, last uint64
	begin, end  []evidence.Arrived
}

// runs are the runs of the logs that were read once: the next pass skips them.
type runs struct {
	mu   sync.Mutex
	of   map[facts.Log][]run
	left int // how many may still be remembered
}

func (r *runs) keptRuns(log facts.Log) []run {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.of[log]
}

// keepRuns remembers the runs of a log.
func (r *runs) keepRuns(log facts.Log, all []run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.of[log]; known {
		return
	}
	all = all[:min(len(all), r.left)]
	r.of[log] = all
	r.left -= len(all)
}

// runner finds the runs of a log in a pass over all of its copies.
type runner struct {
	v     *View
	all   []run
	first uint64             // of the present run; 0 if there is none
	begin []evidence.Arrived // of its first event
	last  part.Copy          // of it
	ref   facts.Ref
}

// addCopy adds the next copy, and its reference.
func (r *runner) addCopy(c *part.Copy, at which, ref facts.Ref) {
	goesOn := r.first > 0 && at.copies == 1 && r.follows(c)
	if !goesOn {
		r.endRun()
		if at.copies > 1 || !r.begins(c) {
			return
		}
		r.first, r.begin = c.Sequence, r.arrived(r.begin[:0], c, ref)
	}
	r.last.Sequence, r.last.OccurredAt, r.ref = c.Sequence, c.OccurredAt, ref
	r.last.Arrivals = append(r.last.Arrivals[:0], c.Arrivals...)
}

// addSeries adds a series, and the references of its first copy and of its last.
func (r *runner) addSeries(s *part.Series, first, last facts.Ref) {
	if !isPlain(s) {
		r.endRun()
		return
	}
	begin := part.Copy{Arrivals: s.Begins}
	begin.Sequence, begin.OccurredAt = s.First, s.OccurredAt(s.First)
	r.addCopy(&begin, which{0, 1}, first)
	if r.first > 0 {
		r.last.Sequence, r.last.OccurredAt, r.ref = s.Last, s.OccurredAt(s.Last), last
		r.last.Arrivals = append(r.last.Arrivals[:0], s.Ends...)
	}
}

// isPlain reports whether nothing is to be said of how the events of a series arrived,
// but for the first.
func isPlain(s *part.Series) bool {
	best := bestFidelity(&part.Copy{Arrivals: s.Begins})
	if !delivery.Plain(0, s.Ahead, 0, best) {
		return false
	}
	before := s.OccurredAt(s.First)
	return s.Observed(func(occurred, observed int64) bool {
		ok := delivery.Plain(before, occurred, observed, best)
		before = occurred
		return ok
	})
}

// begins reports whether a copy may be in a run.
func (r *runner) begins(c *part.Copy) bool {
	if len(c.Arrivals) == 0 || len(c.Arrivals) > mostInARow {
		return false
	}
	for i := range c.Arrivals[1:] {
		if r.v.shares[c.Arrivals[i].Share].source >= r.v.shares[c.Arrivals[i+1].Share].source {
			return false
		}
	}
	return true
}

// follows reports whether a copy continues the run.
func (r *runner) follows(c *part.Copy) bool {
	last := &r.last
	if c.Sequence != last.Sequence+1 || len(c.Arrivals) != len(last.Arrivals) {
		return false
	}
	for i := range c.Arrivals {
		a, b := &last.Arrivals[i], &c.Arrivals[i]
		if r.v.containerOf(a.Place) != r.v.containerOf(b.Place) ||
			r.v.shares[b.Share].record+b.Record <= r.v.shares[a.Share].record+a.Record {
			return false
		}
	}
	return delivery.Plain(last.OccurredAt, c.OccurredAt, c.Arrivals[0].ObservedAt, bestFidelity(c))
}

// endRun ends the present run.
func (r *runner) endRun() {
	if r.first > 0 && r.last.Sequence-r.first >= r.v.leastRun && len(r.all) < mostRuns {
		r.all = append(r.all, run{r.first, r.last.Sequence, slices.Clone(r.begin), r.arrived(nil, &r.last, r.ref)})
	}
	r.first = 0
}

// arrived appends the arrivals of a copy, in the order of their places.
func (r *runner) arrived(all []evidence.Arrived, c *part.Copy, ref facts.Ref) []evidence.Arrived {
	if all = r.v.arrived(all, c, ref); len(all) > 1 {
		evidence.Arrange(all)
	}
	return all
}

// ArrivalRuns yields the arrivals of a log, with those sequences in runs that a walk
// has passed over.
func (v *View) ArrivalRuns(ctx context.Context, log facts.Log) iter.Seq2[evidence.Arrivals, error] {
	return evidence.Stream(func(yield func(evidence.Arrivals) error) error {
		from := uint64(0)
		single := func(same []evidence.Arrived) error { return yield(evidence.Arrivals{Same: same}) }
		for _, r := range v.runs.keptRuns(log) {
			if from < r.first {
				if err := v.eachArrivals(ctx, log, evidence.Stretch{First: from, Last: r.first - 1}, single); err != nil {
					return err
				}
			}
			if err := yield(evidence.Arrivals{Same: r.begin, Through: r.end}); err != nil {
				return err
			}
			from = r.last + 1
		}
		return v.eachArrivals(ctx, log, evidence.Stretch{First: from, Last: maxAny}, single)
	})
}
