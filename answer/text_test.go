package answer

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/must"
)

// asText returns a document as text.
func asText(t rapid.TB, d *Doc, color bool) string {
	var b strings.Builder
	must.Do(t, WriteText(&b, d, color))
	return b.String()
}

func TestWriteText(t *testing.T) {
	digest := strings.Repeat("0123456789abcdef", 4)
	for name, c := range map[string]struct {
		doc  Doc
		want string
	}{
		"verdict, limits and reason": {Doc{Title: "2 logs", Verdict: "inconclusive", LeftOut: []Text{Say("a file")},
			Lead: []Block{Para(Say("A file was not read.")), Pairs{Value("ledger", "new")}}},
			"OPEN  2 logs\n  A file was not read.\n  Not examined: a file\n  ledger  new\n"},
		"pairs in one column": {Doc{Head: []Block{Pairs{Value("a", "one"), Value("longer", digest+digest),
			Value("none", ""), {"b", Cell{Say("two"), Say("three")}}, Value("c", strings.Repeat("word ", 16))}}},
			"  a       one\n  longer\n    " + digest + digest + "\n  b       two\n          three\n" +
				"  c       " + strings.Repeat("word ", 13) + "word\n          word word\n"},
		"sections, cards and folds": {Doc{Title: "t", Sections: []Section{{Heading: "Findings", Blocks: []Block{Card{"",
			"finding", Say(Strong("high", Bad), "  ", Code("x.y")), []Block{Para(Say("It is wrong."))}},
			Fold{Say("more"), []Block{Note(Say("note"))}}, Left{N: 2, Of: "findings", Rest: Rest{Command: "--full"}},
			Left{}}}, {Blocks: []Block{List{{Say("item"), []Text{Say("below")}}}}}}, Foot: []Block{Para(Say("end"))}},
			"t\n\nFindings\n  high  x.y\n    It is wrong.\n  more\n    note\n  and 2 more findings: --full\n\n" +
				"item\n  below\n\nend\n"},
		"a next command": {Doc{Title: "t", Next: []string{"svc-verify", "walk", strings.Repeat("x", 40), "--trust",
			"my trust's", "\x1b"}}, "t\nNext: svc-verify walk " + strings.Repeat("x", 40) + ` --trust \
      'my trust'\''s' $'\033'
`},
		"a table": {Doc{Title: "t", Head: []Block{Table{Columns: Columns("Name", "name", "N", "number", "What", ""),
			Rows: [][]Cell{Row(Name("a b"), 5, "x"), Row(Name("c"), 1234, Cell{Say("y"), Say("z")})}}}},
			"t\n  Name       N  What\n  \"a b\"      5  x\n  c      1,234  y\n                z\n"},
		"a table that is too wide": {Doc{Title: "t", Head: []Block{Table{Columns: Columns("Name", "name", "N", "number"),
			Rows: [][]Cell{Row(Name(digest), Code(digest))}}}}, "t\n  " + digest + "\n    N " + digest + "\n"},
	} {
		got := asText(t, &c.doc, false)
		check.That(t, got == c.want, "%s:\n%s\nexpected:\n%s", name, got, c.want)
	}
}

// TestVerdictAgain: a text that is longer than a screen ends with the verdict and its reason.
func TestVerdictAgain(t *testing.T) {
	for lines, again := range map[int]bool{ScreenLines - 2: false, ScreenLines - 1: true} {
		d := &Doc{Title: "a", Verdict: "rejected", Lead: []Block{Para(Say("It was altered."))}}
		for i := range lines {
			d.Head = append(d.Head, Para(Say(i)))
		}
		head := "REJECTED  a\n  It was altered.\n"
		text := asText(t, d, false)
		check.That(t, strings.HasPrefix(text, head) && strings.HasSuffix(text, "\n\n"+head) == again,
			"%d lines:\n%s", lines, text)
	}
}

