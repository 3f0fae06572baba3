package answer

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestFitScreen: folds are named, and entries without room are counted.
func TestFitScreen(t *testing.T) {
	many := make([]int, 40)
	line := func(n *int) Block { return Para(Say("entry")) }
	rows := Table{Columns: Columns("N", "number"), Left: Left{Of: "rows"}}
	for i := range 40 {
		rows.Rows = append(rows.Rows, Row(i))
	}
	for name, c := range map[string]struct {
		doc  Doc
		want string
	}{
		"nothing is left out": {Doc{Title: "t", Head: []Block{Para(Say("a"))}}, "t\n  a\n"},
		"a fold": {Doc{Title: "t", Next: []string{"x"}, Sections: []Section{
			{Blocks: []Block{Fold{Say("What is sealed"), []Block{Para(Say("a"))}}}}}},
			"t\n\nWith --full also: what is sealed.\nNext: x\n"},
		"a name is kept": {Doc{Title: "t", Sections: []Section{{Blocks: []Block{Fold{Say("Tenant/Acme"), nil}}}}},
			"t\n\nWith --full also: Tenant/Acme.\n"},
		"an item that wraps is one item": {Doc{Title: "t", Head: []Block{
			Entry(Say(strings.Repeat("word ", 16), "end"), Say("below")), Entry(Say(strings.Repeat("word ", 16), "end"))}},
			"t\n  " + strings.Repeat("word ", 14) + "word\n      word end\n    below\n  " + strings.Repeat("word ", 14) +
				"word\n  word end\n"},
		"a list leaves room for the next one": {Doc{Title: "t", Foot: []Block{Para(Say("end"))}, Head: append(
			FirstBlocks(many, Left{N: 2, Of: "things"}, line), FirstBlocks(many, Left{}, line)...)},
			"t\n" + strings.Repeat("  entry\n", 5) + "  and 37 more things: --full\n" +
				strings.Repeat("  entry\n", 5) + "  and 35 more: --full\n\nend\nAll of it: --full\n"},
		"a table, then a section without room": {Doc{Title: "t", Head: []Block{rows},
			Sections: []Section{NewSection("", "Logs", Para(Say("a")))}}, "t\n   N\n" + numberedLines(19) +
			"  and 21 more rows: --full\n\nAll of it: --full, also logs\n"},
		"limits": {Doc{Title: "t", LeftOut: []Text{Say(strings.Repeat("word ", 60)), Say(strings.Repeat("word ", 60)),
			Say("c"), Say("d")}, Head: []Block{rows}}, ""},
	} {
		c.doc.FitScreen("--full")
		got := asText(t, &c.doc, false)
		check.That(t, (got == c.want || c.want == "") && strings.Count(got, "\n") <= ScreenLines,
			"%s:\n%s\nexpected:\n%s", name, got, c.want)
		check.That(t, name != "limits" || strings.Contains(got, "Not examined: 3 more: --full\n"), "%s:\n%s", name, got)
	}
}

func numberedLines(n int) (text string) {
	for i := range n {
		text += fmt.Sprintf("  %2d\n", i)
	}
	return text
}

// TestFitScreenOfAnything: no blocks take more than a screen.
func TestFitScreenOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-z]{1,8}|[a-z/語]{60,200}`))
		blocks := allBlocks(func() string { return strings.Join(words.Draw(t, "words"), " ") })
		pick := func() []Block {
			return rapid.SliceOfN(rapid.SampledFrom(append(blocks.Head, blocks.Sections[0].Blocks...)), 0, 8).Draw(t, "blocks")
		}
		d := &Doc{Title: "t", Verdict: "rejected", LeftOut: []Text{Say(strings.Join(words.Draw(t, "limit"), " "))},
			Lead: pick(), Head: pick(),
			Sections: []Section{NewSection("", "Some", pick()...), {Blocks: pick()}}, Next: []string{"x"}}
		if len(d.Lead) > 0 {
			d.Lead[0] = List{}
		}
		d.FitScreen("--full")
		text := asText(t, d, false)
		must.That(t, d.Lines() <= ScreenLines, "%d lines:\n%s", d.Lines(), text)
		for line := range strings.Lines(text) {
			must.That(t, columns.Width(strings.TrimSuffix(line, "\n")) <= Width, "a wide line: %s", line)
		}
	})
}
