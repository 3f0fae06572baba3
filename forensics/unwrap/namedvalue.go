package unwrap

import (
	"bytes"
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
)

// namedMember is a member in a text.
type namedMember struct {
	name
	values         []any  // each can be its value
	end            int    // of the value
	before, behind []byte // between the name and the value, and between that and the next name
	next           name
}

// memberBehind returns the member of a name in a text. It has no values if none are there.
func memberBehind(f *Finder, text []byte, n name) namedMember {
	m := namedMember{name: n, end: behindName(text, n)}
	isObject := n.member == "data" && n.inData == ""
	if isObject && !n.closes {
		m.values, m.end = objectsBehind(f, text, m.end)
	}
	m.next = nextName(text, m.end)
	m.behind = text[m.end:m.next.from]
	if isObject || n.closes {
		return m
	}
	near := m.behind[:min(len(m.behind), widestRow)]
	if value, at := valueIn(near, formsOf[n.member]); value != nil {
		m.values, m.end = []any{value}, m.end+at.to
		m.before, m.behind = m.behind[:at.from], m.behind[at.to:]
	}
	return m
}

// behindName returns where a name ends, with its quotes. Names of objects can be before it.
func behindName(text []byte, n name) int {
	from := n.from
	for from > max(0, n.from-farthest) && isOfIdentifier(text[from-1]) {
		from--
	}
	if n.to < len(text) && from > 0 && isQuote(text[n.to]) && text[from-1] == text[n.to] {
		return n.to + 1
	}
	return n.to
}

// valueIn returns the first value in a text behind a name, and where it is: of a form, or of any if that is nil.
func valueIn(gap []byte, form func() *regexp.Regexp) (any, span) {
	for t := nextToken(gap, 0); t.end > 0; t = nextToken(gap, t.end) {
		switch at := (span{t.from, t.end}); {
		case t.size() == 0 || t.isLabel(gap):
		case form == nil:
			return t.value(), at
		case form().MatchString(t.word):
			return t.word, at
		}
	}
	return nil, span{}
}

// token is a text in quotes, or a word, with the place of its letters.
type token struct {
	span
	end    int // behind its quote, and behind marks; 0 for none
	word   string
	quoted bool
}

// nextToken returns the next token of a text.
func nextToken(text []byte, i int) token {
	for ; i < len(text); i++ {
		t := token{span: span{i, i}, quoted: isQuote(text[i])}
		if n := literalEnd(text[i:]); t.quoted && n > 0 {
			decoded, _ := backslash.decodeLayer(nil, text[i+1:i+n], nil)
			t.span, t.end, t.word = span{i + 1, i + n}, i+n+1, string(decoded)
			return t
		}
		for t.to < len(text) && isOfIdentifier(text[t.to]) {
			t.to++
		}
		t.end = t.to
		word := bytes.TrimLeft(text[t.from:t.to], ".:@/")
		t.from = t.to - len(word)
		word = bytes.TrimRight(word, ".:@/")
		if t.to, t.word = t.from+len(word), string(word); strings.Trim(t.word, "-") != "" {
			t.quoted = false
			return t
		}
		i = max(i, t.end-1)
	}
	return token{}
}

// value returns the token as a value of JSON.
func (t *token) value() any {
	if constant := strings.TrimSuffix(t.word, "i"); !t.quoted && isConstant(constant) {
		return json.RawMessage(constant)
	}
	return t.word
}

// isLabel reports whether a token of a text is no value: a name, or the type or length of a value.
func (t *token) isLabel(text []byte) bool {
	behind, marks := bytes.TrimLeft(text[t.end:], " \t"), ":="
	if !t.quoted {
		marks = ":=(>"
	}
	return t.isLength(text) || !t.quoted && t.to < t.end && text[t.to] == ':' ||
		len(behind) > 0 && strings.IndexByte(marks, behind[0]) >= 0
}

// isLength reports whether a token is in brackets before a text in quotes.
func (t *token) isLength(text []byte) bool {
	rest := bytes.TrimLeft(text[t.end:], ") \t")
	return !t.quoted && text[min(t.end, len(text)-1)] == ')' && len(rest) > 0 && isQuote(rest[0])
}

