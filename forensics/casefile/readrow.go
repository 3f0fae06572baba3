package casefile

import (
	"slices"

	"github.com/svc-edge/svc-verify/forensics/casefile/sqlite"
)

// rowFields is how many columns of events are read in place: up to the container.
const rowFields = 15

// readRow reads the next row of events that is asked for from its page. One that
// goes on in others, or that is not as every row should be, is left to the engine.
func (m *merge) readRow(e *Event) error {
	transaction := e.TransactionID // often that of the next event too
	for {
		*e = Event{TransactionID: transaction}
		row, record, more, err := m.tree.Next()
		if err != nil || !more {
			return err
		}
		if wanted, err := m.readRecord(row, record, e); wanted || err != nil {
			return err
		}
	}
}

// readRecord reads a row, and reports whether it is asked for.
func (m *merge) readRecord(row int64, record []byte, e *Event) (wanted bool, err error) {
	if !sqlite.ReadFields(record, m.row[:]) {
		return m.readLarge(row, e)
	}
	if typ, ok := m.row[7].Int(); ok && !m.wants(typ) {
		return false, nil
	}
	key, typ, ok := e.fill(m.row[:])
	rest, ok2 := restOf(m.row[:])
	if !ok || !ok2 {
		return m.readLarge(row, e)
	}
	e.Ref, m.packedRest = Ref(row), rest
	if m.bare {
		e.TransactionID = ""
	} else {
		e.Deliveries = 1
		if string(m.row[9].Bytes) != e.TransactionID {
			e.TransactionID = string(m.row[9].Bytes)
		}
	}
	return true, m.name(e, key, typ)
}

// wants reports whether events of a type are asked for.
func (m *merge) wants(typ int64) bool { return m.types == nil || slices.Contains(m.types, typ) }

// readLarge has the engine read a row, and reports whether it is asked for.
func (m *merge) readLarge(row int64, e *Event) (wanted bool, err error) {
	m.packed.Reset()
	m.packed.Bind(row, row)
	if err := m.readCopy(m.packed, e); err != nil {
		return false, err
	}
	if e.Ref == 0 {
		return false, sqlite.ErrDamaged
	}
	m.packedRest = readRest(m.packed)
	return m.wants(m.packed.Int(7)), nil
}

// fill sets what a row of events says of itself, without transaction id, and
// returns the numbers of its key id and type.
func (e *Event) fill(f []sqlite.Field) (key, typ int64, ok bool) {
	key, ok1 := f[6].Int()
	typ, ok2 := f[7].Int()
	at, ok3 := f[8].Int()
	fidelity, ok4 := f[10].Int()
	e.OccurredAt, e.Fidelity = at, Fidelity(fidelity)
	ok = f[1].CopyTo(e.Recorded[:]) && f[2].CopyTo(e.Link.Previous[:]) && f[3].CopyTo(e.Link.Skip[:]) &&
		f[4].CopyTo(e.Link.Body[:]) && f[5].CopyTo(e.Signature[:])
	return key, typ, ok && ok1 && ok2 && ok3 && ok4
}

// restOf returns what a row of events has beside its event.
func restOf(f []sqlite.Field) (r rest, ok bool) {
	block, ok1 := f[11].Int()
	start, ok2 := f[12].Int()
	size, ok3 := f[13].Int()
	container, ok4 := f[14].Int()
	null := f[11].Null() // by reference
	return rest{bodyPlace{block, start, size}, container}, (ok1 || null) && ok2 && ok3 && ok4
}

// readRest returns the same of a row that the engine stands at.
func readRest(s *sqlite.Stmt) rest {
	return rest{bodyPlace{s.Int(restColumn), s.Int(restColumn + 1), s.Int(restColumn + 2)}, s.Int(restColumn + 3)}
}
