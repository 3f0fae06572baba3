package unwrap

import (
	"bytes"
	"math/bits"
	"slices"
)

// Members of events, bundles and envelopes, as bits of a set.
const (
	hasBody = 1 << iota
	hasHash
	hasKeyID
	hasPrevious
	hasSignature
	hasSkip
	hasProtocol
	hasManifest
	hasPath
	hasStatement

	anEvent     = hasBody | hasHash | hasKeyID | hasPrevious | hasSignature | hasSkip // SPEC 4.2
	aBundle     = hasProtocol | hasManifest | hasPath                                 // SPEC 7
	anEnvelope  = hasStatement | hasKeyID | hasSignature                              // SPEC 3.1
	eventNames  = 6
	mostMembers = 10
)

// memberNames are the names of the bits above, in their order. The first six are
// in the order of the canonical form.
var memberNames = [mostMembers]string{"body", "hash", "key_id", "previous_hash", "signature", "skip_hash",
	"protocol", "manifest", "audit_path", "statement"}

// deepest bounds how deep values are followed: more than any JSON reader does.
const deepest = 10_000

// walk reads the JSON values that stand in a text, one after the other, whatever
// is between them. It finds the outermost objects that have the members of an
// event, a bundle or an envelope.
type walk struct {
	text   []byte
	lines  bool // there are line feeds, which no string of JSON has
	stack  []frame
	found  []object
	failed []int // where objects begin that break off, though they have a member of an event
	cut    int   // where the first object begins that the text ends within, with a member of ours; -1 if none does
	looked int
}

func (w *walk) resetTo(text []byte) {
	w.text, w.lines = text, bytes.IndexByte(text, '\n') >= 0
	w.stack, w.found, w.failed, w.looked, w.cut = w.stack[:0], w.found[:0], w.failed[:0], 0, -1
}

// walkAll walks over the whole text. A value that breaks off is left where the next one can begin.
// Bytes are read again as often as that costs a small multiple of the text.
func (w *walk) walkAll() {
	budget := 4*len(w.text) + 1<<16
	for at := w.nextObject(0); at >= 0; {
		end, ok := w.readValue(at)
		w.looked += end - at
		if !ok && w.looked < budget {
			// One can begin within a string that does not end, behind the last
			// object that was read as such.
			end = w.lastOpen(at) + 1
		}
		at = w.nextObject(max(end, at+1))
	}
	w.found = outermostOf(w.found)
	slices.Sort(w.failed)
}

// lastOpen returns where the innermost object begins that did not end.
func (w *walk) lastOpen(at int) int {
	for _, f := range w.stack {
		if !f.array {
			at = f.from
		}
	}
	return at
}

