package partview

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// farAhead is how many sequences lie between two statements at least where those
// between them are not read.
const farAhead = 1 << 12

// saidTogether is how many bytes of the content of statements share memory.
const saidTogether = 16 << 10

// wanted yields the statements of a log within sequences that have one of the types,
// and that want selects.
func (v *View) wanted(ctx context.Context, log facts.Log, in evidence.Stretch, types []string,
	want func(*part.Statement) bool) iter.Seq2[*evidence.Typed, error] {
	return evidence.Stream(func(yield func(*evidence.Typed) error) error {
		next, stop := v.content.PullStatements(ctx, log, in.First)
		defer stop()
		j := joining{v: v, log: log, yield: yield, next: func() (*part.Statement, error) {
			for {
				s, err := next()
				if s == nil || err != nil || s.Sequence > in.Last {
					return nil, err
				}
				if slices.Contains(types, s.Type) && want(s) {
					return s, nil
				}
			}
		}}
		if err := j.step(); err != nil {
			return err
		}
		for j.s != nil {
			if err := j.readCopies(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// joining puts together statements and the copies that they are.
type joining struct {
	v     *View
	log   facts.Log
	yield func(*evidence.Typed) error
	next  func() (*part.Statement, error) // nil at the end
	s     *part.Statement                 // the next one; nil at the end
	typed evidence.Typed
	said  []byte    // of those that were yielded last, which may be kept
	of    part.Copy // in a series
}

func (j *joining) step() (err error) {
	j.s, err = j.next()
	return err
}

// errFar ends the reading of copies where the next statement is far ahead.
var errFar = errors.New("the next statement is far ahead")

// readCopies reads the copies from the next statement on, until there is none or the next
// one is far ahead.
func (j *joining) readCopies(ctx context.Context) error {
	err := j.v.stretches(ctx, j.log, j.s.Sequence, j.copy, j.series)
	switch {
	case err == errFar:
		return nil
	case err == nil && j.s != nil:
		return j.without()
	}
	return err
}

// without returns the error for a statement without a copy.
func (j *joining) without() error {
	return fmt.Errorf("the parts have a statement of event %d of %s, but not the event", j.s.Sequence, j.log.LogID)
}

// copy adds the next copy.
func (j *joining) copy(c *part.Copy, at which) error {
	switch {
	case c.Sequence < j.s.Sequence || c.Sequence == j.s.Sequence && digestOrder(c.Digest, j.s.Digest) < 0:
		return nil
	case c.Sequence != j.s.Sequence || c.Digest != j.s.Digest:
		return j.without()
	}
	if err := j.yieldStatement(c, at.variant); err != nil {
		return err
	}
	return j.checkDistance(c.Sequence)
}

// series adds the next series.
func (j *joining) series(s *part.Series) error {
	for j.s.Sequence <= s.Last {
		if j.s.Sequence < s.First || j.s.Digest != s.Digest(j.s.Sequence) {
			return j.without()
		}
		s.Copy(j.s.Sequence, &j.of)
		j.of.Arrivals = s.Begins // of the same fidelity
		if err := j.yieldStatement(&j.of, 0); err != nil || j.s == nil {
			return cmp.Or(err, errFar)
		}
	}
	return j.checkDistance(s.Last)
}

// checkDistance returns errFar if no copy has to be read soon behind a sequence.
func (j *joining) checkDistance(sequence uint64) error {
	if j.s == nil || j.s.Sequence > sequence+farAhead {
		return errFar
	}
	return nil
}

// yieldStatement yields the next statement, whose copy is found.
func (j *joining) yieldStatement(c *part.Copy, variant int) error {
	j.v.setEvent(&j.typed.Event, j.v.numbers[j.log], c, which{variant: variant})
	if len(j.said)+len(j.s.Said) > cap(j.said) {
		j.said = make([]byte, 0, max(saidTogether, len(j.s.Said)))
	}
	n := len(j.said)
	j.said = append(j.said, j.s.Said...)
	j.typed.TransactionID, j.typed.Said = j.s.TransactionID, j.said[n:len(j.said):len(j.said)]
	if err := j.yield(&j.typed); err != nil {
		return err
	}
	return j.step()
}
