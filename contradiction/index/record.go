package index

import (
	"cmp"
	"encoding/binary"
)

// record is one claim in fixed size: what it is about, what it says, and who says
// it. In the order of records, those about one thing stand together.
type record struct {
	key   uint64 // kind, then a keyed hash of kind and key
	value uint64 // of 56 bits: a keyed hash, or a status as it is
	entry uint32 // the number of the bundle in the index
}

const (
	kindShift  = 61 // a key begins with its kind, of 3 bits
	valueBits  = 56
	recordSize = 17 // octets in the file: key, value, and the entry's distance from its run's first
	mostApart  = 1<<16 - 1
)

func compareRecords(a, b record) int {
	if c := cmp.Compare(a.key, b.key); c != 0 {
		return c
	}
	if c := cmp.Compare(a.entry, b.entry); c != 0 {
		return c
	}
	return cmp.Compare(a.value, b.value)
}

// appendRecord appends the form that a record has in a run whose first entry is base.
func appendRecord(dst []byte, r record, base uint32) []byte {
	dst = binary.BigEndian.AppendUint64(dst, r.key)
	dst = append(dst, byte(r.value>>48), byte(r.value>>40))
	dst = binary.BigEndian.AppendUint32(append(dst, byte(r.value>>32)), uint32(r.value))
	return binary.BigEndian.AppendUint16(dst, uint16(r.entry-base))
}

// readRecord reads what appendRecord wrote.
func readRecord(b []byte, base uint32) record {
	_ = b[recordSize-1]
	return record{
		key: binary.BigEndian.Uint64(b),
		// The value is the last seven of the eight octets that end with it.
		value: binary.BigEndian.Uint64(b[7:]) & (1<<valueBits - 1),
		entry: base + uint32(binary.BigEndian.Uint16(b[15:])),
	}
}
