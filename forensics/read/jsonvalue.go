package read

import (
	"encoding/base64"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/svc-edge/svc-verify/finding"
)

// anyJSON is an AnyValue in JSON.
type anyJSON struct {
	raw     []byte           // all of it
	num     protowire.Number // which kind of value it is; 0 for none
	literal []byte           // the value
	count   int              // how many values there are
}

// lastJSON passes an AnyValue. Of its members that are values the last counts,
// and null is none.
func lastJSON(c *cursor) (v anyJSON) {
	c.peekToken()
	start := c.i
	// The walk itself cannot fail.
	_ = c.eachMember(func(name []byte) error {
		if n, ok := valueNames[string(name)]; ok {
			if literal := c.passValue(); string(literal) != "null" {
				v.num, v.literal = n, literal
				v.count++
			}
		}
		return nil
	})
	v.raw = c.b[start:c.i]
	return v
}

// setBody sets the body of d.rec to an AnyValue.
func (o otlpJSON) setBody(v anyJSON) *fault {
	switch {
	case v.count > 1:
		return &fault{finding.SourceAmbiguous, 0, "the body has more than one value"}
	case len(v.raw) > 0 && v.raw[0] != '{' && string(v.raw) != "null":
		return &fault{finding.SourceUnparseable, 0, "the body is not an AnyValue"}
	}
	o.rec.Fidelity = Exact
	switch v.num {
	case 0:
		o.rec.Kind = Empty
		return nil
	case valueString:
		return o.setText(v.literal)
	case valueBytes:
		return o.setOctets(v.literal)
	}
	w := builder{out: o.texts[o.level][:0]}
	w.writeAnyValue(v, 0)
	f := o.setBuiltBody(&w)
	if v.num != valueArray && v.num != valueMap {
		o.rec.Kind = Scalar
	}
	return f
}

// setOctets sets the body of d.rec to bytes in base64.
func (o otlpJSON) setOctets(literal []byte) *fault {
	text, _, ok := o.unquoteString(o.level, literal)
	octets, err := base64.StdEncoding.AppendDecode(nil, text)
	if !ok || err != nil {
		return &fault{finding.SourceUnparseable, 0, "the body is not base64"}
	}
	o.rec.Body, o.rec.Kind = octets, Bytes
	return nil
}

// writeAnyValue writes an AnyValue.
func (b *builder) writeAnyValue(v anyJSON, depth int) {
	if b.damaged = b.damaged || v.count > 1; b.damaged || depth > maxValueDepth {
		b.writeLossyNull()
		return
	}
	literal := v.literal
	switch v.num {
	case valueString:
		b.out = append(b.out, literal...)
	case valueBool:
		b.out = append(b.out, literal...)
	case valueInt:
		b.writeInteger(bareNumber(literal))
	case valueDouble:
		f, err := strconv.ParseFloat(string(bareNumber(literal)), 64)
		if err != nil {
			f = math.NaN()
		}
		b.writeDouble(f)
	case valueBytes:
		b.fidelity = Lossy
		b.out = append(b.out, literal...)
	case valueArray:
		b.jsonList(valueAt(literal, "values"), '[', func(c *cursor) { b.writeAnyValue(lastJSON(c), depth+1) })
	case valueMap:
		b.jsonList(valueAt(literal, "values"), '{', func(c *cursor) { b.jsonPair(c.passValue(), depth+1) })
	default:
		b.writeLossyNull()
	}
}

// bareNumber returns a number, which may be written as a string.
func bareNumber(literal []byte) []byte {
	if n := len(literal); n >= 2 && literal[0] == '"' {
		return literal[1 : n-1]
	}
	return literal
}

func (b *builder) writeInteger(text []byte) {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		b.writeLossyNull()
		return
	}
	b.out = strconv.AppendInt(b.out, n, 10)
}

// jsonList writes an ArrayValue or a KeyValueList.
func (b *builder) jsonList(values []byte, open byte, element func(*cursor)) {
	b.out = append(b.out, open)
	c := cursor{b: values}
	_ = c.eachElement(func() error {
		b.writeComma()
		element(&c)
		return nil
	})
	b.out = append(b.out, open+2) // in ASCII the closing bracket is the next but one
}

// jsonPair writes a KeyValue as a member.
func (b *builder) jsonPair(pair []byte, depth int) {
	key := valueAt(pair, "key")
	if len(key) == 0 || key[0] != '"' {
		key = []byte(`""`)
	}
	b.out = append(append(b.out, key...), ':')
	b.writeAnyValue(lastJSON(&cursor{b: valueAt(pair, "value")}), depth)
}
