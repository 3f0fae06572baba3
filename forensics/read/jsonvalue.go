package read

import (
	"encoding/base64"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// lastJSON is lastValue for an AnyValue in JSON: of its members that are
// values, the last counts, and null is none.
func lastJSON(b []byte) (num protowire.Number, literal []byte, count int) {
	c := cursor{b: b}
	_ = c.object(func(name []byte) error {
		if n, ok := valueNames[string(name)]; ok {
			if v := c.value(); string(v) != "null" {
				num, literal = n, v
				count++
			}
		}
		return nil
	})
	return num, literal, count
}

// otlpBody sets the body of d.rec to an AnyValue.
func (d *doc) otlpBody(b []byte) *fault {
	num, literal, count := lastJSON(b)
	if count > 1 {
		return &fault{Ambiguous, 0, "the body has more than one value"}
	}
	d.rec.Fidelity = Exact
	switch num {
	case 0:
		d.rec.Kind = Empty
		return nil
	case valueString:
		return d.text(literal)
	case valueBytes:
		return d.otlpOctets(literal)
	}
	w := builder{out: d.texts[d.level][:0]}
	w.json(b, 0)
	f := d.build(&w)
	if num != valueArray && num != valueMap {
		d.rec.Kind = Scalar
	}
	return f
}

// otlpOctets sets the body of d.rec to octets in base64.
func (d *doc) otlpOctets(literal []byte) *fault {
	text, _, ok := d.unquote(d.level, literal)
	octets, err := base64.StdEncoding.AppendDecode(nil, text)
	if !ok || err != nil {
		return &fault{Unparseable, 0, "the body is not base64"}
	}
	d.rec.Body, d.rec.Kind = octets, Bytes
	return nil
}

// json writes an AnyValue.
func (b *builder) json(value []byte, depth int) {
	num, literal, count := lastJSON(value)
	if b.damaged = b.damaged || count > 1; b.damaged || depth > maxValueDepth {
		b.lossy()
		return
	}
	switch num {
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
		b.jsonList(find(literal, "values"), '[', func(element []byte) { b.json(element, depth+1) })
	case valueMap:
		b.jsonList(find(literal, "values"), '{', func(pair []byte) { b.jsonPair(pair, depth+1) })
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
func (b *builder) jsonList(values []byte, open byte, element func([]byte)) {
	b.out = append(b.out, open)
	c := cursor{b: values}
	_ = c.array(func() error {
		b.comma()
		element(c.value())
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
	b.json(find(pair, "value"), depth)
}
