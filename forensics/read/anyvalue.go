package read

import (
	"encoding/base64"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read/rows"
)

// The fields of AnyValue, KeyValue and the lists of both.
const (
	valueString = 1
	valueBool   = 2
	valueInt    = 3
	valueDouble = 4
	valueArray  = 5
	valueMap    = 6
	valueBytes  = 7
	listValues  = 1
	pairKey     = 1
	pairValue   = 2
)

// valueNames are the same fields in JSON.
var valueNames = map[string]protowire.Number{
	"stringValue": valueString, "string_value": valueString,
	"boolValue": valueBool, "bool_value": valueBool,
	"intValue": valueInt, "int_value": valueInt,
	"doubleValue": valueDouble, "double_value": valueDouble,
	"arrayValue": valueArray, "array_value": valueArray,
	"kvlistValue": valueMap, "kvlist_value": valueMap,
	"bytesValue": valueBytes, "bytes_value": valueBytes,
}

// maxValueDepth is how deep a structured body may be nested: more than an
// event can be (SPEC 1.1).
const maxValueDepth = 64

// builder writes the JSON of a structured body.
type builder struct {
	out      []byte
	fidelity Fidelity
	damaged  bool
}

// writeLossyNull writes null for a value that JSON, or an event, cannot express.
func (b *builder) writeLossyNull() {
	b.fidelity = Lossy
	b.out = append(b.out, "null"...)
}

// writeString writes a string. Bytes that are not UTF-8 are kept.
func (b *builder) writeString(s []byte) { b.out = rows.AppendString(b.out, s) }

// writeDouble writes a double. Most writers of maps make doubles of all numbers, so
// an integer that a double holds exactly is written as one.
func (b *builder) writeDouble(f float64) {
	const exact = 1 << 53
	switch {
	case f == math.Trunc(f) && math.Abs(f) < exact:
		b.out = strconv.AppendInt(b.out, int64(f), 10)
	case math.IsNaN(f) || math.IsInf(f, 0):
		b.writeLossyNull()
	default:
		b.fidelity = Lossy
		b.out = strconv.AppendFloat(b.out, f, 'g', -1, 64)
	}
}

// writeOctets writes bytes, which JSON has not, as base64.
func (b *builder) writeOctets(v []byte) {
	b.fidelity = Lossy
	b.out = append(b.out, '"')
	b.out = base64.StdEncoding.AppendEncode(b.out, v)
	b.out = append(b.out, '"')
}

// writeComma writes a comma unless something was just opened.
func (b *builder) writeComma() {
	if c := b.out[len(b.out)-1]; c != '{' && c != '[' {
		b.out = append(b.out, ',')
	}
}

// setBuiltBody sets the body of d.rec to the canonical form of the output of b.
func (d *doc) setBuiltBody(b *builder) *fault {
	if b.damaged {
		return &fault{finding.SourceUnparseable, 0, "the body of a log record is damaged"}
	}
	d.texts[d.level] = b.out
	if d.setStructure(b.out); b.fidelity == Lossy {
		d.rec.Fidelity = Lossy
	}
	return nil
}
