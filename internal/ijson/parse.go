package ijson

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/svc-edge/svc-verify/internal/safetext"
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
	p := newParser(doc, 0)
	for {
		if fault := p.readToken(); fault != nil {
			return nil, fault
		}
		if len(p.open) == 0 {
			break
		}
	}
	if at := skipSpace(doc, p.end); at < len(doc) {
		return nil, &Fault{CodeTrailingData, "", at, "only white space after the value",
			safetext.Excerpt(doc[at:], safetext.Glimpse)}
	}
	return p.valueAt(0), nil
}

// checkStart makes the checks that are possible before reading.
func checkStart(doc []byte) *Fault {
	switch {
	case len(doc) > MaxSize:
		return &Fault{CodeTooLarge, "", MaxSize, fmt.Sprintf("at most %d bytes", MaxSize), fmt.Sprintf("%d bytes", len(doc))}
	case skipSpace(doc, 0) == len(doc):
		return &Fault{CodeEmpty, "", 0, "a value", "nothing"}
	case bytes.HasPrefix(doc, []byte("\ufeff")):
		return &Fault{CodeSyntax, "", 0, "UTF-8 without a byte order mark", "a byte order mark"}
	}
	return nil
}

// parser turns the tokens of one document into values.
type parser struct {
	*document
	decoder *jsontext.Decoder
	base    int     // where in src the decoder began
	open    []level // the arrays and objects that we are in, the outermost first
	end     int     // of the token before
	noted   []int32 // the values that names or folded has something of, in the order in which they were closed
}

// usualDepth is how deep a usual document nests, and usualNames is more names than
// most objects of one have.
const (
	usualDepth = 4
	usualNames = 14
)

// newParser reads the value that src has from base on. That names are not
// repeated is seen to here: the decoder would copy all of them.
func newParser(src []byte, base int) *parser {
	first := min(1+(len(src)-base)/16, pageSize)
	if base > 0 {
		first = 1 // most often one of many short ones
	}
	return &parser{
		document: &document{src: src, pages: [][]Value{make([]Value, 0, first)}},
		decoder:  jsontext.NewDecoder(bytes.NewBuffer(src[base:]), jsontext.AllowDuplicateNames(true)),
		base:     base,
		open:     make([]level, 0, usualDepth),
		end:      base,
	}
}

// level is an array or object that is not closed yet.
type level struct {
	kind   Kind
	depth  uint8 // of its content so far
	folded bool  // its values, or the values of one around it, are not kept
	self   int32 // index of its value; only if that is kept
	start  int32 // of its value in the document
	count  int32 // of the values in it so far
	name   span  // of the member whose value comes next; empty if a name comes next
	names  names // of an object
	noted  int   // how many values were noted before
}

// innerLevel returns the innermost level, or nil outside of any.
func (p *parser) innerLevel() *level {
	if len(p.open) == 0 {
		return nil
	}
	return &p.open[len(p.open)-1]
}

// wantsName reports whether the next token should be the name of a member.
func (p *parser) wantsName() bool {
	in := p.innerLevel()
	return in != nil && in.kind == Object && in.name.end == 0
}

// readToken reads one token and adds it to the tree.
func (p *parser) readToken() *Fault {
	start := skipToToken(p.src, p.end)
	token, err := p.decoder.ReadToken()
	if err != nil {
		return p.syntaxFault(err, start)
	}
	p.end = p.base + int(p.decoder.InputOffset())
	at := span{int32(start), int32(p.end)}
	switch token.Kind() {
	case jsontext.KindBeginObject:
		return p.beginContainer(Object, at)
	case jsontext.KindBeginArray:
		return p.beginContainer(Array, at)
	case jsontext.KindEndObject, jsontext.KindEndArray:
		p.closeContainer(at)
		return nil
	case jsontext.KindString:
		return p.addText(at)
	case jsontext.KindNumber:
		if fault := p.checkNumber(at); fault != nil {
			return fault
		}
		p.addScalar(Number, at)
		return nil
	case jsontext.KindNull:
		return &Fault{CodeSyntax, p.pointerHere(), start, "a value other than null", "null"}
	}
	p.addScalar(Bool, at)
	return nil
}

// pointerHere returns the place of the token that was read last.
func (p *parser) pointerHere() string { return string(p.decoder.StackPointer()) }

// addScalar adds a string, number or boolean to the tree.
func (p *parser) addScalar(kind Kind, at span) {
	p.addValue(kind, at)
	p.settleDepth(0)
}

// addValue appends a value at its place in the tree, unless it is within a folded one.
// It returns its index, or -1.
func (p *parser) addValue(kind Kind, at span) int32 {
	p.total++
	self := p.kept
	v := Value{doc: p.document, start: at.start, end: at.end, self: self, after: self + 1, parent: -1, kind: kind}
	if in := p.innerLevel(); in != nil {
		v.parent, v.place = in.self, in.name
		if in.kind == Array {
			v.place = span{start: in.count}
		}
		in.name = span{}
		in.count++
		if in.folded {
			return -1
		}
	}
	page := self >> pageBits
	if int(page) == len(p.pages) {
		p.pages = append(p.pages, make([]Value, 0, pageSize))
	}
	p.pages[page] = append(p.pages[page][:self&(pageSize-1)], v)
	p.kept++
	return self
}

