package sqlite

// Field is one column of a record: its serial type, which gives type and length,
// and its bytes (SQLite's file format, section 2.1).
type Field struct {
	serial uint64
	Bytes  []byte
}

// The serial types that stand for a value without bytes, and the first one of
// those that stand for bytes: even ones for blobs.
const (
	serialZero, serialOne = 8, 9
	serialBlob            = 12
)

// ReadFields reads the first len(fields) columns of a record. It returns false if
// the record is damaged or has fewer.
func ReadFields(record []byte, fields []Field) bool {
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
		fields[i] = Field{serial, rest[:width]}
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

// Null reports whether the column is NULL.
func (f *Field) Null() bool { return f.serial == 0 }

// Int returns a column as an integer; ok is false if it is not one.
func (f *Field) Int() (value int64, ok bool) {
	switch {
	case f.serial == serialZero || f.serial == serialOne:
		return int64(f.serial - serialZero), true
	case f.serial == 0 || f.serial > 6:
		return 0, false
	}
	value = int64(int8(f.Bytes[0]))
	for _, b := range f.Bytes[1:] {
		value = value<<8 | int64(b)
	}
	return value, true
}

// CopyTo copies a column to out. It returns false unless the column is a blob of
// exactly that size.
func (f *Field) CopyTo(out []byte) bool {
	return f.serial == serialBlob+2*uint64(len(out)) && copy(out, f.Bytes) == len(out)
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
