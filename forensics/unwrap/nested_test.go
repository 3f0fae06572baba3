package unwrap

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/must"
)

// layers write a text within a text. Any of them can stand in any other.
var layersOf = map[string]func(string) string{
	"JSON":   func(s string) string { return `{"log":` + quoted(s) + `,"n":1}` },
	"string": quoted,
	"CSV":    func(s string) string { return `7,"` + strings.ReplaceAll(s, `"`, `""`) + `",x` },
	"XML":    func(s string) string { return "<e>" + html.EscapeString(s) + "</e>" },
	"base64": func(s string) string { return "data: " + base64.StdEncoding.EncodeToString([]byte(s)) + " end" },
	"prefix": func(s string) string { return "2026-03-02T09:00:00Z berlin edge[812]: " + s },
	"list":   func(s string) string { return `[1,{"a":` + quoted(s) + `}]` },
}

// TestNestings: whatever lines are written in, and however deep, exactly the events
// that are there are found, byte for byte.
func TestNestings(t *testing.T) {
	lines := genuine(8)
	names := []string{"JSON", "string", "CSV", "XML", "base64", "prefix", "list"}
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		var want []string
		for range rapid.IntRange(1, 6).Draw(t, "lines") {
			if rapid.IntRange(0, 3).Draw(t, "other") == 0 {
				text.WriteString("GET /health 200 {\"ok\":true}\n")
				continue
			}
			line := rapid.SampledFrom(lines).Draw(t, "line")
			want = append(want, line)
			for _, name := range rapid.SliceOfN(rapid.SampledFrom(names), 0, 5).Draw(t, "nesting") {
				line = layersOf[name](line)
			}
			text.WriteString(line + "\n")
		}
		var f Finder
		var got []string
		r := f.Find([]byte(text.String()))
		for _, m := range r.Matches {
			got = append(got, string(m.Body))
		}
		must.That(t, fmt.Sprint(got) == fmt.Sprint(want) && len(r.Pieces) == 0,
			"%d of %d events, pieces %v\n%.3000s", len(got), len(want), r.Pieces, text.String())
	})
}

// FuzzFind: nothing is found that was not there. The digits of the hash of each event
// that is found without decoding digits stand in the text.
func FuzzFind(f *testing.F) {
	for _, form := range forms {
		f.Add([]byte(form(genuine(1)[0])))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var finder Finder
		r := finder.Find(b)
		plain := onlyLetters(withoutEscapes(b))
		for _, m := range r.Matches {
			must.That(t, m.Start >= 0 && m.Start < m.End && m.End <= len(b),
				"found at %d to %d of %d", m.Start, m.End, len(b))
			if len(m.Steps) == 0 && !m.Rebuilt && m.Kind != Packed && !bytes.Equal(b[m.Start:m.End], m.Body) {
				t.Fatalf("%q is not what stands there", m.Body)
			}
			must.That(t, m.Kind != Event || len(m.Steps) >= 2 || !Holds(m.Body) || digitsDecoded(m.Steps) ||
				bytes.Contains(plain, hashOf(m.Body)), "%v: %q was not there", m.Steps, m.Body)
		}
		for _, p := range r.Pieces {
			must.That(t, p.Start >= 0 && p.Start <= p.End && p.End <= len(b),
				"a piece at %d to %d of %d", p.Start, p.End, len(b))
		}
		must.That(t, finder.Looked <= int64(costOfAll+costOfNames+8)*int64(len(b))+costOfAll<<12,
			"%d octets were looked at in %d", finder.Looked, len(b))
	})
}

// digitsDecoded reports whether a step decodes digits, in which no letter shows.
func digitsDecoded(steps []string) bool {
	for _, s := range steps {
		switch s {
		case "base64", "hexadecimal", "base32", "base32 with its other digits", "numbers in a row", "uuencode",
			"base85", "a hexadecimal dump", "utf-16":
			return true
		}
	}
	return false
}

// hashOf returns the digits of the hash that is written in an event.
func hashOf(body []byte) []byte {
	_, rest, _ := bytes.Cut(body, []byte(`"hash":"`))
	hash, _, _ := bytes.Cut(rest, []byte(`"`))
	return hash
}

// onlyLetters leaves the letters and digits of a text.
func onlyLetters(b []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, b)
}

