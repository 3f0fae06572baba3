package unwrap

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

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

// TestHostileYAML: what is made to be expensive is read in linear time.
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
