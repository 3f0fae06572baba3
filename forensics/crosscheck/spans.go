package crosscheck

import (
	"context"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
)

// span is neighbouring sequences of a log with copies of the same kinds in the same
// containers.
type span struct {
	first, last uint64
	ref         facts.Ref // of the first copy of the first one
	makeup      *makeup
}

// makeup records the copies of a sequence, and where they are.
type makeup struct{ kinds []kind }

// kind is one copy of a sequence.
type kind struct {
	state      State
	genuine    bool    // it is, or nothing contradicts it
	containers []int64 // that hold it
}

func (k kind) equal(o kind) bool {
	return k.state == o.state && k.genuine == o.genuine && slices.Equal(k.containers, o.containers)
}

// containers returns the containers that hold a copy of such a sequence.
func (p *makeup) containers() []int64 {
	var all []int64
	for _, k := range p.kinds {
		all = append(all, k.containers...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// spanReader makes spans of the copies of a log.
type spanReader struct {
	h     *holdings
	log   facts.Log
	spine *spine // nil if not needed
	yield func(span) error

	row    span          // the present one; its first is 0 if there is none
	copies []facts.Event // of a sequence that has several
	held   [][]int64     // where each of them is
}

func (r *spanReader) readLog(ctx context.Context) error {
	for p, err := range r.h.in.Stretches(ctx, r.log, 1) {
		if err == nil && p.Series != nil {
			err = r.series(ctx, p.Series)
		} else if err == nil {
			err = r.addCopy(ctx, p)
		}
		if err != nil {
			return err
		}
	}
	if err := r.endCopies(ctx); err != nil {
		return err
	}
	return r.endLog()
}

// addCopy adds a copy.
func (r *spanReader) addCopy(ctx context.Context, p facts.Stretch) error {
	if p.Variant == 0 {
		if err := r.endCopies(ctx); err != nil {
			return err
		}
	}
	if p.Copies > 1 {
		r.copies, r.held = append(r.copies, *p.Event), append(r.held, slices.Clone(p.Containers))
		return nil
	}
	if r.spine != nil {
		valid, _ := r.h.decideKnown(r.log, p.Event)
		r.spine.addOne(p.Event, valid)
	}
	return r.addSequence(p.Event, kind{Present, true, p.Containers})
}

// series adds a series.
func (r *spanReader) series(ctx context.Context, s *facts.Series) error {
	if err := r.endCopies(ctx); err != nil {
		return err
	}
	if r.spine != nil {
		r.spine.addSeries(s)
	}
	err := r.addSequence(&s.First, kind{Present, true, s.Containers})
	r.row.last = s.Last.Link.Sequence
	return err
}

// endCopies ends a sequence of several copies.
func (r *spanReader) endCopies(ctx context.Context) error {
	if len(r.copies) == 0 {
		return nil
	}
	if r.spine != nil {
		r.spine.addCopies(r.copies)
	}
	kinds, err := r.kinds(ctx)
	if err == nil {
		if r.spine != nil && !r.goesOn(&r.copies[0], kinds) {
			r.histories(kinds)
		}
		err = r.addSequence(&r.copies[0], kinds...)
	}
	r.copies, r.held = r.copies[:0], r.held[:0]
	return err
}

// mostHistories bounds the events of one log that are kept to tell which store
// holds which history.
const mostHistories = 256

// heldHistory is an event with another one of its sequence that holds, or may, and the
// containers that hold it.
type heldHistory struct {
	History
	containers []int64
}

// histories keeps which container holds which of several events that all hold.
func (r *spanReader) histories(kinds []kind) {
	for i, k := range kinds {
		if all := r.h.histories[r.log]; k.state == Differs && len(all) < mostHistories {
			one := heldHistory{History{Sequence: r.copies[i].Link.Sequence, Hash: r.copies[i].Recorded.String()}, k.containers}
			r.h.histories[r.log] = append(all, one)
		}
	}
}

// goesOn reports whether a sequence has copies like the row before it.
func (r *spanReader) goesOn(e *facts.Event, kinds []kind) bool {
	return r.row.first > 0 && r.row.last == e.Link.Sequence-1 && slices.EqualFunc(r.row.makeup.kinds, kinds, kind.equal)
}

// addSequence continues with the next sequence.
func (r *spanReader) addSequence(e *facts.Event, kinds ...kind) error {
	n := e.Link.Sequence
	if r.goesOn(e, kinds) {
		r.row.last = n
		return nil
	}
	if err := r.endLog(); err != nil {
		return err
	}
	r.row = span{n, n, e.Ref, r.h.makeup(kinds)}
	return nil
}

func (r *spanReader) endLog() error {
	if r.row.first == 0 {
		return nil
	}
	return r.yield(r.row)
}

// kinds returns the kind of each copy of a sequence, where there are several: only then is one
// compared with its signature.
func (r *spanReader) kinds(ctx context.Context) ([]kind, error) {
	valid, sound := make([]bool, len(r.copies)), 0
	for i := range r.copies {
		var err error
		if valid[i], err = r.h.isGenuine(r.log, &r.copies[i]); err != nil {
			return nil, err
		}
		if valid[i] {
			sound++
		}
	}
	all := make([]kind, len(r.copies))
	for i := range r.copies {
		k := kind{Present, false, r.held[i]}
		switch {
		case valid[i] && sound == 1:
			k.genuine = true
		case r.copies[i].Fidelity == facts.Lossy && !valid[i]:
			var err error
			if k.state, err = r.lossy(ctx, r.copies[i], valid); err != nil {
				return nil, err
			}
		case sound == 1:
			k.state = Altered
		default:
			k.state = Differs
		}
		all[i] = k
	}
	return all, nil
}

// lossy returns the state of a copy in which a transport lost something. It is Lossy if no
// genuine copy is here, or if the loss explains how it differs from one; Differs if there are
// several genuine copies; and otherwise Altered.
func (r *spanReader) lossy(ctx context.Context, e facts.Event, valid []bool) (State, error) {
	if !slices.Contains(valid, true) {
		return Lossy, nil
	}
	sound := 0
	for i, v := range r.copies {
		if !valid[i] {
			continue
		}
		sound++
		if explains, err := r.h.in.Explains(ctx, v.Ref, e.Ref); explains || err != nil {
			return Lossy, err
		}
	}
	if sound > 1 {
		return Differs, nil
	}
	return Altered, nil
}