// yamlEvent writes an event as a mapping of YAML, with a text of its data as it is given.
func yamlEvent(line, text string) string {
	var e map[string]any
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		panic(err)
	}
	body := e["body"].(map[string]any)
	var out strings.Builder
	fmt.Fprintf(&out, "body:\n  data:\n    n: 0\n    text: %s\n", text)
	for _, name := range []string{"log_id", "occurred_at", "protocol", "salt", "sequence", "tenant_id", "type"} {
		fmt.Fprintf(&out, "  %s: %s\n", name, must.Have(json.Marshal(body[name])))
	}
	for _, name := range EventMembers()[1:] {
		fmt.Fprintf(&out, "%s: %s\n", name, must.Have(json.Marshal(e[name])))
	}
	return out.String()
}

// listItem puts a mapping into a list.
func listItem(mapping string) string {
	return "- " + strings.TrimSpace(strings.ReplaceAll(mapping, "\n", "\n  ")) + "\n"
}

// TestYAML: a mapping is an event in any spelling of its values. An altered one is an event
// only if no value has another reading, and one with a value that no event has is a piece.
func TestYAML(t *testing.T) {
	const is, isAltered, isPiece = "an event", "an altered event", "a piece"
	line := eventsWith("on a line, as it is")[0]
	yes := eventsWith("yes")[0]
	breaks := eventsWith("a\nb\n")[0]
	for name, c := range map[string]struct{ text, want string }{
		"plain":                {yamlEvent(line, "on a line, as it is"), is},
		"plain, with comment":  {yamlEvent(line, "on a line, as it is  # says who"), is},
		"quotes":               {yamlEvent(line, `"on a line\x2c as it \`+"\n      is\""), is},
		"apostrophes":          {yamlEvent(line, `'on a line, as it is'`), is},
		"folded in quotes":     {yamlEvent(line, "\"on a line,\n\n      as it is\""), isPiece},
		"over lines":           {yamlEvent(line, "on a\n      line, as it\n      is"), is},
		"literal":              {yamlEvent(line, "|-\n      on a line, as it is"), is},
		"literal with a feed":  {yamlEvent(breaks, "|\n      a\n      b"), is},
		"folded":               {yamlEvent(line, ">-\n      on a line,\n      as it is"), is},
		"quotes behind spaces": {yamlEvent(line, "\"on a line, as it     \n      is\""), is},
		"quotes on a line":     {yamlEvent(line, "\"on a line, as it is     \n      \""), isPiece},
		"a tag":                {yamlEvent(line, `!!str "on a line, as it is"`), is},
		"vague":                {yamlEvent(yes, "yes"), is},
		"in a list":            {"items:\n" + listItem(yamlEvent(line, "on a line, as it is")) + "kind: List\n", is},
		"behind a document":    {"a: 1\n---\n" + yamlEvent(line, "on a line, as it is") + "---\nb: 2\n", is},
		"with other members":   {yamlEvent(line, "on a line, as it is") + "at: now\n", is},
		"altered":              {yamlEvent(line, "as it is"), isAltered},
		"altered, quotes":      {yamlEvent(line, `"as it is"`), isAltered},
		"altered, over lines":  {yamlEvent(line, "as it\n      is"), isPiece},
		"altered, folded":      {yamlEvent(line, ">-\n      as it\n      is"), isPiece},
		"altered, vague":       {yamlEvent(line, "yes"), isPiece},
		"an anchor":            {yamlEvent(line, "&a on a line, as it is"), isPiece},
		"an alias":             {yamlEvent(line, "*a"), isPiece},
		"null":                 {yamlEvent(line, "null"), isPiece},
		"nothing":              {yamlEvent(line, ""), isPiece},
		"an open quote":        {yamlEvent(line, `"on a line, as it is`), isPiece},
		"an octal literal":     {yamlEvent(line, "|2-\n      on a line, as it is"), isPiece},
		"cut":                  {yamlEvent(line, "on a line, as it is")[:400], isPiece},
	} {
		r := new(Finder).Find([]byte(c.text))
		got := isPiece
		if len(r.Matches) > 0 {
			if got = isAltered; Holds(r.Matches[0].Body) {
				got = is
			}
		}
		if got != c.want || len(r.Matches)+len(r.Pieces) != 1 {
			t.Errorf("%s: %s, want %s; %d events, %d pieces\n%s", name, got, c.want, len(r.Matches), len(r.Pieces), c.text)
		}
	}
}

// TestHostileYAML: input that is made to be expensive is read in linear time.
func TestHostileYAML(t *testing.T) {
	looked := func(n int) int64 {
		var f Finder
		f.Find([]byte(strings.Repeat("body:\n  protocol: svc.\n", n) + "a: &a [*a, *a]\n" + strings.Repeat("- ", n)))
		return f.Looked
	}
	if once, twice := looked(2000), looked(4000); float64(twice) > 2.2*float64(once) {
		t.Errorf("%d octets looked at, %d in twice as much", once, twice)
	}
}