// TestTextLines: no line is wider than a terminal if no word is, colours change nothing else, and lines are counted.
func TestTextLines(t *testing.T) {
	escapes := regexp.MustCompile("\x1b\\[[0-9;]*m")
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-z]{1,8}`))
		d := allBlocks(func() string { return strings.Join(words.Draw(t, "words"), " ") })
		plain, colored := asText(t, d, false), asText(t, d, true)
		stripped := escapes.ReplaceAllString(colored, "")
		must.That(t, stripped == plain && stripped != colored, "with colours:\n%s\nwithout:\n%s", colored, plain)
		for line := range strings.Lines(plain) {
			line = strings.TrimSpace(line)
			must.That(t, columns.Width(line) <= Width || !strings.Contains(line, " ") || strings.HasPrefix(line, "'"),
				"a line is too wide: %s", line)
		}
		short := &Doc{Title: "t", Head: d.Head, Next: d.Next}
		n, want := short.Lines(), strings.Count(asText(t, short, false), "\n")
		must.That(t, n == want, "%d lines were counted, expected %d", n, want)
	})
}

// TestFirstBlocks: the items that a list leaves out are added to the number already left out.
func TestFirstBlocks(t *testing.T) {
	entry := func(n *int) Block { return Entry(Say(*n), Say(""), Say("below")) }
	want := "t\n"
	for i := range MostRows {
		want += fmt.Sprintf("  %d\n    below\n", i)
	}
	all := make([]int, MostRows+1)
	for i := range all {
		all[i] = i
	}
	got := asText(t, &Doc{Title: "t", Head: FirstBlocks(all, Left{N: 2, Of: "numbers"}, entry)}, false)
	if want += "  and 3 more numbers\n"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := asText(t, &Doc{Title: "t", Head: []Block{Entry(Say("a"))}}, false); got != "t\n  a\n" {
		t.Error(got)
	}
}

func TestSentencePara(t *testing.T) {
	for clause, want := range map[string]string{"of 2 logs, 1 is bad": "Of 2 logs, 1 is bad.", "": ".", "one.": "One.",
		"log/a: it is bad": "log/a: it is bad.", "2 bad": "2 bad."} {
		got := (Cell{Text(SentencePara(clause))}).joinLines("")
		check.That(t, got == want, "%q: %q", clause, got)
	}
}

func TestNameList(t *testing.T) {
	for want, list := range map[string][]string{"": nil, `a, "b c"`: {"a", "b c"},
		"1, 2, 3, 4, 5 and 1 more": {"1", "2", "3", "4", "5", "6"}} {
		got := NameList(list, 5).String()
		check.That(t, got == want, "%q: %s", list, got)
	}
}

// TestToneOfAnswers: of verdicts only verified is good; states and severities have the tone of their effect, and other
// words are warnings.
func TestToneOfAnswers(t *testing.T) {
	for verdict, want := range map[string]Tone{"verified": Good, "rejected": Bad, "inconclusive": Warn, "unreadable": Warn,
		"": Warn, "valid": Good, "holds": Good, "complete": Good, "faithful": Good, "invalid": Bad, "broken": Bad,
		"incomplete": Bad, "altered": Bad, "differs": Bad, "critical": Bad, "high": Bad, "medium": Warn, "info": Soft} {
		d := NewAnswer(verdict, "a")
		check.That(t, d.Tone == want && d.Verdict == verdict && d.Title == "a", "%q: %+v", verdict, d)
	}
}

// TestColors: each verdict and severity has a colour, and verdicts have different ones.
func TestColors(t *testing.T) {
	seen := map[string]bool{}
	for _, tone := range []Tone{Good, Bad, Warn, Soft} {
		text := Span{Text: "x", Style: Answered, Tone: tone}.colouredText(true)
		want := fmt.Sprintf("\x1b[1;%smx\x1b[0m", colors[tone])
		check.That(t, text == want && !seen[text], "%s: %q", tone, text)
		seen[text] = true
	}
}
