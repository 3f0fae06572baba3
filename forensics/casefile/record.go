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

// field is one column of a record: its serial type, which says what it is and
// how long, and its bytes (SQLite's file format, section 2.1).
type field struct {
	serial uint64
	bytes  []byte
}

// The serial types that stand for a value without bytes, and the first one of
// those that stand for bytes: even ones for blobs.
const (
	serialZero, serialOne = 8, 9
	serialBlob            = 12
)

// readFields reads the first columns of a record, and reports whether it has
// them.
func readFields(record []byte, fields []field) bool {
	size, header, ok := varint(record)
	before := uint64(len(record) - len(header))
	if !ok || size < before || size > uint64(len(record)) {
		return false
	}
	header, rest := record[before:size], record[size:]
	for i := range fields {
		serial, after, ok := varint(header)
		width := serialWidth(serial)
		if !ok || width > uint64(len(rest)) {
			return false
		}
		fields[i] = field{serial, rest[:width]}
		header, rest = after, rest[width:]
	}
	return true
}

// serialWidth is how many bytes a value takes.
func serialWidth(serial uint64) uint64 {
	switch {
	case serial >= serialBlob:
		return (serial - serialBlob) / 2
	case serial <= 4:
		return serial
	case serial == 5:
		return 6
	case serial <= 7:
		return 8
	}
	return 0
}

// integer returns the value of a column that is an integer.
func (f *field) integer() (value int64, ok bool) {
	switch {
	case f.serial == serialZero || f.serial == serialOne:
		return int64(f.serial - serialZero), true
	case f.serial == 0 || f.serial > 6:
		return 0, false
	}
	value = int64(int8(f.bytes[0]))
	for _, b := range f.bytes[1:] {
		value = value<<8 | int64(b)
	}
	return value, true
}

// copyTo copies the value of a column that is a blob of just the size of out.
func (f *field) copyTo(out []byte) bool {
	return f.serial == serialBlob+2*uint64(len(out)) && copy(out, f.bytes) == len(out)
}

// varint reads an integer as the engine writes them: seven bits in each of up to
// eight bytes, the highest first, and eight in a ninth. ok is false if b ends
// within it.
func varint(b []byte) (v uint64, rest []byte, ok bool) {
	for i, c := range b {
		if i == 8 {
			return v<<8 | uint64(c), b[9:], true
		}
		v = v<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return v, b[i+1:], true
		}
	}
	return 0, nil, false
}
