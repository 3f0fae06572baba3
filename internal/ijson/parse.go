package ijson

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// indexFrom is the number of members from which an object gets a map of its
// names. Below it looking through the members is as fast.
const indexFrom = 32

// Parse reads a whole document, and refuses one that breaks any rule of the
// profile (SPEC 1). Exactly one of its results is nil. Its time and memory are
// linear in the size of the document.
func Parse(doc []byte) (*Value, *Fault) {
	if fault := checkStart(doc); fault != nil {
		return nil, fault
	}
	p := &parser{
		document: &document{src: doc, values: make([]Value, 0, 1+len(doc)/16)},
		decoder:  jsontext.NewDecoder(bytes.NewBuffer(doc)),
	}
	for {
		if fault := p.token(); fault != nil {
			return nil, fault
		}
		if len(p.open) == 0 {
			break
		}
	}
	if at := skipSpace(doc, p.end); at < len(doc) {
		return nil, &Fault{CodeTrailingData, "", at, "only white space after the value", excerpt(doc[at:])}
	}
	return &p.values[0], nil
}

// checkStart checks what can be checked before reading.
func checkStart(doc []byte) *Fault {
	switch {
	case len(doc) > MaxSize:
		return &Fault{CodeSize, "", MaxSize, fmt.Sprintf("at most %d bytes", MaxSize), fmt.Sprintf("%d bytes", len(doc))}
	case skipSpace(doc, 0) == len(doc):
		return &Fault{CodeEmpty, "", 0, "a value", "nothing"}
	case bytes.HasPrefix(doc, []byte("\ufeff")):
		return &Fault{CodeBOM, "", 0, "UTF-8 without a byte order mark", "a byte order mark"}
	}
	return nil
}

// parser turns the tokens of one document into values.
type parser struct {
	*document
	decoder *jsontext.Decoder
	open    []level // the arrays and objects that we are in, the outermost first
	end     int     // of the token before
}

// level is an array or object that is not closed yet.
type level struct {
	self  int32 // index of its value
	count int32 // of the values in it so far
	name  span  // of the member whose value comes next; empty if a name comes next
}

// inner returns the innermost level, or nil outside of any.
func (p *parser) inner() *level {
	if len(p.open) == 0 {
		return nil
	}
	return &p.open[len(p.open)-1]
}

// wantsName reports whether the next token should be the name of a member.
func (p *parser) wantsName() bool {
	in := p.inner()
	return in != nil && p.values[in.self].kind == Object && in.name.end == 0
}

// token reads one token and takes it into the tree.
func (p *parser) token() *Fault {
	start := skipToToken(p.src, p.end)
	token, err := p.decoder.ReadToken()
	if err != nil {
		return p.syntaxFault(err, start)
	}
	p.end = int(p.decoder.InputOffset())
	at := span{int32(start), int32(p.end)}
	switch token.Kind() {
	case jsontext.KindBeginObject:
		return p.begin(Object, at)
	case jsontext.KindBeginArray:
		return p.begin(Array, at)
	case jsontext.KindEndObject, jsontext.KindEndArray:
		p.close(at)
		return nil
	case jsontext.KindString:
		return p.text(at)
	case jsontext.KindNumber:
		return p.number(p.add(Number, at))
	case jsontext.KindNull:
		return &Fault{CodeNull, p.add(0, at).Pointer(), start, "a value other than null", "null"}
	}
	p.add(Bool, at)
	return nil
}

// add appends a value at its place in the tree.
func (p *parser) add(kind Kind, at span) *Value {
	self := int32(len(p.values))
	v := Value{doc: p.document, start: at.start, end: at.end, self: self, after: self + 1, parent: -1, kind: kind}
	if in := p.inner(); in != nil {
		v.parent, v.place = in.self, in.name
		if p.values[in.self].kind == Array {
			v.place = span{start: in.count}
		}
		in.name = span{}
		in.count++
	}
	p.values = append(p.values, v)
	return &p.values[self]
}

// begin opens an array or object.
func (p *parser) begin(kind Kind, at span) *Fault {
	v := p.add(kind, at)
	v.depth = 1
	if len(p.open) == MaxDepth {
		return &Fault{
			CodeDepth, v.Pointer(), int(at.start),
			fmt.Sprintf("at most %d levels of arrays and objects", MaxDepth), fmt.Sprintf("level %d", MaxDepth+1),
		}
	}
	p.open = append(p.open, level{self: v.self})
	return nil
}

// close closes the innermost array or object.
func (p *parser) close(at span) {
	in := *p.inner()
	p.open = p.open[:len(p.open)-1]
	v := &p.values[in.self]
	v.end, v.after = at.end, int32(len(p.values))
	if v.parent >= 0 {
		around := &p.values[v.parent]
		around.depth = max(around.depth, v.depth+1)
	}
	if v.kind == Object && in.count >= indexFrom {
		p.index(v, int(in.count))
	}
}

// index makes the map of names of a large object.
func (p *parser) index(v *Value, count int) {
	if p.names == nil {
		p.names = make(map[int32]map[string]int32)
	}
	names := make(map[string]int32, count)
	for i := v.self + 1; i < v.after; i = p.values[i].after {
		names[p.values[i].name()] = i
	}
	p.names[v.self] = names
}

// text takes a string, which is the name of a member or a value.
func (p *parser) text(at span) *Fault {
	if offset, r := findNoncharacter(p.src[at.start:at.end]); offset >= 0 {
		return &Fault{
			CodeNoncharacter, p.pointerOf(at), int(at.start) + offset,
			"text without noncharacters", fmt.Sprintf("U+%04X", r),
		}
	}
	if p.wantsName() {
		p.inner().name = at
	} else {
		p.add(String, at)
	}
	return nil
}

// pointerOf returns the pointer of the value or member that a string at this
// place belongs to.
func (p *parser) pointerOf(at span) string {
	if p.wantsName() {
		return p.values[p.inner().self].Pointer() + "/" + p.pointerToken(at)
	}
	return p.add(String, at).Pointer()
}

// number checks the value of a number (SPEC 1). A number that runs into other
// text, such as 01 or 0x1, is a wrong number and not two tokens.
func (p *parser) number(v *Value) *Fault {
	if _, end := scanInteger(p.src, int(v.start)); end == int(v.end) && end == wordEnd(p.src, end) {
		return nil
	}
	return numberFault(p.src, v.Pointer(), int(v.start))
}
