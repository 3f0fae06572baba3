package shapes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// spelling is how a product writes JSON.
type spelling struct {
	ascii  bool   // \u for everything that is not ASCII: Python, PHP
	slash  bool   // \/: PHP, ClickHouse, SQL Server
	html   bool   // \u003c for <, > and &: Go
	lines  bool   // \u2028 and \u2029: Go, PHP, ClickHouse
	also   string // more characters that are written as \u: Gson, .NET
	upper  bool   // hexadecimal digits in upper case: Jackson, .NET
	colon  string
	comma  string
	order  func(a, b string) int // of members; nil keeps it
	indent string                // "" is one line
}

// How products spell JSON.
var (
	compact        = spelling{colon: ":", comma: ","}
	goSpelling     = spelling{html: true, lines: true, colon: ":", comma: ","}
	python         = spelling{ascii: true, colon: ": ", comma: ", "}
	php            = spelling{slash: true, lines: true, colon: ":", comma: ","}
	awsCLI         = spelling{colon: ": ", indent: "    "}
	gcloud         = spelling{colon: ": ", indent: "  "}
	pythonIndented = spelling{ascii: true, colon: ": ", comma: ", ", indent: "    "}
	jackson        = spelling{upper: true, colon: ":", comma: ","}
	gson           = spelling{also: "=<>&'", lines: true, colon: ":", comma: ","}
	dotnet         = spelling{ascii: true, upper: true, also: "<>&'+`\"", colon: ":", comma: ","}
	newtonsoft     = spelling{lines: true, colon: ":", comma: ","}
	rsyslogged     = spelling{slash: true, upper: true, colon: ":", comma: ", "}
	ascii          = spelling{ascii: true, colon: ":", comma: ","}
	byLength       = spelling{colon: ": ", comma: ", ", order: shortFirst} // jsonb, and MySQL's JSON
	sorted         = spelling{colon: ":", comma: ",", order: strings.Compare}
)

func shortFirst(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// quote writes a string.
func (s spelling) quote(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		s.character(&out, r, text[i:i+size])
		i += size
	}
	out.WriteByte('"')
	return out.String()
}

// short are the escapes of two characters.
var short = map[rune]string{
	'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`,
}

func (s spelling) character(out *strings.Builder, r rune, octets string) {
	escape := `\u%04x`
	if s.upper {
		escape = `\u%04X`
	}
	switch {
	case strings.ContainsRune(s.also, r):
		fmt.Fprintf(out, escape, r)
	case short[r] != "":
		out.WriteString(short[r])
	case s.slash && r == '/':
		out.WriteString(`\/`)
	case r < 0x20, s.html && strings.ContainsRune("<>&", r), s.lines && (r == 0x2028 || r == 0x2029),
		s.ascii && r > 0x7e && r < 0x10000:
		fmt.Fprintf(out, escape, r)
	case s.ascii && r > 0xffff:
		high, low := utf16.EncodeRune(r)
		fmt.Fprintf(out, escape+escape, high, low)
	default:
		out.WriteString(octets)
	}
}

// object writes names and values, which are JSON text, in the order given.
func (s spelling) object(pairs ...string) string {
	var parts []string
	for i := 0; i < len(pairs); i += 2 {
		parts = append(parts, s.quote(pairs[i])+s.colon+pairs[i+1])
	}
	return "{" + strings.Join(parts, s.comma) + "}"
}

// member is one member of an object: its name and the text of its value.
type member struct {
	name  string
	value json.RawMessage
}

// members takes an object apart. It panics if the text is none: lines are genuine.
func members(text []byte) []member {
	d := json.NewDecoder(strings.NewReader(string(text)))
	must(d.Token())
	var all []member
	for d.More() {
		m := member{name: must(d.Token()).(string)}
		if err := d.Decode(&m.value); err != nil {
			panic(err)
		}
		all = append(all, m)
	}
	return all
}

// must returns a value. It panics if there is an error: what shapes are made of is genuine.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// respell writes a JSON value as the product does.
func (s spelling) respell(line string) string { return s.value([]byte(line), "\n") }

func (s spelling) value(text []byte, feed string) string {
	switch text[0] {
	case '{':
		all := members(text)
		if s.order != nil {
			slices.SortStableFunc(all, func(a, b member) int { return s.order(a.name, b.name) })
		}
		var parts []string
		for _, m := range all {
			parts = append(parts, s.quote(m.name)+s.colon+s.value(m.value, feed+s.indent))
		}
		return s.wrap("{", parts, "}", feed)
	case '[':
		var items []json.RawMessage
		must(0, json.Unmarshal(text, &items))
		var parts []string
		for _, item := range items {
			parts = append(parts, s.value(item, feed+s.indent))
		}
		return s.wrap("[", parts, "]", feed)
	case '"':
		var decoded string
		must(0, json.Unmarshal(text, &decoded))
		return s.quote(decoded)
	}
	return string(text)
}

// wrap puts brackets around the parts of a value, on lines of their own if the
// product indents.
func (s spelling) wrap(before string, parts []string, after, feed string) string {
	if s.indent == "" || len(parts) == 0 {
		return before + strings.Join(parts, s.comma) + after
	}
	inner := feed + s.indent
	return before + inner + strings.Join(parts, ","+inner) + feed + after
}
