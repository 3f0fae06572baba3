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
	c.peek()
	start := c.i
	// The walk itself cannot fail.
	_ = c.object(func(name []byte) error {
		if n, ok := valueNames[string(name)]; ok {
			if literal := c.value(); string(literal) != "null" {
				v.num, v.literal = n, literal
				v.count++
			}
		}
		return nil
	})
	v.raw = c.b[start:c.i]
	return v
}

// body sets the body of d.rec to an AnyValue.
func (o otlpJSON) body(v anyJSON) *fault {
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
		return o.text(v.literal)
	case valueBytes:
		return o.octets(v.literal)
	}
	w := builder{out: o.texts[o.level][:0]}
	w.json(v, 0)
	f := o.build(&w)
	if v.num != valueArray && v.num != valueMap {
		o.rec.Kind = Scalar
	}
	return f
}

// octets sets the body of d.rec to bytes in base64.
func (o otlpJSON) octets(literal []byte) *fault {
	text, _, ok := o.unquote(o.level, literal)
	octets, err := base64.StdEncoding.AppendDecode(nil, text)
	if !ok || err != nil {
		return &fault{finding.SourceUnparseable, 0, "the body is not base64"}
	}
	o.rec.Body, o.rec.Kind = octets, Bytes
	return nil
}

// json writes an AnyValue.
func (b *builder) json(v anyJSON, depth int) {
	if b.damaged = b.damaged || v.count > 1; b.damaged || depth > maxValueDepth {
		b.lossy()
		return
	}
	literal := v.literal
	switch v.num {
	case valueString:
		b.out = append(b.out, literal...)
	case valueBool:
		b.out = append(b.out, literal...)
	case valueInt:
		b.integer(bare(literal))
	case valueDouble:
		f, err := strconv.ParseFloat(string(bare(literal)), 64)
		if err != nil {
			f = math.NaN()
		}
		b.double(f)
	case valueBytes:
		b.fidelity = Lossy
		b.out = append(b.out, literal...)
	case valueArray:
		b.jsonList(find(literal, "values"), '[', func(c *cursor) { b.json(lastJSON(c), depth+1) })
	case valueMap:
		b.jsonList(find(literal, "values"), '{', func(c *cursor) { b.jsonPair(c.value(), depth+1) })
	default:
		b.lossy()
	}
}

// bare returns a number, which may be written as a string.
func bare(literal []byte) []byte {
	if n := len(literal); n >= 2 && literal[0] == '"' {
		return literal[1 : n-1]
	}
	return literal
}

func (b *builder) integer(text []byte) {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		b.lossy()
		return
	}
	b.out = strconv.AppendInt(b.out, n, 10)
}

// jsonList writes an ArrayValue or a KeyValueList.
func (b *builder) jsonList(values []byte, open byte, element func(*cursor)) {
	b.out = append(b.out, open)
	c := cursor{b: values}
	_ = c.array(func() error {
		b.comma()
		element(&c)
		return nil
	})
	b.out = append(b.out, open+2) // in ASCII the closing bracket is the next but one
}

// jsonPair writes a KeyValue as a member.
func (b *builder) jsonPair(pair []byte, depth int) {
	key := find(pair, "key")
	if len(key) == 0 || key[0] != '"' {
		key = []byte(`""`)
	}
	b.out = append(append(b.out, key...), ':')
	b.json(lastJSON(&cursor{b: find(pair, "value")}), depth)
}
