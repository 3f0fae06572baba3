package verify_test

import (
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/internal/ijson"
)

// mutant is one damaged copy of a canonical document: what was done, where, and
// the bytes.
type mutant struct {
	kind, place string
	doc         []byte
}

// mutants yields every single damage of a canonical document that the kinds
// below describe, but of each kind only every n-th.
func mutants(doc []byte, every int) iter.Seq[mutant] {
	root, fault := ijson.Parse(doc)
	if fault != nil {
		panic(fault)
	}
	m := mutator{doc: doc, every: every, leaves: map[string][]string{}, counts: map[string]int{}}
	m.collect(root)
	return func(yield func(mutant) bool) {
		m.yield = yield
		m.bytes()
		m.walk(root)
	}
}

// mutator makes the mutants of one document by splicing its bytes.
type mutator struct {
	doc     []byte
	every   int
	leaves  map[string][]string // raw leaves by kind of value
	counts  map[string]int
	yield   func(mutant) bool
	stopped bool
}

// splice yields the document with the bytes from start to end replaced.
func (m *mutator) splice(kind, place string, start, end int, text string) {
	if m.stopped || string(m.doc[start:end]) == text {
		return
	}
	if m.counts[kind]++; m.counts[kind]%m.every != 0 {
		return
	}
	doc := slices.Concat(m.doc[:start], []byte(text), m.doc[end:])
	m.stopped = !m.yield(mutant{kind, place, doc})
}

func end(v *ijson.Value) int { return v.Offset() + len(v.Raw()) }

// bytes flips the lowest bit, and the case bit, of every byte in turn.
func (m *mutator) bytes() {
	for i, c := range m.doc {
		m.splice("byte flipped", strconv.Itoa(i), i, i+1, string([]byte{c ^ 0x01}))
		m.splice("case bit flipped", strconv.Itoa(i), i, i+1, string([]byte{c ^ 0x20}))
	}
}

func (m *mutator) walk(v *ijson.Value) {
	switch v.Kind() {
	case ijson.Object:
		m.members(v)
	case ijson.Array:
		m.elements(v)
	default:
		m.leaf(v)
	}
}

// members removes, doubles and renames every member, adds one, and reorders.
func (m *mutator) members(v *ijson.Value) {
	m.splice("member added", v.Pointer(), end(v)-1, end(v)-1, comma(len(v.Members()))+`"zz":1`)
	start := v.Offset() + 1
	for i, member := range v.Members() {
		place, stop := member.Value.Pointer(), end(member.Value)
		text := string(m.doc[start:stop])
		if i > 0 {
			m.splice("member removed", place, start-1, stop, "")
		} else {
			m.splice("member removed", place, start, min(stop+1, end(v)-1), "")
		}
		m.splice("member doubled", place, stop, stop, ","+text)
		renamed := strings.ToUpper(text[1:2]) + text[2:]
		m.splice("member renamed by case", place, start+1, stop, renamed)
		m.splice("member renamed by look", place, start, stop, strings.Replace(text, "s", "\u017f", 1))
		m.walk(member.Value)
		start = stop + 1
	}
}

func comma(n int) string {
	if n == 0 {
		return ""
	}
	return ","
}

// elements drops and doubles every element, and swaps it with the next.
func (m *mutator) elements(v *ijson.Value) {
	list := v.Elements()
	for i, e := range list {
		start, stop := e.Offset(), end(e)
		switch {
		case i+1 < len(list):
			next := list[i+1]
			m.splice("element dropped", e.Pointer(), start, next.Offset(), "")
			m.splice("elements swapped", e.Pointer(), start, end(next), string(next.Raw())+","+string(e.Raw()))
		case i > 0:
			m.splice("element dropped", e.Pointer(), end(list[i-1]), stop, "")
		default:
			m.splice("element dropped", e.Pointer(), start, stop, "")
		}
		m.splice("element doubled", e.Pointer(), stop, stop, ","+string(e.Raw()))
		m.walk(e)
	}
}

// leaf replaces a leaf by a neighbour, by other values of its kind from the
// same document, and by values of other types.
func (m *mutator) leaf(v *ijson.Value) {
	place, raw := v.Pointer(), string(v.Raw())
	replace := func(kind, text string) {
		if text != raw {
			m.splice(kind, place, v.Offset(), end(v), text)
		}
	}
	if v.Kind() == ijson.Number {
		replace("number's neighbour", strconv.FormatInt(v.Int()+1, 10))
		replace("number's neighbour", strconv.FormatInt(v.Int()-1, 10))
		replace("number as text", strconv.Quote(raw))
		replace("number as fraction", raw+".0")
	} else {
		replace("text's neighbour", strconv.Quote(neighbour(v.Text())))
		replace("text cut", strconv.Quote(v.Text()[:max(0, len(v.Text())-1)]))
		replace("text with a space", strconv.Quote(v.Text()+" "))
	}
	for _, other := range m.leaves[kindOf(v)] {
		replace("other value of its kind", other)
	}
	for _, text := range []string{"null", "true", "[]", "{}", `""`, "0"} {
		replace("other type", text)
	}
}

// neighbour changes the last letter or digit of a text to the one beside it in
// its alphabet, so that its form stays as right as can be.
func neighbour(s string) string {
	b := []byte(s)
	for i := len(b) - 1; i >= 0; i-- {
		switch c := b[i]; {
		case c == 'Z' || c == 'z' || c == '9' || c == 'f':
			b[i]--
			return string(b)
		case c >= '0' && c < '9', c >= 'a' && c < 'z', c >= 'A' && c < 'Z':
			b[i]++
			return string(b)
		}
	}
	return s + "x"
}

var kinds = []struct {
	name string
	form *regexp.Regexp
}{
	{"digest", regexp.MustCompile(`^[0-9a-f]{64}$`)},
	{"time", regexp.MustCompile(`^\d{4}-\d\d-\d\dT`)},
	{"signature", regexp.MustCompile(`^[\w-]{86}$`)},
	{"public key", regexp.MustCompile(`^[\w-]{43}$`)},
	{"certificate", regexp.MustCompile(`^[\w-]{200,}$`)},
	{"protocol", regexp.MustCompile(`^svc\.`)},
	{"word", regexp.MustCompile(`^[A-Za-z]+$`)},
}

func kindOf(v *ijson.Value) string {
	if v.Kind() != ijson.String {
		return v.Kind().String()
	}
	for _, k := range kinds {
		if k.form.MatchString(v.Text()) {
			return k.name
		}
	}
	return "identifier"
}

// collect gathers the distinct leaves of each kind; of the digests, which are
// many, one in eight.
func (m *mutator) collect(v *ijson.Value) {
	for _, member := range v.Members() {
		m.collect(member.Value)
	}
	for _, e := range v.Elements() {
		m.collect(e)
	}
	if v.Kind() == ijson.Object || v.Kind() == ijson.Array {
		return
	}
	kind, raw := kindOf(v), string(v.Raw())
	if m.counts[kind]++; kind == "digest" && m.counts[kind]%8 != 0 {
		return
	}
	if !slices.Contains(m.leaves[kind], raw) {
		m.leaves[kind] = append(m.leaves[kind], raw)
	}
}
