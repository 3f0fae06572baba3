package answer

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/answer/answertest"
	"github.com/svc-edge/svc-verify/internal/must"
)

// allBlocks is a document that has every kind of block and style, with drawn texts.
func allBlocks(text func() string) *Doc {
	line := func() Text {
		return Say("a", text(), " ", Name("n"+text()), " ", Code("c"+text()), " ", Strong("s"+text(), Bad), " ",
			Aside("i"+text()), " ", Span{Text: "t" + text(), Style: Tagged, Tone: Good}, " ",
			Span{Text: "o" + text(), Style: Toned, Tone: Warn}, " ",
			Span{Text: "v" + text(), Style: Answered, Tone: Warn, Link: "id"}, 1234)
	}
	cell := func() Cell { return Cell{line(), line()} }
	left := Rest{File: text(), Command: "x"}.Left(3, "things")
	blocks := []Block{Para(line()), Note(line()), List{{Text: line(), Below: cell()}, {Text: line()}},
		Pairs{{"l" + text(), cell()}, {"none", nil}, Value("one", line())},
		Table{Columns: Columns("h"+text(), "name", "b", "number"), Rows: [][]Cell{Row(cell(), line())}, Left: left},
		Verbatim{"{", "  " + text()}, left, Picture{"picture", "<svg></svg>", Verbatim{"p" + text()}}}
	return &Doc{Title: "t" + text(), LeftOut: cell(), Verdict: "rejected", Tone: Bad, Lead: blocks, Head: blocks,
		Sections: []Section{NewSection("main", "h"+text(),
			append(blocks, Fold{line(), blocks}, Entries{blocks, left}, Card{"id", "log", line(), blocks})...),
			{ID: "appendix", Heading: "h" + text(), Blocks: blocks, Folded: true}},
		Main: "main", Foot: blocks, Next: []string{"x", text()},
		Program: &Program{"if (1 < 2) run();", "p { }", map[string]any{"v" + text(): Text{{Text: text()}}}}}
}

// forms writes a document in every form.
func forms(t rapid.TB, d *Doc) map[string]string {
	var page, whole, short, text strings.Builder
	for form, err := range map[string]error{"HTML": HTML(&page, d), "Markdown": Markdown(&whole, d, 0),
		"short Markdown": Markdown(&short, d, MostComment), "text": WriteText(&text, d, false)} {
		must.OK(t, err, "%s", form)
	}
	must.That(t, short.Len() <= MostComment, "a comment of %d bytes", short.Len())
	return map[string]string{"HTML": page.String(), "Markdown": whole.String(), "short Markdown": short.String(),
		"text": text.String()}
}

// TestHostile: no text changes the markup of a page or the lines of Markdown.
func TestHostile(t *testing.T) {
	want := forms(t, allBlocks(func() string { return "x" }))
	check := func(t rapid.TB, text func() string) {
		got := forms(t, allBlocks(text))
		for form, doc := range got {
			if at := answertest.UnsafeAt(doc); at >= 0 {
				t.Fatalf("%s: unsafe: %q", form, doc[at:min(at+40, len(doc))])
			}
		}
		diff := cmp.Diff(answertest.Skeleton(want["HTML"]), answertest.Skeleton(got["HTML"]))
		must.That(t, diff == "", "%s", diff)
		a, b := strings.Count(want["Markdown"], "\n"), strings.Count(got["Markdown"], "\n")
		must.That(t, a == b, "%d lines of Markdown, want %d", b, a)
	}
	hostile := answertest.Hostile
	if testing.Short() {
		hostile = hostile[:len(hostile)/4]
	}
	for _, text := range append(slices.Clone(hostile), "") {
		check(t, func() string { return text })
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, func() string { return answertest.Texts().Draw(t, "text") })
	})
}
