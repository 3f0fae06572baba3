package safetext

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n     int
		thing string
		want  string
	}{
		{1, "event", "1 event"}, {0, "event", "0 events"}, {2, "event", "2 events"},
		{1, "distinct witness", "1 distinct witness"}, {2, "distinct witness", "2 distinct witnesses"},
		{2, "branch", "2 branches"}, {2, "hash", "2 hashes"}, {2, "box", "2 boxes"}, {2, "path", "2 paths"},
		{2, "delivery", "2 deliveries"}, {2, "key", "2 keys"}, {2, "copy", "2 copies"}, {1, "copy", "1 copy"},
	} {
		check.Equal(t, Count(c.n, c.thing), c.want, "%d %s", c.n, c.thing)
	}
	got := Count(uint64(1), "batch")
	check.That(t, got == "1 batch", "%v", got)
}

// TestJSON: the document has the same content, in printable ASCII alone.
func TestJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.String().Draw(t, "text")
		doc := must.Get(json.Marshal(map[string]string{want: want}))(t)
		var found map[string]string
		ascii := JSON(doc)
		err := json.Unmarshal(ascii, &found)
		must.That(t, err == nil && found[want] == want, "%q became %s, %v", want, ascii, err)
		for _, c := range ascii {
			must.That(t, c >= ' ' && c <= '~', "%q became %q", want, ascii)
		}
	})
	found := string(JSON([]byte("\"\u007f\u202e\U0001f600\"")))
	check.That(t, found == `"\u007f\u202e\ud83d\ude00"`, "found %s", found)
}

func TestExcerpt(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", `""`},
		{"plain", `a "b"`, `"a \"b\""`},
		{"hostile", "\x1b[m\u202e\xff", `"\x1b[m\u202e\xff"`},
		{"as long as may be", strings.Repeat("x", 8), `"xxxxxxxx"`},
		{"too long", strings.Repeat("x", 9), `"xxxxxxxx"...`},
		{"cut before a character", "xxxxxx\u20acx", `"xxxxxx"...`},
		{"cut behind a character", "xxxxx\u20acx", `"xxxxx\u20ac"...`},
		{"not UTF-8", strings.Repeat("\x80", 9), `"` + strings.Repeat(`\x80`, 8) + `"...`},
	} {
		check.Equal(t, Excerpt(tt.text, 8), tt.want, "%s", tt.name)
		check.Equal(t, Excerpt([]byte(tt.text), 8), tt.want, "%s, octets", tt.name)
	}
}

func TestPhrase(t *testing.T) {
	got := Phrase("the key \"\x1b\" of Łódź")
	check.That(t, got == "the key \"\\x1b\" of Łódź", "%v", got)
	got = Phrase(strings.Repeat("x", phrase))
	check.That(t, got == strings.Repeat("x", phrase), "cut to %d", len(got))
	if got := Phrase(strings.Repeat("x", phrase-1) + "\u20ac"); got != strings.Repeat("x", phrase-1)+"..." {
		t.Errorf("%d octets end with %q", len(got), got[phrase-4:])
	}
}

func TestCut(t *testing.T) {
	for text, want := range map[string]string{"": "", "12345678": "12345678", "123456789": "12345678...",
		"1234567\u20ac": "1234567..."} {
		check.Equal(t, Cut(text, 8), want, "%q", text)
	}
}

func TestMarkdown(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"plain words, and no more.", "plain words, and no more."},
		{"a_b *c* <d> [e](f) | g ~h~ &amp; #i !j $k", `a\_b \*c\* \<d\> \[e\](f) \| g \~h\~ \&amp; \#i \!j \$k`},
		{"- item", `\- item`},
		{"12. item", "&#49;2. item"},
		{"line\nbreak", `line\\nbreak`},
		{"at 10:00:00Z", "at 10:00:00Z"},
		{"of a@b", "`of a@b`"},
		{"HTTPS://evil", "`HTTPS://evil`"},
		{"WWW.evil", "`WWW.evil`"},
		{"mailto:a", "`mailto:a`"},
		{"see #1", "`see #1`"},
		{"see GH-1", "`see GH-1`"},
		{"weigh-1", "weigh-1"},
		{":tada:", "`:tada:`"},
		{"@` `` x", "```@` `` x```"},
	} {
		check.Equal(t, Markdown(tt.text), tt.want, "%q became", tt.text)
	}
}

func TestMarkdownCode(t *testing.T) {
	for _, tt := range []struct{ text, code, cell string }{
		{"a|b", "`a|b`", "`a\\|b`"},
		{`a\|b|`, "`a\\|b|`", "`a\\\\x7cb\\x7c`"},
		{"`", "`` ` ``", "`` ` ``"},
		{"", "`  `", "`  `"},
		{" a ", "`  a  `", "`  a  `"},
	} {
		check.Equal(t, MarkdownCode(tt.text), tt.code, "%q became", tt.text)
		check.Equal(t, MarkdownCellCode(tt.text), tt.cell, "%q in a cell became", tt.text)
	}
}

func TestMarkdownCell(t *testing.T) {
	for text, want := range map[string]string{"a|b": `a\|b`, `a\|b`: `a\\\|b`, "a|@b": "`a\\|@b`", "#1|": "`#1\\|`"} {
		check.Equal(t, MarkdownCell(text), want, "%q became", text)
	}
}

// TestPattern: a pattern is compiled at its first use, and once.
func TestPattern(t *testing.T) {
	Pattern(`(`)
	number := Pattern(`^[0-9]+$`)
	first := number()
	check.That(t, number() == first && number().MatchString("07") && !number().MatchString("x7"),
		"the pattern is another one")
}
