package casefile

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Arrivals tells how evidence came into a case: from which sources and containers,
// in which batches, and when.
type Arrivals struct{ c *Case }

// Arrivals returns a view of how the evidence came into the case.
func (c *Case) Arrivals() Arrivals { return Arrivals{c} }

// Arrived is one arrival of a copy of an event.
type Arrived struct {
	Ref        facts.Ref
	Sequence   uint64
	OccurredAt int64          // milliseconds since 1970, by the clock of the log's owner
	ObservedAt int64          // nanoseconds since 1970, by the clock of a collector; 0 if unknown
	Fidelity   facts.Fidelity // the best of all arrivals of the copy
	Container  int64          // as in [Arrivals.Containers]
	Source     int64
	Record     int64
	Batch      int64 // equal for equal batch ids; 0 without any
	HeldBy     int64 // the source whose file holds the event; 0 if the case does
	Several    bool  // this very copy arrived more than once
	Offset     int64
	Rank       int64 // of the source among all, by content
}

// Of yields the arrivals of a log by sequence, ascending. Arrivals of one sequence
// come together, in the order of their places, which does not depend on how the
// case was filled. The slice is valid until the next one.
func (v Arrivals) Of(ctx context.Context, log Log) iter.Seq2[[]Arrived, error] {
	return func(yield func([]Arrived, error) bool) {
		a, err := openArrivals(ctx, v.c, log)
		defer a.close()
		if err != nil {
			yield(nil, err)
			return
		}
		var same []Arrived
		for first, err := range a.packed(ctx, v.c, log) {
			if err == nil {
				same, err = a.gather(append(same[:0], first), first.Sequence)
			}
			if !yield(same, err) || err != nil {
				return
			}
		}
		for n := a.lowest(); n > 0; n = a.lowest() { // those that no packed row has room for
			same, err = a.gather(same[:0], n)
			if !yield(same, err) || err != nil {
				return
			}
		}
	}
}

// arrivals reads what there is of a log beside its packed rows: further copies,
// and further arrivals of all copies.
type arrivals struct {
	places map[int64][2]int64 // of each container: its source, and where that comes among all
	others []*following
}

// following is a stream of arrivals, of which one is read ahead.
type following struct {
	next  func() (Arrived, error, bool)
	stop  func()
	ahead Arrived // nothing, if its Ref is 0
}

func (f *following) step() error {
	next, err, ok := f.next()
	if f.ahead = next; !ok {
		f.ahead = Arrived{}
	}
	return err
}

func openArrivals(ctx context.Context, c *Case, log Log) (*arrivals, error) {
	a := &arrivals{places: map[int64][2]int64{}}
	const order = "SELECT container, source FROM containers JOIN sources s USING (source) " +
		"ORDER BY coalesce(s.sha256, s.read_sha256), source"
	rank, last := int64(0), int64(0)
	read := func(s *sqlite.Stmt) ([2]int64, error) { return [2]int64{s.Int(0), s.Int(1)}, nil }
	for row, err := range rows(ctx, c, ask(order), read) {
		if err != nil {
			return a, err
		}
		if row[1] != last {
			rank, last = rank+1, row[1]
		}
		a.places[row[0]] = [2]int64{row[1], rank}
	}
	const (
		again = `SELECT event & 0xffffffffff, event, container, record, offset, observed_at, batch
			FROM deliveries WHERE event BETWEEN ? AND ? ORDER BY event`
		theirs = `SELECT v.sequence, d.event, d.container, d.record, d.offset, d.observed_at, d.batch
			FROM variants v CROSS JOIN deliveries d ON d.event = -v.variant WHERE v.log = ? ORDER BY v.sequence`
	)
	a.follow(rows(ctx, c, ask(ofVariants("0", "log = ?"), log.Number), a.readCopy))
	a.follow(rows(ctx, c, askLog(again, log), a.readAgain))
	a.follow(rows(ctx, c, ask(theirs, log.Number), a.readAgain))
	var err error
	for _, f := range a.others {
		err = errors.Join(err, f.step())
	}
	return a, err
}

func (a *arrivals) follow(rows iter.Seq2[Arrived, error]) {
	f := &following{}
	f.next, f.stop = iter.Pull2(rows)
	a.others = append(a.others, f)
}

func (a *arrivals) close() {
	for _, f := range a.others {
		f.stop()
	}
}

// lowest returns the lowest sequence that is read ahead; 0 if nothing is.
func (a *arrivals) lowest() (n uint64) {
	for _, f := range a.others {
		if f.ahead.Ref != 0 && (n == 0 || f.ahead.Sequence < n) {
			n = f.ahead.Sequence
		}
	}
	return n
}

// gather adds the other arrivals of a sequence to that of its packed row.
func (a *arrivals) gather(same []Arrived, sequence uint64) ([]Arrived, error) {
	for _, f := range a.others {
		for f.ahead.Ref != 0 && f.ahead.Sequence <= sequence {
			if f.ahead.Sequence == sequence {
				same = append(same, f.ahead)
			}
			if err := f.step(); err != nil {
				return same, err
			}
		}
	}
	if len(same) > 1 {
		Arrange(same)
	}
	return same, nil
}

// Arrange says of the further arrivals of a sequence what is known of their copies,
// which only one arrival of each copy need say, and puts all of them in the order of
// their places.
func Arrange(same []Arrived) {
	slices.SortFunc(same, func(a, b Arrived) int {
		return cmp.Or(cmp.Compare(a.Ref, b.Ref), -cmp.Compare(a.Fidelity, b.Fidelity)) // the copy itself first
	})
	for i := range same[1:] {
		before, a := &same[i], &same[i+1]
		if a.Fidelity == 0 {
			a.OccurredAt, a.Fidelity, a.HeldBy = before.OccurredAt, before.Fidelity, before.HeldBy
		}
		if a.Ref == before.Ref {
			a.Several, before.Several = true, true
		}
	}
	slices.SortFunc(same, func(a, b Arrived) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Record, b.Record), cmp.Compare(a.Offset, b.Offset))
	})
}

// readCopy reads the first arrival of a variant.
func (a *arrivals) readCopy(s *sqlite.Stmt) (one Arrived, err error) {
	byReference := one.ofRow(s)
	one.Ref, one.Sequence = facts.Ref(s.Int(colEvent)), uint64(s.Int(colSequence))
	a.locate(&one, byReference)
	return one, nil
}

// readAgain reads a further arrival.
func (a *arrivals) readAgain(s *sqlite.Stmt) (Arrived, error) {
	one := Arrived{Sequence: uint64(s.Int(0)), Ref: facts.Ref(s.Int(1)), Container: s.Int(2), Record: s.Int(3),
		Offset: s.Int(4), ObservedAt: s.Int(5), Batch: s.Int(6)}
	a.locate(&one, false)
	return one, nil
}

// locate says in which source an arrival is.
func (a *arrivals) locate(one *Arrived, byReference bool) {
	in := a.places[one.Container]
	if one.Source, one.Rank = in[0], in[1]; byReference {
		one.HeldBy = one.Source
	}
}

// Later pairs the second and later arrivals of each copy with its first one.
func Later(same []Arrived) iter.Seq2[Arrived, Arrived] {
	return func(yield func(first, later Arrived) bool) {
		if len(same) == 1 {
			return
		}
		first := map[facts.Ref]Arrived{} // of those that have a later one: copies that differ can be any number
		for _, a := range same {
			if !a.Several {
				continue
			}
			if f, again := first[a.Ref]; !again {
				first[a.Ref] = a
			} else if !yield(f, a) {
				return
			}
		}
	}
}
