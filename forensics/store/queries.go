package store

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/partview"
)

// Queries answers people's questions about a store, other than those that a verdict needs.
// Numbers and references are valid in its view. Any number of goroutines may ask at once.
// Yielded values may be kept. When the context is done, the last error of an iterator is the
// context's.
type Queries struct {
	f *File
	v *partview.View

	// Bounds, which tests change.
	most   ahead
	shares int // of batches, that are held at once
}

// NewQueries returns the queries over a view of an open store. Both must stay open.
func NewQueries(f *File, v *partview.View) *Queries {
	return &Queries{f: f, v: v, most: usualAhead, shares: mostShares}
}

// mostHeld bounds the copies of one sequence that are held until one of them is selected. A
// larger crowd is looked through first.
const mostHeld = 16

// Select yields all copies of every sequence that has a matching copy, ascending by tenant,
// log, sequence and digest. It includes copies that do not match, because an examiner of an
// event needs to see the other claims to its sequence.
func (q *Queries) Select(ctx context.Context, f Filter) iter.Seq2[Selected, error] {
	return q.inLogs(ctx, f, func(log facts.Log, yield func(Selected) error) error {
		s := q.selectionOf(ctx, log, f)
		return s.eachCopy(yield)
	})
}

// Count returns how many events [Queries.Select] yields, whatever copies they have. It reads
// no more than it needs for that.
func (q *Queries) Count(ctx context.Context, f Filter) (n int, err error) {
	logs, err := q.v.Logs(ctx)
	for _, log := range logs {
		if err == nil && f.Wants(log) {
			var in int
			in, err = q.selectionOf(ctx, log, f).countAll()
			n += in
		}
	}
	return n, err
}

// Headers yields of each event that [Queries.Select] yields the first copy that the filter
// selects, without its body.
func (q *Queries) Headers(ctx context.Context, f Filter) iter.Seq2[Header, error] {
	return evidence.Stream(func(yield func(Header) error) error {
		logs, err := q.v.Logs(ctx)
		for _, log := range logs {
			if err == nil && f.Wants(log) {
				err = q.selectionOf(ctx, log, f).eachHeader(func(c *part.Copy) error {
					return yield(Header{log, c.Sequence, c.OccurredAt, c.Type})
				})
			}
		}
		return err
	})
}

// countAll counts the events that are selected.
func (s *selection) countAll() (n int, err error) {
	if s.wants == nil {
		for p, err := range s.q.Present(s.ctx, s.log) {
			if err != nil {
				return 0, err
			}
			if p.First, p.Last = max(p.First, s.in.First), min(p.Last, s.in.Last); p.First <= p.Last {
				n += int(p.Count())
			}
		}
		return n, nil
	}
	if s.needsScan() {
		return s.countScanned()
	}
	err = s.eachHeader(func(*part.Copy) error {
		n++
		return nil
	})
	return n, err
}

