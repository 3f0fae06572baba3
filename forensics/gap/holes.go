package gap

import (
	"cmp"
	"context"
	"iter"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// holesOf yields the ranges of a log that are missing, ascending.
func (s *search) holesOf(ctx context.Context, log facts.Log) iter.Seq2[evidence.Stretch, error] {
	t := s.tails[log]
	all := outsideOf(s.c.Present(ctx, log), t.strays)
	if s.filter.Source != 0 {
		return subtractStretches(all, s.c.PresentIn(ctx, log, s.filter.Source))
	}
	return gapsWithin(all, t.missing)
}

// outsideOf yields the ranges of the stretches that are in none of some others; both ascend, and
// the others may overlap.
func outsideOf(all iter.Seq2[evidence.Stretch, error], strays []evidence.Stretch) iter.Seq2[evidence.Stretch, error] {
	return evidence.Stream(func(yield func(evidence.Stretch) error) error {
		for p, err := range all {
			for len(strays) > 0 && err == nil && p.First <= p.Last && strays[0].First <= p.Last {
				s := strays[0]
				if s.First > p.First {
					err = yield(evidence.Stretch{First: p.First, Last: s.First - 1})
				}
				p.First = max(p.First, s.Last+1)
				if s.Last <= p.Last {
					strays = strays[1:]
				}
			}
			if err == nil && p.First <= p.Last {
				err = yield(p)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// gapsWithin yields the missing events before the first stretch, between each two, and above the
// last up to the end of the log that is known.
func gapsWithin(present iter.Seq2[evidence.Stretch, error], end uint64) iter.Seq2[evidence.Stretch, error] {
	return evidence.Stream(func(yield func(evidence.Stretch) error) error {
		last := uint64(0)
		for p, err := range present {
			if err == nil && p.First > last+1 {
				err = yield(evidence.Stretch{First: last + 1, Last: p.First - 1})
			}
			if err != nil {
				return err
			}
			last = p.Last
		}
		if end > last {
			return yield(evidence.Stretch{First: last + 1, Last: end})
		}
		return nil
	})
}

// subtractStretches yields the events in the stretches of all and in none of some, a part of them;
// nothing if some is empty.
func subtractStretches(all, some iter.Seq2[evidence.Stretch, error]) iter.Seq2[evidence.Stretch, error] {
	return evidence.Stream(func(yield func(evidence.Stretch) error) error {
		next, stop := iter.Pull2(some)
		defer stop()
		held, err, more := next()
		if !more || err != nil {
			return err
		}
		for whole, fault := range all {
			from := whole.First
			for ; fault == nil && err == nil && more && held.First <= whole.Last; held, err, more = next() {
				if held.First > from {
					fault = yield(evidence.Stretch{First: from, Last: held.First - 1})
				}
				from = held.Last + 1
			}
			if fault = cmp.Or(fault, err); fault == nil && from <= whole.Last {
				fault = yield(evidence.Stretch{First: from, Last: whole.Last})
			}
			if fault != nil {
				return fault
			}
		}
		return nil
	})
}
