package casefile

import "slices"

// rowFields is how many columns of events are read in place: up to the container.
const rowFields = 15

// readRow reads the next row of events that is asked for from its page. One that
// goes on in others, or that is not as every row should be, is left to the engine.
func (m *merge) readRow(e *Event) error {
	transaction := e.TransactionID // often that of the next event too
	for {
		*e = Event{TransactionID: transaction}
		row, record, more, err := m.tree.next()
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
	if !readFields(record, m.row[:]) {
		return m.readLarge(row, e)
	}
	if typ, ok := m.row[7].integer(); ok && !m.wants(typ) {
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
		if string(m.row[9].bytes) != e.TransactionID {
			e.TransactionID = string(m.row[9].bytes)
		}
	}
	return true, m.name(e, key, typ)
}

// wants reports whether events of a type are asked for.
func (m *merge) wants(typ int64) bool { return m.types == nil || slices.Contains(m.types, typ) }

// readLarge has the engine read a row, and reports whether it is asked for.
func (m *merge) readLarge(row int64, e *Event) (wanted bool, err error) {
	m.packed.reset()
	m.packed.bind(row, row)
	if err := m.readCopy(m.packed, e); err != nil {
		return false, err
	}
	if e.Ref == 0 {
		return false, errDamaged
	}
	m.packedRest = readRest(m.packed)
	return m.wants(m.packed.columnInt(7)), nil
}

// fill sets what a row of events says of itself, without transaction id, and
// returns the numbers of its key id and type.
func (e *Event) fill(f []field) (key, typ int64, ok bool) {
	key, ok1 := f[6].integer()
	typ, ok2 := f[7].integer()
	at, ok3 := f[8].integer()
	fidelity, ok4 := f[10].integer()
	e.OccurredAt, e.Fidelity = at, Fidelity(fidelity)
	ok = f[1].copyTo(e.Recorded[:]) && f[2].copyTo(e.Link.Previous[:]) && f[3].copyTo(e.Link.Skip[:]) &&
		f[4].copyTo(e.Link.Body[:]) && f[5].copyTo(e.Signature[:])
	return key, typ, ok && ok1 && ok2 && ok3 && ok4
}

// restOf returns what a row of events has beside its event.
func restOf(f []field) (r rest, ok bool) {
	block, ok1 := f[11].integer()
	start, ok2 := f[12].integer()
	size, ok3 := f[13].integer()
	container, ok4 := f[14].integer()
	null := f[11].serial == 0 // by reference
	return rest{bodyPlace{block, start, size}, container}, (ok1 || null) && ok2 && ok3 && ok4
}

// readRest returns the same of a row that the engine stands at.
func readRest(s *stmt) rest {
	return rest{bodyPlace{s.columnInt(restColumn), s.columnInt(restColumn + 1), s.columnInt(restColumn + 2)}, s.columnInt(restColumn + 3)}
}
