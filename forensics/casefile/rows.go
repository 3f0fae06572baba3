package casefile

import "github.com/svc-edge/svc-verify/chain"

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
func bindEvent(s *stmt, at int, r *eventRow) {
	s.int(at, r.id)
	bindCopy(s, at+1, r)
}

// bindCopy binds the columns that events and variants have in common.
func bindCopy(s *stmt, at int, r *eventRow) {
	a := r.arrival
	for i, h := range []*chain.Hash{&a.Line.Recorded, &a.Line.Link.Previous, &a.Line.Link.Skip, &a.Line.Link.Body} {
		s.blob(at+i, h[:])
	}
	s.blob(at+4, a.Line.Signature[:])
	s.int(at+5, r.key)
	s.int(at+6, r.typ)
	s.int(at+7, a.Line.OccurredAt)
	if len(a.Line.TransactionID) > 0 {
		s.textBytes(at+8, a.Line.TransactionID)
	} else {
		s.null(at + 8)
	}
	s.int(at+9, int64(a.Fidelity))
	s.optional(at+10, r.body.block)
	s.int(at+11, r.body.start)
	s.int(at+12, r.body.size)
	bindPlace(s, at+13, &deliveryRow{arrival: a, container: r.container, batch: r.batch})
}

// bindPlace binds container, offset, length, record, batch and observed_at.
func bindPlace(s *stmt, at int, d *deliveryRow) {
	s.int(at, d.container)
	s.int(at+1, d.arrival.Offset)
	s.int(at+2, d.arrival.Length)
	s.int(at+3, d.arrival.Record)
	s.optional(at+4, d.batch)
	s.optional(at+5, d.arrival.ObservedAt)
}

func bindDelivery(s *stmt, at int, d *deliveryRow) {
	s.int(at, int64(d.ref))
	bindPlace(s, at+1, d)
}