// nextObject returns where the next object begins, -1 if there is none.
func (w *walk) nextObject(from int) int {
	for from < len(w.text) {
		i := bytes.IndexByte(w.text[from:], '{')
		if i < 0 {
			return -1
		}
		from += i
		if name := skipSpace(w.text, from+1); name < len(w.text) && w.text[name] == '"' {
			return from
		}
		from++
	}
	return -1
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// readValue reads the object that begins at i. It returns where it ends, or where it breaks off;
// containers on the stack then did not end.
func (w *walk) readValue(i int) (end int, ok bool) {
	w.stack = w.stack[:0]
	for {
		var more bool
		if i, more = w.readDown(i); !more {
			return w.noteBroken(i)
		}
		for more = false; !more; {
			if len(w.stack) == 0 {
				return i, true
			}
			if i, more = w.readBehind(i); i < 0 {
				return w.noteBroken(-1 - i)
			}
		}
	}
}

// readDown reads values from i on, down to the first that is no container with something in it.
// It returns the place after it, or where the text breaks off.
func (w *walk) readDown(i int) (int, bool) {
	b := w.text
	for {
		if i = skipSpace(b, i); i >= len(b) {
			return len(b), false
		}
		switch b[i] {
		case '"':
			end := w.stringEnd(i)
			return max(end, -end), end >= 0
		case '{', '[':
			if len(w.stack) == deepest {
				return i, false
			}
			w.stack = append(w.stack, frame{from: i, array: b[i] == '[', current: -1})
			if i = skipSpace(b, i+1); i < len(b) && b[i] == w.closingBracket() {
				w.closeContainer(i)
				return i + 1, true
			}
			if i = w.readName(i); i < 0 {
				return -1 - i, false
			}
		default:
			end := wordEnd(b, i)
			return end, end > i
		}
	}
}

// readBehind reads the text after a value: the end of the container around, or the comma before
// the next value. more means that a value comes next. It returns -1-j if the text breaks off
// at j.
func (w *walk) readBehind(i int) (_ int, more bool) {
	f := &w.stack[len(w.stack)-1]
	if f.current >= 0 {
		f.values[f.current].to = i
		f.current = -1
	}
	i = skipSpace(w.text, i)
	switch {
	case i >= len(w.text):
		return -1 - i, false
	case w.text[i] == ',':
		return w.readName(skipSpace(w.text, i+1)), true
	case w.text[i] == w.closingBracket():
		w.closeContainer(i)
		return i + 1, false
	}
	return -1 - i, false
}

// readName reads the name of a member and its colon, and returns where the value is,
// or -1-j if the text breaks off at j. An element of an array has no name.
func (w *walk) readName(i int) int {
	f := &w.stack[len(w.stack)-1]
	b := w.text
	if f.array {
		return i
	}
	if i >= len(b) || b[i] != '"' {
		return -1 - i
	}
	end := w.stringEnd(i)
	if end < 0 {
		return -1 + end
	}
	bit := memberBit(b[i+1 : end-1])
	colon := skipSpace(b, end)
	if colon >= len(b) || b[colon] != ':' {
		return -1 - colon
	}
	i = skipSpace(b, colon+1)
	f.others = f.others || bit&anEvent == 0 || f.names&bit != 0
	f.names |= bit
	if n := bits.TrailingZeros16(bit); n < eventNames {
		f.current, f.values[n] = int8(n), span{i, i}
	}
	return i
}

// closingBracket is the bracket that ends the innermost container.
func (w *walk) closingBracket() byte {
	if w.stack[len(w.stack)-1].array {
		return ']'
	}
	return '}'
}

// closeContainer ends the innermost container, whose bracket is at i.
func (w *walk) closeContainer(i int) {
	f := &w.stack[len(w.stack)-1]
	if k := kindOf(f.names); k != 0 {
		w.found = append(w.found, object{span{f.from, i + 1}, k, f.others, f.values})
	} else if n := len(w.stack) - 1; f.names&hasProtocol != 0 && (n == 0 || w.stack[n-1].current != 0) {
		w.found = append(w.found, object{span: span{f.from, i + 1}}) // can be the body of a row
	}
	w.stack = w.stack[:len(w.stack)-1]
}

// noteBroken notes the outermost object that breaks off and has a member of an event, and the one
// that the text ends within.
func (w *walk) noteBroken(at int) (int, bool) {
	if n := len(w.found); at >= len(w.text) && w.cut < 0 && len(w.stack) > 0 &&
		(w.stack[0].names != 0 || n > 0 && w.found[n-1].from > w.stack[0].from) {
		w.cut = w.stack[0].from
	}
	for _, f := range w.stack {
		if f.names&anEvent != 0 {
			w.failed = append(w.failed, f.from)
			break
		}
	}
	return at, false
}

// stringEnd returns the place after the string at i, or -j if it breaks off at j.
func (w *walk) stringEnd(i int) int {
	b := w.text
	for from := i + 1; ; {
		n := bytes.IndexByte(b[from:], '"')
		if n < 0 {
			return -len(b)
		}
		end := from + n
		if w.lines {
			if n = bytes.IndexByte(b[from:end], '\n'); n >= 0 {
				return -(from + n)
			}
		}
		escapes := end
		for escapes > from && b[escapes-1] == '\\' {
			escapes--
		}
		if from = end + 1; (end-escapes)%2 == 0 {
			return from
		}
	}
}

// wordEnd returns the place after a number, true, false or null.
func wordEnd(b []byte, i int) int {
	for i < len(b) && (b[i] >= '0' && b[i] <= '9' || b[i] >= 'a' && b[i] <= 'z' || b[i] == '-' || b[i] == '+' ||
		b[i] == '.' || b[i] == 'E') {
		i++
	}
	return i
}
