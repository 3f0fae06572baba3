package index

import "encoding/binary"

// record is one claim in fixed size: its key, its value, and the bundle that makes it. In the
// order of records, those about one thing stand together.
type record struct {
	key   uint64 // kind, then a keyed hash of kind and key
	value uint64 // of 56 bits: a keyed hash, or a status as it is
	entry uint32 // the number of the bundle in the index
}

const (
	kindShift  = 61 // a key begins with its kind, of 3 bits
	valueBits  = 56
	recordSize = 19 // bytes of the form in which records are sorted: key, entry and value
)

// appendRecord appends the form of a record. Forms have the order of records: by key, entry
// and value.
func appendRecord(dst []byte, r record) []byte {
	dst = binary.BigEndian.AppendUint64(dst, r.key)
	dst = binary.BigEndian.AppendUint32(dst, r.entry)
	dst = append(dst, byte(r.value>>48), byte(r.value>>40))
	return binary.BigEndian.AppendUint32(append(dst, byte(r.value>>32)), uint32(r.value))
}

// readRecord reads what appendRecord wrote.
func readRecord(b []byte) record {
	_ = b[recordSize-1]
	return record{
		key:   binary.BigEndian.Uint64(b),
		entry: binary.BigEndian.Uint32(b[8:]),
		// The value is the last seven of the eight bytes that end with it.
		value: binary.BigEndian.Uint64(b[11:]) & (1<<valueBits - 1),
	}
}