// eachHeader calls f with the first wanted copy of each event.
func (s *selection) eachHeader(f func(*part.Copy) error) error {
	for in, err := range s.ranges() {
		if err == nil {
			err = s.eachHeaderIn(in, f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eachHeaderIn does so in a stretch.
func (s *selection) eachHeaderIn(in evidence.Stretch, f func(*part.Copy) error) error {
	last := uint64(0) // that was wanted; sequences begin at 1
	for c, err := range s.q.f.Content.Copies(s.ctx, s.log, in.First) {
		if err != nil {
			return err
		}
		if c.Sequence > in.Last {
			break
		}
		wanted := c.Sequence != last
		if wanted && s.wants != nil {
			wanted, err = s.wants(c)
		}
		if err == nil && wanted {
			last = c.Sequence
			err = f(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Find yields the copies of events that have a hash written in them, and all others of their
// sequences. It reads every event of the store.
func (q *Queries) Find(ctx context.Context, hash [32]byte) iter.Seq2[Selected, error] {
	return q.inLogs(ctx, Filter{}, func(log facts.Log, yield func(Selected) error) error {
		s := q.selectionOf(ctx, log, Filter{})
		s.wants = func(c *part.Copy) (bool, error) { return c.Recorded == hash, nil }
		return s.eachCopy(yield)
	})
}

// inLogs yields the results of one for each log that a filter wants.
func (q *Queries) inLogs(ctx context.Context, f Filter,
	one func(facts.Log, func(Selected) error) error) iter.Seq2[Selected, error] {
	return evidence.Stream(func(yield func(Selected) error) error {
		logs, err := q.v.Logs(ctx)
		for _, log := range logs {
			if err == nil && f.Wants(log) {
				err = one(log, yield)
			}
		}
		return err
	})
}

// selection selects copies of one log.
type selection struct {
	ctx    context.Context
	q      *Queries
	log    facts.Log
	filter Filter
	in     evidence.Stretch
	about  string // the transaction that copies must be about; "" for any
	scan   *scan  // nil if no body has to be read to tell which are wanted

	// wants reports whether a copy selects its sequence. Nil is for all.
	wants func(*part.Copy) (bool, error)

	rows   bodyRows
	held   []Selected // of one sequence
	wanted bool       // its sequence
}

// selectionOf returns the selection of a filter, of a log that it wants.
func (q *Queries) selectionOf(ctx context.Context, log facts.Log, f Filter) *selection {
	s := &selection{ctx: ctx, q: q, log: log, filter: f, rows: bodyRows{read: q.f.bodies}}
	s.in.First, s.in.Last = f.Bounds()
	s.about = f.TransactionID
	if f.ByContent() || !f.From.IsZero() || !f.To.IsZero() {
		m := newMatcher(f)
		if m.needsBody() {
			s.scan = &scan{}
		}
		s.wants = func(c *part.Copy) (bool, error) {
			if !m.matchesHeader(c) {
				return false, nil
			}
			if !m.needsBody() {
				return true, nil
			}
			k, _, err := s.rows.kept(c)
			if err != nil {
				return false, err
			}
			return m.matchesBody(log, c, &k)
		}
	}
	return s
}

// eachCopy yields the copies that are selected.
func (s *selection) eachCopy(yield func(Selected) error) error {
	for in, err := range s.ranges() {
		if err == nil {
			err = s.q.v.EachCopy(s.ctx, s.log, in, func(c partview.Copy) error { return s.addCopy(c, yield) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addCopy adds the next copy.
func (s *selection) addCopy(c partview.Copy, yield func(Selected) error) (err error) {
	crowd := c.Copies > mostHeld
	switch {
	case c.Variant == 0 && s.wants == nil:
		s.wanted = true
	case s.needsScan():
		_, s.wanted = slices.BinarySearch(s.scan.found, c.Sequence)
	case c.Variant == 0 && crowd:
		s.wanted, err = s.anyWanted(c.Sequence)
	case c.Variant == 0 || !crowd && !s.wanted:
		s.wanted, err = s.wants(c.Copy)
	}
	if err != nil {
		return err
	}
	if !s.wanted && (crowd || c.Copies == 1) {
		return nil
	}
	one, err := s.selected(c)
	if err != nil {
		return err
	}
	if crowd || c.Copies == 1 {
		return yield(one)
	}
	if s.held = append(s.held, one); c.Variant < c.Copies-1 {
		return nil
	}
	if s.wanted {
		for i := range s.held {
			if err := yield(s.held[i]); err != nil {
				return err
			}
		}
	}
	s.held = s.held[:0]
	return nil
}

// anyWanted reports whether any copy of a sequence is wanted.
func (s *selection) anyWanted(sequence uint64) (wanted bool, err error) {
	err = s.q.v.EachCopy(s.ctx, s.log, evidence.Stretch{First: sequence, Last: sequence}, func(c partview.Copy) error {
		if wanted, err = s.wants(c.Copy); err == nil && wanted {
			err = evidence.ErrStop
		}
		return err
	})
	if err == evidence.ErrStop {
		err = nil
	}
	return wanted, err
}

// selected returns a copy with all that is known of it.
func (s *selection) selected(c partview.Copy) (Selected, error) {
	out := Selected{Log: s.log, Found: s.q.v.FirstPlace(c.Copy)}
	out.Kept.Size, out.Kept.Digest = c.Size, c.Digest
	k, octets, err := s.rows.kept(c.Copy)
	if err != nil {
		return out, err
	}
	out.Kept.Body = bytes.Clone(octets[:min(int64(len(octets)), event.SaltSize+c.Size)])
	out.Event = s.q.v.EventOf(s.log, c)
	out.TransactionID = string(k.transaction)
	return out, nil
}