// pairsIn returns the names and values that follow each other in a text, nil if they do not.
func pairsIn(text []byte) map[string]any {
	name, pairs := "", map[string]any{}
	for t := nextToken(text, 0); t.end > 0; t = nextToken(text, t.end) {
		behind := bytes.TrimLeft(text[t.end:], whiteSpace)
		opens := len(behind) > 0 && bytes.IndexByte([]byte("([{)"), behind[0]) >= 0 // an object, or a value with its type
		first, _, both := strings.Cut(t.word, ":")
		switch {
		case !t.quoted && (opens && (name == "" || behind[0] == '(') || bytes.HasSuffix(text[:t.from], []byte("</"))):
		case name != "" && t.isLength(text):
		case name == "" && both && !t.quoted:
			name, t.end = first, t.from+len(first)+1
		case name == "" && !t.quoted && bytes.HasPrefix(behind, []byte(">")): // an element
			value, _, _ := bytes.Cut(behind[1:], []byte("</"))
			one := token{word: html.UnescapeString(string(value))}
			pairs[t.word], t.end = one.value(), len(text)-len(behind)+1+len(value)
		case name == "":
			name = t.word
		default:
			pairs[name], name = t.value(), ""
		}
	}
	if name != "" || len(pairs) == 0 {
		return nil
	}
	return pairs
}

// isConstant reports whether a text is a number or a truth value in JSON.
func isConstant(text string) bool { return isNumber(text) || text == "true" || text == "false" }

func isQuote(c byte) bool { return c == '"' || c == '\'' }

// farthestObject is how far behind its name the object of the data can begin.
const farthestObject = 64

// dataLayers are the layers in which data is tried.
var dataLayers = []*layer{nil, backslash, quotes, entities}

// objectsBehind returns the readings of the data behind its name: of an object of JSON, which ends there, or of
// names and values up to the next name of a member. That can be the name of one of its own.
func objectsBehind(f *Finder, text []byte, at int) (objects []any, end int) {
	next := nextName(text, at)
	if from := bytes.IndexByte(text[at:min(next.from, at+farthestObject)], '{'); from >= 0 {
		from += at
		for _, how := range dataLayers {
			if value, size := objectAt(f, text[from:], how); value != nil {
				objects, end = append(objects, value), max(end, from+size)
			}
		}
		if end > 0 {
			return objects, end
		}
	}
	for n := 0; n < mostCommon && f.Looked <= f.budget; n++ {
		part := text[at:min(next.from, at+widestRow)]
		if pairs := pairsIn(part); pairs != nil {
			objects = append(objects, pairs)
		}
		f.Looked += int64(len(part))
		if !slices.Contains(common, next.member) {
			break
		}
		next = nextName(text, next.to)
	}
	return objects, at
}

// mostCommon is how many members of the data can have a name of a member of an event.
const mostCommon = 8

// objectAt returns the object of JSON at the beginning of a text, and its end there. It is written in a layer.
func objectAt(f *Finder, text []byte, how *layer) (object any, end int) {
	for size := 1 << 10; f.Looked <= f.budget; size *= 8 {
		part := text[:min(len(text), size)]
		l, decoded := &f.mended, part
		if f.Looked += int64(len(part)); how != nil {
			if how.nextEscape(part) == len(part) {
				break
			}
			l.undoLayer(how, part)
			decoded = l.decoded
		}
		l.walk.resetTo(decoded)
		end, whole := l.walk.readValue(0)
		if !whole && end >= len(decoded) && len(part) == size {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(decoded[:end]))
		if d.UseNumber(); !whole || d.Decode(&object) != nil {
			break
		}
		if how != nil {
			end = how.sourcePlace(part, l.marks, end)
		}
		return dataOf(object), end
	}
	return nil, 0
}

// dataOf returns the data in a value: that, or its only member, which is a text.
func dataOf(value any) any {
	if only, ok := value.(map[string]any); ok && len(only) == 1 {
		for _, one := range only {
			if text, ok := one.(string); ok && strings.HasPrefix(text, "{") {
				return json.RawMessage(text)
			}
		}
	}
	return value
}
