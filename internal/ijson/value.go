package ijson

import (
	"bytes"
	"iter"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the kind of a JSON value. The zero Kind is no kind.
type Kind uint8

// The kinds of value that a document may hold. There is no kind for null,
// since null does not occur (SPEC 1).
const (
	Object Kind = iota + 1
	Array
	String
	Number
	Bool
)

// String returns the name of the kind with its article, for use in a sentence.
func (k Kind) String() string {
	switch k {
	case Object:
		return "an object"
	case Array:
		return "an array"
	case String:
		return "a string"
	case Number:
		return "a number"
	case Bool:
		return "a boolean"
	}
	return "no value"
}

// Value is one value of a parsed document. It remembers its bytes and its
// place. A Value refers to the document's bytes, which must not be changed
// while it is in use; it is itself never changed, and safe for concurrent use.
type Value struct {
	doc        *document
	start, end int32 // its bytes in the document
	self       int32 // its index in the document's values
	after      int32 // index of the first value after it that is not within it
	parent     int32 // index of the array or object around it; -1 for none
	place      span  // its name with quotes or, in an array, its index
	kind       Kind
	depth      uint8
}

// span is a range of bytes of the document. Where it is the place of an
// element of an array, start is the element's index and end is 0.
type span struct{ start, end int32 }

// document contains the data that the values of one document share. The values are in document
// order, each before the values within it. Positions fit 32 bits because of MaxSize.
type document struct {
	src    []byte
	pages  [][]Value        // the values, pageSize on each page but the last
	kept   int32            // values on the pages
	total  int              // values of the document, including values within folded ones
	names  map[int32]*names // of large objects, see indexFrom
	folded map[int32]int32  // of arrays and objects whose values are not kept: how many are directly within
	outer  *Value           // if the document is the content of a folded value: that value
}

// pageSize is how many values one page has. Values are not moved, so that a document of many
// uses no more memory than they do.
const (
	pageBits = 10
	pageSize = 1 << pageBits
)

// valueAt returns a value by its index.
func (d *document) valueAt(i int32) *Value { return &d.pages[i>>pageBits][i&(pageSize-1)] }

// Member is one member of an object: its name, decoded, and its value.
type Member struct {
	Name  string
	Value *Value
}

// Kind returns the kind of the value.
func (v *Value) Kind() Kind { return v.kind }

// Raw returns the bytes of the value as they stand in the document, without
// the white space around them. It is a part of the document, not a copy.
func (v *Value) Raw() []byte { return v.doc.src[v.start:v.end:v.end] }

// Offset returns where in the document the value starts, in bytes.
func (v *Value) Offset() int { return int(v.start) }

// Depth returns how many levels of arrays and objects the value has by itself:
// 0 for a string, number or boolean, 1 for an array or object of only such
// values or of none, and so on.
func (v *Value) Depth() int { return int(v.depth) }

// Pointer returns the place of the value in the document as a JSON pointer
// (RFC 6901): "" for the document's own value, else "/" and a name or an index
// for each level. Names in it are text from the document: quote before showing.
func (v *Value) Pointer() string {
	var places []span
	for u := v; u.parent >= 0 || u.doc.outer != nil; {
		places = append(places, u.place)
		if u.parent < 0 {
			u = u.doc.outer
		} else {
			u = u.doc.valueAt(u.parent)
		}
	}
	var b strings.Builder
	for i := len(places) - 1; i >= 0; i-- {
		b.WriteByte('/')
		b.WriteString(v.doc.pointerToken(places[i]))
	}
	return b.String()
}

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

// PointerToken returns the reference token of a JSON pointer that names a member.
func PointerToken(name string) string { return escapePointer.Replace(name) }

// pointerToken returns one reference token of a JSON pointer.
func (d *document) pointerToken(place span) string {
	if place.end == 0 {
		return strconv.Itoa(int(place.start))
	}
	return PointerToken(unquoteText(d.src[place.start:place.end]))
}

// Members returns the members of an object in document order, in a new slice.
// It returns nil for any other value.
func (v *Value) Members() []Member {
	if v.kind != Object {
		return nil
	}
	members := make([]Member, 0, v.Len())
	for u := range v.All() {
		members = append(members, Member{u.memberName(), u})
	}
	return members
}

// Len returns how many members an object or how many elements an array has, and 0
// for any other value.
func (v *Value) Len() (n int) {
	if count, ok := v.doc.folded[v.self]; ok {
		return int(count)
	}
	for i := v.self + 1; i < v.after; i = v.doc.valueAt(i).after {
		n++
	}
	return n
}

// All yields the values directly within an array or object, in document order.
// It holds no more of them than the document does.
func (v *Value) All() iter.Seq[*Value] {
	return func(yield func(*Value) bool) {
		if _, ok := v.doc.folded[v.self]; ok {
			v.unfoldValues(yield)
			return
		}
		for i := v.self + 1; i < v.after; i = v.doc.valueAt(i).after {
			if !yield(v.doc.valueAt(i)) {
				return
			}
		}
	}
}

// Name returns the name of a member, and "" for a value that is none.
func (v *Value) Name() string {
	if v.place.end == 0 {
		return ""
	}
	return v.memberName()
}

// Member returns the value of the member with exactly this name, and whether
// there is one. Only an object has members.
func (v *Value) Member(name string) (*Value, bool) {
	if v.kind != Object {
		return nil, false
	}
	if index, ok := v.doc.names[v.self]; ok {
		start, ok := index.findName(v.doc.src, name)
		if !ok {
			return nil, false
		}
		if _, folded := v.doc.folded[v.self]; folded {
			quoted := quotedAt(v.doc.src, start)
			end := int(start) + len(quoted)
			return v.unfoldPart(skipToToken(v.doc.src, end), span{start, int32(end)}), true
		}
		return v.memberAt(start), true
	}
	for u := range v.All() {
		if u.hasName(name) {
			return u, true
		}
	}
	return nil, false
}

// memberAt returns the member whose name starts at an offset.
func (v *Value) memberAt(start int32) *Value {
	low, high := v.self+1, v.after // the first value that starts behind it is the member's
	for low < high {
		if i := low + (high-low)/2; v.doc.valueAt(i).start < start {
			low = i + 1
		} else {
			high = i
		}
	}
	return v.doc.valueAt(low)
}

// Elements returns the elements of an array in document order, in a new slice.
// It returns nil for any other value.
func (v *Value) Elements() []*Value {
	if v.kind != Array {
		return nil
	}
	values := make([]*Value, 0, v.Len())
	for u := range v.All() {
		values = append(values, u)
	}
	return values
}

// memberName returns the decoded name of a member.
func (v *Value) memberName() string { return unquoteText(v.doc.src[v.place.start:v.place.end]) }

// hasName reports whether a member has this name, and decodes the name only if
// it has escapes.
func (v *Value) hasName(name string) bool {
	quoted := v.doc.src[v.place.start:v.place.end]
	if bytes.IndexByte(quoted, '\\') >= 0 {
		return unquoteText(quoted) == name
	}
	return string(quoted[1:len(quoted)-1]) == name
}

// Text returns the decoded text of a string, and "" for any other value.
func (v *Value) Text() string {
	if v.kind != String {
		return ""
	}
	return unquoteText(v.Raw())
}

// Int returns the value of a number, and 0 for any other value.
func (v *Value) Int() int64 {
	if v.kind != Number {
		return 0
	}
	n, _ := scanInteger(v.Raw(), 0)
	return n
}

// Bool returns the value of a boolean, and false for any other value.
func (v *Value) Bool() bool { return v.kind == Bool && v.Raw()[0] == 't' }

// Canonical parses a document and returns its canonical form (RFC 8785). It is
// the document itself where that is canonical already.
func Canonical(doc []byte) ([]byte, *Fault) {
	if IsCanonical(doc) {
		return doc, nil
	}
	v, fault := Parse(doc)
	if fault != nil {
		return nil, fault
	}
	return v.Canonical(), nil
}

// unquoteText decodes a string that the parser has accepted.
func unquoteText(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	text, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		panic("ijson: no text of a string that was accepted: " + err.Error())
	}
	return string(text)
}

// Count returns how many values the document of v holds, v's own included.
func (v *Value) Count() int { return v.doc.total }
