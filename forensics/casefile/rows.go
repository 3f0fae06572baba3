package casefile

import (
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/casefile/sqlite"
)

// eventRow is one row of events, and the last columns of one of variants.
type eventRow struct {
	id        int64
	arrival   *Arrival
	key, typ  int64
	container int64
	batch     int64 // 0: none
	body      bodyPlace
}

// deliveryRow is one row of deliveries.
type deliveryRow struct {
	ref       Ref
	arrival   *Arrival
	container int64
	batch     int64
}

// bindEvent binds the columns of events from the given parameter on.
func bindEvent(s *sqlite.Stmt, at int, r *eventRow) {
	s.BindInt(at, r.id)
	bindCopy(s, at+1, r)
}

// bindCopy binds the columns that events and variants have in common.
func bindCopy(s *sqlite.Stmt, at int, r *eventRow) {
	a := r.arrival
	for i, h := range []*chain.Hash{&a.Line.Recorded, &a.Line.Link.Previous, &a.Line.Link.Skip, &a.Line.Link.Body} {
		s.BindBlob(at+i, h[:])
	}
	s.BindBlob(at+4, a.Line.Signature[:])
	s.BindInt(at+5, r.key)
	s.BindInt(at+6, r.typ)
	s.BindInt(at+7, a.Line.OccurredAt)
	if len(a.Line.TransactionID) > 0 {
		s.BindTextBytes(at+8, a.Line.TransactionID)
	} else {
		s.BindNull(at + 8)
	}
	s.BindInt(at+9, int64(a.Fidelity))
	s.BindOptional(at+10, r.body.block)
	s.BindInt(at+11, r.body.start)
	s.BindInt(at+12, r.body.size)
	bindPlace(s, at+13, &deliveryRow{arrival: a, container: r.container, batch: r.batch})
}

// bindPlace binds container, offset, length, record, batch and observed_at.
func bindPlace(s *sqlite.Stmt, at int, d *deliveryRow) {
	s.BindInt(at, d.container)
	s.BindInt(at+1, d.arrival.Offset)
	s.BindInt(at+2, d.arrival.Length)
	s.BindInt(at+3, d.arrival.Record)
	s.BindOptional(at+4, d.batch)
	s.BindOptional(at+5, d.arrival.ObservedAt)
}

func bindDelivery(s *sqlite.Stmt, at int, d *deliveryRow) {
	s.BindInt(at, int64(d.ref))
	bindPlace(s, at+1, d)
}
