package shapes

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// spelling is how a product writes JSON.
type spelling struct {
	ascii bool   // \u for everything that is not ASCII: Python, PHP
	slash bool   // \/: PHP, ClickHouse, SQL Server
	lines bool   // \u2028 and \u2029: Go, PHP, ClickHouse
	upper bool   // hexadecimal digits in upper case: Jackson, .NET
	also  string // more characters that are written as \u: Go, Gson, .NET

	colon, comma string
	indent       string                // "" is one line
	order        func(a, b string) int // of members; nil keeps it

	object, list [2]string                // brackets
	name, text   func(string) string      // how names and strings are written
	other        func(text string) string // how numbers, true, false and null are written
}

// orders of members.
var orders = map[string]func(a, b string) int{
	"by-length":         func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }, // jsonb
	"by-name":           strings.Compare,
	"by-name-backwards": func(a, b string) int { return strings.Compare(b, a) },
}

// escaping returns a spelling from words for its escapes and its order. A word that is neither
// is characters that it writes as \u.
func escaping(words string) (s spelling) {
	for word := range strings.FieldsSeq(words) {
		flag := map[string]*bool{"ascii": &s.ascii, "slash": &s.slash, "lines": &s.lines, "upper": &s.upper}[word]
		switch order := orders[word]; {
		case flag != nil:
			*flag = true
		case order != nil:
			s.order = order
		default:
			s.also += word
		}
	}
	return s
}

// respellJSON writes JSON on one line.
func respellJSON(words, colon, comma, text string) string {
	s := escaping(words)
	s.colon, s.comma = colon, comma
	return s.writeRespelled(text)
}

// indentJSON writes JSON with each value on a line of its own.
func indentJSON(words, colon, indent, text string) string {
	s := escaping(words)
	s.colon, s.indent = colon, indent
	return s.writeRespelled(text)
}

// Forms similar to JSON.
var (
	// DynamoDB has each value in an object with its type.
	dynamo = spelling{
		colon: ":", comma: ",", object: [2]string{`{"M":{`, "}}"}, list: [2]string{`{"L":[`, "]}"},
		name: spelling{}.writeString, text: func(s string) string { return `{"S":` + spelling{}.writeString(s) + "}" },
		other: func(text string) string {
			if isNumber(text) {
				return `{"N":"` + text + `"}`
			}
			return `{"BOOL":` + text + "}"
		},
	}

	// extended is MongoDB's canonical mode.
	extended = spelling{colon: ":", comma: ",", other: func(text string) string {
		switch {
		case !isNumber(text):
			return text
		case isSmall(text):
			return `{"$numberInt":"` + text + `"}`
		}
		return `{"$numberLong":"` + text + `"}`
	}}

	// javascript has names without quotes, and strings in single ones.
	javascript = spelling{
		colon: ": ", comma: ", ", object: [2]string{"{ ", " }"}, list: [2]string{"[ ", " ]"}, text: inspectString,
		name: func(name string) string {
			if identifier.MatchString(name) {
				return name
			}
			return inspectString(name)
		},
	}

	// identifier is a name of JavaScript that needs no quotes.
	identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

	pythonDict = spelling{
		colon: ": ", comma: ", ", text: pythonRepr,
		other: strings.NewReplacer("true", "True", "false", "False").Replace,
	}
)

// isNumber reports whether a JSON value is one.
func isNumber(text string) bool { return strings.IndexByte("-0123456789", text[0]) >= 0 }

// isSmall reports whether a number has 32 bits.
func isSmall(text string) bool {
	_, err := strconv.ParseInt(text, 10, 32)
	return err == nil
}

// short are the escapes of two characters.
var short = map[rune]string{
	'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`,
}

// writeString writes a string.
func (s spelling) writeString(text string) string {
	never := func(rune) bool { return false }
	return `"` + eachCharacter(text, never, s.escapeCharacter) + `"`
}

// escapeCharacter is a character, or its escape.
func (s spelling) escapeCharacter(r rune) string {
	format := `\u%04x`
	if s.upper {
		format = `\u%04X`
	}
	switch {
	case strings.ContainsRune(s.also, r):
		return unitsOf(format, r)
	case s.slash && r == '/':
		return `\/`
	case short[r] != "":
		return short[r]
	case r < 0x20, s.lines && (r == 0x2028 || r == 0x2029), s.ascii && r > 0x7e:
		return unitsOf(format, r)
	}
	return string(r)
}

// member is one member of an object: its name and the text of its value.
type member struct {
	Name  string
	value json.RawMessage
}

// ColumnText is the value as a column has it: an object, or a string that needs no escapes.
func (m member) ColumnText() string { return strings.Trim(string(m.value), `"`) }

// membersOf splits an object into its members. It panics if the text is none: lines are
// genuine.
func membersOf(text string) []member {
	d := json.NewDecoder(strings.NewReader(text))
	seal.Must(d.Token())
	var all []member
	for d.More() {
		m := member{Name: seal.Must(d.Token()).(string)}
		seal.Do(d.Decode(&m.value))
		all = append(all, m)
	}
	return all
}

// decodeValue is a JSON value: a list or a string.
func decodeValue[T any](text string) (value T) {
	seal.Do(json.Unmarshal([]byte(text), &value))
	return value
}

// writeRespelled writes a JSON value as the product does.
func (s spelling) writeRespelled(text string) string {
	if s.text == nil {
		s.text = s.writeString
	}
	if s.name == nil {
		s.name = s.text
	}
	if s.other == nil {
		s.other = func(text string) string { return text }
	}
	return s.writeValue(text, "\n")
}

func (s spelling) writeValue(text, feed string) string {
	switch text[0] {
	case '{':
		all := membersOf(text)
		if s.order != nil {
			slices.SortStableFunc(all, func(a, b member) int { return s.order(a.Name, b.Name) })
		}
		var parts []string
		for _, m := range all {
			parts = append(parts, s.name(m.Name)+s.colon+s.writeValue(string(m.value), feed+s.indent))
		}
		return s.wrapParts(cmp.Or(s.object, [2]string{"{", "}"}), parts, feed)
	case '[':
		var parts []string
		for _, item := range decodeValue[[]json.RawMessage](text) {
			parts = append(parts, s.writeValue(string(item), feed+s.indent))
		}
		return s.wrapParts(cmp.Or(s.list, [2]string{"[", "]"}), parts, feed)
	case '"':
		return s.text(decodeValue[string](text))
	}
	return s.other(text)
}

// wrapParts puts brackets around the parts of a value, on lines of their own if the
// product indents.
func (s spelling) wrapParts(brackets [2]string, parts []string, feed string) string {
	if s.indent == "" || len(parts) == 0 {
		return brackets[0] + strings.Join(parts, s.comma) + brackets[1]
	}
	inner := feed + s.indent
	return brackets[0] + inner + strings.Join(parts, ","+inner) + feed + brackets[1]
}
