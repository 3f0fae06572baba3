package store

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"math"
	"slices"
)

// copyColumns are the columns that events and variants have in common, as
// readCopy wants them.
const copyColumns = "hash, previous, skip, body, signature, key, type, occurred_at, transaction_id, fidelity"

// Events yields every copy of the events of a log whose sequence is at least
// from and at most to, ascending by sequence and digest.
func (c *Case) Events(ctx context.Context, log Log, from, to uint64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		err := c.read(func(r *conn) error {
			m, err := c.merge(r, log.Number, from, to)
			if err != nil {
				return err
			}
			defer m.close()
			return m.run(ctx, yield)
		})
		if err != nil && err != errStop {
			yield(Event{}, err)
		}
	}
}

// Transaction returns the copies of the events about a transaction, ascending
// by log, sequence and digest.
func (c *Case) Transaction(ctx context.Context, id string) ([]Event, error) {
	logs, err := c.Logs(ctx)
	if err != nil {
		return nil, err
	}
	var all []Event
	for _, log := range logs {
		const query = `SELECT event & ? FROM events WHERE transaction_id = ? AND event BETWEEN ? AND ?
			UNION SELECT sequence FROM variants WHERE transaction_id = ? AND log = ? ORDER BY 1`
		first := log.Number << sequenceBits
		sequences, err := collect(rows(ctx, c, ask(query, int64(maxSequence), id, first, first|maxSequence, id, log.Number),
			func(s *stmt) (uint64, error) { return uint64(s.columnInt(0)), nil }))
		if err != nil {
			return nil, err
		}
		for _, n := range sequences {
			for e, err := range c.Events(ctx, log, n, n) {
				if err != nil {
					return nil, err
				}
				if e.TransactionID == id {
					all = append(all, e)
				}
			}
		}
	}
	return all, nil
}

// merge reads events, variants and the counts of deliveries side by side.
type merge struct {
	c          *Case
	r          *conn
	packed     *stmt // events
	variants   *stmt
	deliveries *stmt // of rows of events

	nextPacked, nextVariant Event // valid if Ref is not 0
	counted                 Ref   // the row that deliveries stands at; 0: at its end
}

func (c *Case) merge(r *conn, log int64, from, to uint64) (*merge, error) {
	m := &merge{c: c, r: r}
	err := r.prepareAll(map[**stmt]string{
		&m.packed: "SELECT event, " + copyColumns + " FROM events WHERE event BETWEEN ? AND ? ORDER BY event",
		&m.variants: "SELECT -variant, " + copyColumns + `, sequence, (SELECT count(*) FROM deliveries WHERE event = -variant)
			FROM variants WHERE log = ? AND sequence BETWEEN ? AND ? ORDER BY sequence`,
		&m.deliveries: "SELECT event, count(*) FROM deliveries WHERE event BETWEEN ? AND ? GROUP BY event ORDER BY event",
	})
	if err != nil {
		m.close()
		return nil, err
	}
	m.variants.bind(log, int64(min(from, math.MaxInt64)), int64(min(to, math.MaxInt64)))
	first, last := int64(1), int64(0) // nothing
	if log <= maxLog && from <= maxSequence {
		first, last = log<<sequenceBits|int64(from), log<<sequenceBits|int64(min(to, maxSequence))
	}
	m.packed.bind(first, last)
	m.deliveries.bind(first, last)
	return m, nil
}

func (m *merge) close() { closeAll(m.packed, m.variants, m.deliveries) }

// run yields the copies, those of one sequence together.
func (m *merge) run(ctx context.Context, yield func(Event, error) bool) error {
	if err := errors.Join(m.stepPacked(), m.stepVariant(), m.stepDeliveries()); err != nil {
		return err
	}
	var same []Event
	for m.nextPacked.Ref != 0 || m.nextVariant.Ref != 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if same, err = m.sequence(same[:0]); err != nil {
			return err
		}
		for i := range same {
			same[i].Variant = i
			if !yield(same[i], nil) {
				return errStop
			}
		}
	}
	return nil
}

// sequence reads all copies of the lowest sequence that is left.
func (m *merge) sequence(same []Event) ([]Event, error) {
	n := m.nextPacked.Link.Sequence
	if m.nextPacked.Ref == 0 || m.nextVariant.Ref != 0 && m.nextVariant.Link.Sequence < n {
		n = m.nextVariant.Link.Sequence
	}
	for m.nextPacked.Ref != 0 && m.nextPacked.Link.Sequence == n {
		same = append(same, m.nextPacked)
		if err := m.stepPacked(); err != nil {
			return nil, err
		}
	}
	for m.nextVariant.Ref != 0 && m.nextVariant.Link.Sequence == n {
		same = append(same, m.nextVariant)
		if err := m.stepVariant(); err != nil {
			return nil, err
		}
	}
	if len(same) > 1 {
		slices.SortFunc(same, func(a, b Event) int {
			x, y := a.Digest(), b.Digest()
			return bytes.Compare(x[:], y[:])
		})
	}
	return same, m.count(same)
}

// count adds the deliveries of those copies that are rows of events.
func (m *merge) count(same []Event) error {
	for i := range same {
		for m.counted != 0 && same[i].Ref > 0 && m.counted < same[i].Ref {
			if err := m.stepDeliveries(); err != nil {
				return err
			}
		}
		if m.counted != 0 && m.counted == same[i].Ref {
			same[i].Deliveries += m.deliveries.columnInt(1)
		}
	}
	return nil
}

func (m *merge) stepDeliveries() error {
	more, err := m.deliveries.step()
	m.counted = 0
	if more {
		m.counted = Ref(m.deliveries.columnInt(0))
	}
	return err
}

func (m *merge) stepPacked() error {
	err := m.c.readCopy(m.r, m.packed, &m.nextPacked)
	m.nextPacked.Link.Sequence = uint64(m.nextPacked.Ref) & maxSequence
	return err
}

func (m *merge) stepVariant() error {
	err := m.c.readCopy(m.r, m.variants, &m.nextVariant)
	if m.nextVariant.Ref != 0 {
		m.nextVariant.Link.Sequence = uint64(m.variants.columnInt(11))
		m.nextVariant.Deliveries += m.variants.columnInt(12)
	}
	return err
}

// readCopy reads the next row: its Ref, then copyColumns. At the end the Ref
// is 0.
func (c *Case) readCopy(r *conn, s *stmt, e *Event) error {
	*e = Event{}
	more, err := s.step()
	if err != nil || !more {
		return err
	}
	*e = Event{Ref: Ref(s.columnInt(0)), Recorded: hashOf(s.columnBlob(1)), OccurredAt: s.columnInt(8),
		TransactionID: s.columnText(9), Fidelity: Fidelity(s.columnInt(10)), Deliveries: 1}
	e.Link.Previous, e.Link.Skip, e.Link.Body = hashOf(s.columnBlob(2)), hashOf(s.columnBlob(3)), hashOf(s.columnBlob(4))
	copy(e.Signature[:], s.columnBlob(5))
	if e.KeyID, err = c.word(r, s.columnInt(6)); err != nil {
		return err
	}
	e.Type, err = c.word(r, s.columnInt(7))
	return err
}