// beginContainer opens an array or object.
func (p *parser) beginContainer(kind Kind, at span) *Fault {
	if len(p.open) == MaxDepth {
		return &Fault{
			CodeTooLarge, p.pointerHere(), int(at.start),
			fmt.Sprintf("at most %d levels of arrays and objects", MaxDepth), fmt.Sprintf("level %d", MaxDepth+1),
		}
	}
	self := p.addValue(kind, at)
	n := len(p.open)
	if n < cap(p.open) {
		p.open = p.open[:n+1]
	} else {
		p.open = append(p.open, level{})
	}
	in := &p.open[n]
	*in = level{kind: kind, depth: 1, folded: self < 0, self: self, start: at.start, names: in.names.emptyNames(),
		noted: len(p.noted)}
	return nil
}

// closeContainer closes the innermost array or object.
func (p *parser) closeContainer(at span) {
	in := p.innerLevel()
	if in.self >= 0 {
		v := p.valueAt(in.self)
		v.end, v.after, v.depth = at.end, p.kept, in.depth
		if in.folded {
			if p.folded == nil {
				p.folded = make(map[int32]int32)
			}
			p.folded[in.self] = in.count
		}
		if in.kind == Object && (in.folded || in.count >= indexFrom) {
			if p.names == nil {
				p.names = make(map[int32]*names)
			}
			p.names[in.self] = in.names.detachNames(p.src)
		}
		if in.folded || in.kind == Object && in.count >= indexFrom {
			p.noted = append(p.noted, in.self)
		}
	}
	depth := in.depth
	p.open = p.open[:len(p.open)-1]
	p.settleDepth(depth)
}

// Values take more than ten times as much as the shortest of them in a document. An array or
// object that has many, and on average one for less than foldedOctets, is folded: its values
// are read but not kept, and are read again on request.
const (
	foldedOctets = 12
	foldedFrom   = 1024
)

// settleDepth completes a value of a depth.
func (p *parser) settleDepth(depth uint8) {
	in := p.innerLevel()
	if in == nil {
		return
	}
	in.depth = max(in.depth, depth+1)
	if within := p.kept - in.self - 1; !in.folded && within >= foldedFrom &&
		within > (int32(p.end)-in.start)/foldedOctets {
		p.kept, in.folded = in.self+1, true
		for _, i := range p.noted[in.noted:] {
			delete(p.names, i)
			delete(p.folded, i)
		}
		p.noted = p.noted[:in.noted]
	}
}

// addText adds a string, which is the name of a member or a value.
func (p *parser) addText(at span) *Fault {
	named := p.wantsName()
	if named && !p.innerLevel().names.addName(p.src, at) {
		return &Fault{
			CodeAmbiguous, p.pointerHere(), int(at.start),
			"each name once in an object", safetext.Excerpt(unquoteText(p.src[at.start:at.end]), safetext.Value) + " again",
		}
	}
	if offset, r := findNoncharacter(p.src[at.start:at.end]); offset >= 0 {
		return &Fault{
			CodeSyntax, p.pointerHere(), int(at.start) + offset,
			"text without noncharacters", fmt.Sprintf("U+%04X", r),
		}
	}
	if named {
		p.innerLevel().name = at
	} else {
		p.addScalar(String, at)
	}
	return nil
}

// checkNumber checks the value of a number (SPEC 1). A number that runs into other
// text, such as 01 or 0x1, is a wrong number and not two tokens.
func (p *parser) checkNumber(at span) *Fault {
	if _, end := scanInteger(p.src, int(at.start)); end == int(at.end) && end == wordEnd(p.src, end) {
		return nil
	}
	return numberFault(p.src, p.pointerHere(), int(at.start))
}

// unfoldValues reads the values within a folded array or object again, one after the
// other.
func (v *Value) unfoldValues(yield func(*Value) bool) {
	src := v.doc.src[:v.end]
	d := jsontext.NewDecoder(bytes.NewBuffer(v.Raw()), jsontext.AllowDuplicateNames(true))
	at := func() int { return int(v.start) + int(d.InputOffset()) }
	if _, err := d.ReadToken(); err != nil {
		panic(accepted + err.Error())
	}
	for i := int32(0); d.PeekKind() != '}' && d.PeekKind() != ']'; i++ {
		place := span{start: i}
		if v.kind == Object {
			start := skipToToken(src, at())
			if _, err := d.ReadToken(); err != nil {
				panic(accepted + err.Error())
			}
			place = span{int32(start), int32(at())}
		}
		start := skipToToken(src, at())
		if err := d.SkipValue(); err != nil {
			panic(accepted + err.Error())
		}
		if !yield(v.unfoldPart(start, place)) {
			return
		}
	}
}

const accepted = "ijson: a document that was accepted is refused: "

// scalarKinds are the kinds of the values that begin with a byte and hold no others.
var scalarKinds = [256]Kind{'"': String, 't': Bool, 'f': Bool, '-': Number, '0': Number, '1': Number, '2': Number,
	'3': Number, '4': Number, '5': Number, '6': Number, '7': Number, '8': Number, '9': Number}

// unfoldPart reads the value within a folded one that starts at an offset.
func (v *Value) unfoldPart(start int, place span) *Value {
	if kind := scalarKinds[v.doc.src[start]]; kind > 0 {
		page := []Value{{start: int32(start), end: int32(skipValue(v.doc.src, start)), after: 1,
			parent: -1, place: place, kind: kind}}
		page[0].doc = &document{src: v.doc.src, pages: [][]Value{page}, kept: 1, total: 1, outer: v}
		return &page[0]
	}
	p := newParser(v.doc.src[:v.end], start)
	p.outer = v
	for {
		if fault := p.readToken(); fault != nil {
			panic(accepted + fault.Error())
		}
		if len(p.open) == 0 {
			break
		}
	}
	root := p.valueAt(0)
	root.place = place
	return root
}
