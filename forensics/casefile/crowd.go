package casefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Copy returns one copy of an event, without its transaction id and its number of
// deliveries. It reads no other copy of the sequence.
func (c *Case) Copy(ctx context.Context, ref facts.Ref) (e facts.Event, err error) {
	query, number := ofEvents(eventColumns, "event = ?"), int64(ref)
	if ref < 0 {
		query, number = ofVariants("0", "variant = ?"), -number
	}
	if err := ctx.Err(); err != nil {
		return e, err
	}
	err = c.read(func(r *sqlite.Conn) error {
		s, err := r.Take(query)
		if err != nil {
			return err
		}
		defer r.Keep(s)
		s.Bind(number)
		m := &merge{c: c, r: r, bare: true}
		if err := m.readCopy(s, &e); err != nil {
			return err
		}
		if e.Ref == 0 {
			return fmt.Errorf("the case no longer holds the event of row %d", ref)
		}
		if e.Link.Sequence = uint64(ref) & maxSequence; ref < 0 {
			e.Link.Sequence = uint64(s.Int(colSequence))
		}
		return nil
	})
	return e, err
}

// yieldSame yields all copies of the sequence of the next variant, ascending by
// digest. It holds none but the next: there can be any number.
func (m *merge) yieldSame(ctx context.Context, yield func(*facts.Event, error) bool) error {
	n := m.nextVariant.Link.Sequence
	copies, err := m.countCopies(n)
	if err != nil {
		return err
	}
	packed := m.nextPacked.Digest()
	for i := 0; ofSequence(&m.nextPacked, n) || ofSequence(&m.nextVariant, n); i++ {
		if i%contextEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e, step := &m.nextVariant, m.stepVariant
		if ofSequence(&m.nextPacked, n) && (!ofSequence(e, n) || bytes.Compare(packed[:], m.digest) < 0) {
			e, step = &m.nextPacked, m.stepPacked
		}
		if err := m.count(e); err != nil {
			return err
		}
		e.Variant, e.Copies = i, copies
		if !yield(e, nil) {
			return errStop
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// ofSequence reports whether an event is there, and of a sequence.
func ofSequence(e *facts.Event, sequence uint64) bool {
	return e.Ref != 0 && e.Link.Sequence == sequence
}

// countCopies returns how many copies the sequence of the next variant has.
func (m *merge) countCopies(sequence uint64) (int, error) {
	if m.copies == nil {
		return 0, nil
	}
	defer m.copies.Reset()
	m.copies.Bind(m.log, int64(sequence))
	if _, err := m.copies.Step(); err != nil {
		return 0, err
	}
	n := int(m.copies.Int(0))
	if ofSequence(&m.nextPacked, sequence) {
		n++
	}
	return n, nil
}

// stepVariant reads the next variant that is asked for. They come by the digests
// that are kept, so that these are compared with the copies.
func (m *merge) stepVariant() error {
	for {
		err := m.readCopy(m.variants, &m.nextVariant)
		if m.nextVariant.Ref == 0 {
			return err
		}
		m.nextVariant.Link.Sequence = uint64(m.variants.Int(colSequence))
		m.nextVariant.Deliveries += m.variants.Int(colDeliveries)
		m.digest = m.variants.Blob(colDigest)
		if own := m.nextVariant.Digest(); err == nil && !bytes.Equal(own[:], m.digest) {
			err = errWrongDigest
		}
		if m.tree != nil {
			m.variantRest.ofRow(m.variants)
		}
		if err != nil || m.wants(m.variants.Int(colType)) {
			return err
		}
	}
}

// errWrongDigest is what is wrong with a variant whose digest is not its own.
var errWrongDigest = errors.New("the case is damaged: a copy of an event is kept under the digest of another")
