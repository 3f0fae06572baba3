package read

import "google.golang.org/protobuf/encoding/protowire"

// wire walks over the fields of one protobuf message, without copying. It accepts fields that
// are unknown, repeated or in any order; damage or a cut ends the walk.
type wire struct {
	b []byte
	i int // where the next field begins

	num protowire.Number
	typ protowire.Type
	v   []byte // of a length-delimited field
	u   uint64 // of any other
	at  int    // where the field begins
	cut bool   // the field claims to be longer than the message: v is the present part

	bad  int // offset of the damage; -1 for none
	done bool
}

// nextField goes to the next field. It returns false at the end and at damage.
func (w *wire) nextField() bool {
	if w.bad = -1; w.done || w.i == len(w.b) {
		return false
	}
	w.at, w.cut, w.v, w.u = w.i, false, nil, 0
	num, typ, n := protowire.ConsumeTag(w.b[w.i:])
	if n < 0 {
		return w.setDamaged()
	}
	w.num, w.typ = num, typ
	rest := w.b[w.i+n:]
	if typ == protowire.BytesType {
		return w.setDelimited(n, rest)
	}
	size := protowire.ConsumeFieldValue(num, typ, rest)
	if size < 0 {
		return w.setDamaged()
	}
	switch typ {
	case protowire.VarintType:
		w.u, _ = protowire.ConsumeVarint(rest)
	case protowire.Fixed32Type:
		v, _ := protowire.ConsumeFixed32(rest)
		w.u = uint64(v)
	case protowire.Fixed64Type:
		w.u, _ = protowire.ConsumeFixed64(rest)
	}
	w.i += n + size
	return true
}

func (w *wire) setDelimited(tag int, rest []byte) bool {
	size, n := protowire.ConsumeVarint(rest)
	if n < 0 {
		return w.setDamaged()
	}
	rest = rest[n:]
	if size > uint64(len(rest)) {
		w.cut, size, w.done = true, uint64(len(rest)), true
	}
	w.v = rest[:size]
	w.i += tag + n + int(size)
	return true
}

func (w *wire) setDamaged() bool {
	w.bad, w.done = w.i, true
	return false
}

// is reports whether the field is this one, of the length-delimited type.
func (w *wire) is(num protowire.Number) bool { return w.num == num && w.typ == protowire.BytesType }
