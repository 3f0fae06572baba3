package read

import (
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/svc-edge/svc-verify/finding"
)

// lastValue returns the field of an AnyValue that counts, which is the last
// one, how many there are, and whether the message is sound. Its num is 0 if
// there is none.
func lastValue(b []byte) (last wire, count int, ok bool) {
	w := wire{b: b}
	for w.nextField() && !w.cut {
		if w.num <= valueBytes && w.typ == valueTypes[w.num] {
			last = w
			count++
		}
	}
	return last, count, w.bad < 0 && !w.cut
}

var valueTypes = [...]protowire.Type{
	valueString: protowire.BytesType,
	valueBool:   protowire.VarintType,
	valueInt:    protowire.VarintType,
	valueDouble: protowire.Fixed64Type,
	valueArray:  protowire.BytesType,
	valueMap:    protowire.BytesType,
	valueBytes:  protowire.BytesType,
}

// setBody sets the body of d.rec to an AnyValue, and returns how many values
// it has.
func (p proto) setBody(b []byte) (int, *fault) {
	v, count, ok := lastValue(b)
	if !ok {
		return 0, &fault{finding.SourceUnparseable, 0, "the body of a log record is damaged"}
	}
	p.rec.Body, p.rec.Fidelity = v.v, Exact
	switch v.num {
	case 0:
		p.rec.Kind = Empty
	case valueString:
		p.rec.Kind = Text
	case valueBytes:
		p.rec.Kind = Bytes
	default:
		w := builder{out: p.texts[p.level][:0]}
		w.writeProtoValue(b, 0)
		f := p.setBuiltBody(&w)
		if v.num != valueArray && v.num != valueMap {
			p.rec.Kind = Scalar
		}
		return count, f
	}
	return count, nil
}

// writeProtoValue writes an AnyValue.
func (b *builder) writeProtoValue(value []byte, depth int) {
	v, _, ok := lastValue(value)
	if b.damaged = b.damaged || !ok; b.damaged || depth > maxValueDepth {
		b.writeLossyNull()
		return
	}
	switch v.num {
	case valueString:
		b.writeString(v.v)
	case valueBool:
		b.out = strconv.AppendBool(b.out, v.u != 0)
	case valueInt:
		b.out = strconv.AppendInt(b.out, int64(v.u), 10)
	case valueDouble:
		b.writeDouble(math.Float64frombits(v.u))
	case valueBytes:
		b.writeOctets(v.v)
	case valueArray:
		b.protoList(v.v, '[', func(element []byte) { b.writeProtoValue(element, depth+1) })
	case valueMap:
		b.protoList(v.v, '{', func(pair []byte) { b.protoPair(pair, depth+1) })
	default:
		b.writeLossyNull()
	}
}

// protoList writes an ArrayValue or a KeyValueList.
func (b *builder) protoList(list []byte, open byte, element func([]byte)) {
	b.out = append(b.out, open)
	w := wire{b: list}
	for w.nextField() && !w.cut {
		if w.is(listValues) {
			b.writeComma()
			element(w.v)
		}
	}
	b.damaged = b.damaged || w.bad >= 0 || w.cut
	b.out = append(b.out, open+2) // in ASCII the closing bracket is the next but one
}

// protoPair writes a KeyValue as a member.
func (b *builder) protoPair(pair []byte, depth int) {
	key, value, ok := pairOf(pair)
	b.damaged = b.damaged || !ok
	b.writeString(key)
	b.out = append(b.out, ':')
	b.writeProtoValue(value, depth)
}

// pairOf returns the parts of a KeyValue, and whether it is sound.
func pairOf(pair []byte) (key, value []byte, ok bool) {
	w := wire{b: pair}
	for w.nextField() && !w.cut {
		switch {
		case w.is(pairKey):
			key = w.v
		case w.is(pairValue):
			value = w.v
		}
	}
	return key, value, w.bad < 0 && !w.cut
}

// readAttribute reads the batch ids in a KeyValue.
func (p proto) readAttribute(pair []byte, where Where) {
	key, value, _ := pairOf(pair)
	if !p.keys.hasBatchName(key) {
		return
	}
	v, _, _ := lastValue(value)
	switch v.num {
	case valueString:
		p.addBatches(where, v.v)
	case valueArray:
		list := wire{b: v.v}
		for list.nextField() {
			if element, _, _ := lastValue(list.v); list.is(listValues) && element.num == valueString {
				p.addBatches(where, element.v)
			}
		}
	}
}
