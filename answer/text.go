package answer

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// The size of a terminal. Text that is longer than a screen ends with the verdict again.
const (
	Width       = 80
	ScreenLines = 24
)

// WriteText writes a document for a terminal of 80 columns: a line with the verdict and the title,
// the limits of the examination, then everything else, and the next command. If it is longer
// than a screen, the verdict and the first paragraph of the lead are also its last lines. No
// digest or name is torn. Pictures are left out.
func WriteText(w io.Writer, d *Doc, color bool) error {
	return WriteList(w, d, color, func(func(Block, error) bool) {})
}

// WriteList is [WriteText] for a document with a list that is too long to keep: before its foot it has the
// blocks of the list, each below an empty line. The foot may be set while the list is written.
func WriteList(w io.Writer, d *Doc, color bool, list iter.Seq2[Block, error]) error {
	t := &textWriter{color: color, screen: d.screen}
	t.addBody(d)
	for b, err := range list {
		if err != nil {
			return err
		}
		t.addBreak()
		t.addBlocks(0, []Block{b})
		if err := t.writeTo(w); err != nil {
			return err
		}
	}
	t.addFoot(d)
	if t.lines > ScreenLines && d.Verdict != "" {
		t.addBreak()
		t.addHead(d)
	}
	return t.writeTo(w)
}

// writeTo writes the text so far, and forgets it.
func (t *textWriter) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, t.String())
	t.Reset()
	return err
}

// CountLines returns the number of lines of a block in text.
func CountLines(indent int, b Block) int {
	var t textWriter
	t.addBlocks(indent, []Block{b})
	return t.lines
}

// Lines returns the number of lines of a document in text, without the verdict at its end.
func (d *Doc) Lines() int {
	var t textWriter
	t.addBody(d)
	t.addFoot(d)
	return t.lines
}

// textWriter is the text of a document so far. On a screen, a word that is wider than a line is cut.
type textWriter struct {
	strings.Builder
	color  bool
	screen bool
	lines  int
}

// addBody adds everything above the foot.
func (t *textWriter) addBody(d *Doc) {
	t.addHead(d)
	for _, l := range d.LeftOut {
		t.addText(2, 2, Say("Not examined: ", l))
	}
	t.addBlocks(2, d.Lead[d.reasonCount():])
	t.addBlocks(2, d.Head)
	for _, s := range d.Sections {
		t.addBreak()
		indent := 0
		if s.Heading != "" {
			t.addText(0, 2, Say(s.Heading))
			indent = 2
		}
		t.addBlocks(indent, s.Blocks)
	}
}

func (t *textWriter) addFoot(d *Doc) {
	if len(d.Foot) > 0 {
		t.addBreak()
		t.addBlocks(0, d.Foot)
	}
	t.addNext(d.Next)
}

// addHead adds the verdict, the title and the reason.
func (t *textWriter) addHead(d *Doc) {
	title := Say(d.Title)
	switch {
	case d.Verdict != "":
		title = Say(Span{Text: strings.ToUpper(VerdictWord(d.Verdict)), Style: Answered, Tone: d.Tone}, "  ", d.Title)
	case d.Title == "":
		return
	}
	t.addText(0, 2, title)
	t.addBlocks(2, d.Lead[:d.reasonCount()])
}

// addNext adds a command, as it runs.
func (t *textWriter) addNext(command []string) {
	lead := "Next:"
	for _, line := range Command(command) {
		fmt.Fprintf(t, "%-6s", lead)
		t.addWords(6, 6, wordsOf(line))
		lead = ""
	}
}

// reasonCount is the number of blocks of the lead that give the reason: 1 if it begins with a paragraph.
func (d *Doc) reasonCount() int {
	if len(d.Lead) > 0 {
		if _, prose := d.Lead[0].(Para); prose {
			return 1
		}
	}
	return 0
}

// addBreak adds an empty line, unless nothing or an empty line came before.
func (t *textWriter) addBreak() {
	if t.lines > 0 && !strings.HasSuffix(t.String(), "\n\n") {
		t.endLine()
	}
}

func (t *textWriter) endLine() {
	t.WriteByte('\n')
	t.lines++
}

func (t *textWriter) addBlocks(indent int, all []Block) {
	for _, b := range all {
		switch b := b.(type) {
		case Para:
			t.addText(indent, indent, Text(b))
		case Note:
			t.addText(indent, indent, Text(b))
		case List:
			for _, i := range b {
				rest := indent
				if len(i.Below) > 0 {
					rest += 4 // it is not taken for another item
				}
				t.addText(indent, rest, i.Text)
				for _, below := range i.Below {
					t.addText(indent+2, indent+2, below)
				}
			}
		case Pairs:
			t.addPairs(indent, b)
		case Table:
			t.addTable(indent, b)
		case Fold:
			t.addText(indent, indent, b.Summary)
			t.addBlocks(indent+2, b.Blocks)
		case Entries:
			t.addBlocks(indent, append(b.Blocks[:len(b.Blocks):len(b.Blocks)], b.Left))
		case Card:
			t.addText(indent, indent+2, b.Heading)
			t.addBlocks(indent+2, b.Blocks)
		case Verbatim:
			t.addVerbatim(indent, b)
		case Left:
			if b.N > 0 {
				t.addText(indent, indent, Say("and "+b.Sentence()))
			}
		}
	}
}

// addPairs adds labels and values in two columns. A value is below its label if the label is
// long, or if it is one word, such as a digest, that is too wide for the second column.
func (t *textWriter) addPairs(indent int, all []Pair) {
	const widestLabel = 36
	kept := Pairs(all).Kept()
	column := 0
	for i := range kept {
		kept[i].Label = safetext.Line(kept[i].Label)
		if w := columns.Width(kept[i].Label); w <= widestLabel {
			column = max(column, w)
		}
	}
	column += indent + 2
	for _, p := range kept {
		if columns.Width(p.Label) > widestLabel || p.Value.isWiderWord(Width-column) {
			if p.Label != "" {
				t.addText(indent, indent+2, Say(p.Label))
			}
			for _, line := range p.Value {
				t.addText(indent+2, indent+2, line)
			}
			continue
		}
		for i, line := range p.Value {
			before := fmt.Sprintf("%*s", indent, "")
			if i == 0 {
				before += p.Label
			}
			t.WriteString(before + strings.Repeat(" ", column-columns.Width(before)))
			t.addWords(column, column, wordsOf(line))
		}
	}
}

// addVerbatim adds lines with their spaces. One that is too long continues below, further to
// the right.
func (t *textWriter) addVerbatim(indent int, lines []string) {
	const deeper = 2
	for _, line := range lines {
		fmt.Fprintf(t, "%*s", indent, "")
		column := indent
		for _, r := range safetext.Line(line) {
			w := columns.Width(string(r))
			if column += w; column > Width {
				t.endLine()
				fmt.Fprintf(t, "%*s", indent+deeper, "")
				column = indent + deeper + w
			}
			t.WriteRune(r)
		}
		t.endLine()
	}
}

// addText adds text in lines of the width: the first indented by first columns, the others by rest.
func (t *textWriter) addText(first, rest int, text Text) {
	fmt.Fprintf(t, "%*s", first, "")
	t.addWords(first, rest, wordsOf(text))
}

// addWords adds words from a column on, and further lines behind an indent.
func (t *textWriter) addWords(column, indent int, words []word) {
	start := true
	for _, w := range words {
		switch {
		case start:
		case column+w.before+w.width > Width:
			t.endLine()
			fmt.Fprintf(t, "%*s", indent, "")
			column = indent
		default:
			t.WriteString(strings.Repeat(" ", w.before))
			column += w.before
		}
		start = false
		column += w.width
		room := Width - indent
		cut := t.screen && w.width > room && !slices.ContainsFunc(w.parts, Span.isWhole)
		for _, p := range w.parts {
			if cut {
				p.Text = displaywidth.TruncateString(p.Text, room-1, "")
			}
			room -= columns.Width(p.Text)
			t.WriteString(p.colouredText(t.color))
		}
		if cut {
			t.WriteString("…")
		}
	}
	t.endLine()
}

// isWhole reports whether people copy or compare a part of a word: it is of a command, or a digest.
func (s Span) isWhole() bool {
	return s.whole || len(s.Text) >= 64 && strings.Trim(s.Text, "0123456789abcdef") == ""
}

// word is text that no line may break, and the number of spaces before it, 1 or 2.
type word struct {
	parts  []Span
	width  int
	before int
}

// isWiderWord reports whether a line of a cell is one word that is wider than so many columns.
func (c Cell) isWiderWord(width int) bool {
	return slices.ContainsFunc(c, func(line Text) bool {
		words := wordsOf(line)
		return len(words) == 1 && words[0].width > width
	})
}

// wordsOf returns the words of a text, safe to show.
func wordsOf(text Text) []word {
	var all []word
	spaces := 1 // before the next word; 0 if the last one continues
	for _, s := range text {
		shown := s.safeText()
		for shown != "" {
			rest := strings.TrimLeft(shown, " ")
			spaces = min(2, spaces+len(shown)-len(rest))
			next, _, _ := strings.Cut(rest, " ")
			if s.whole {
				next = rest
			}
			shown = rest[len(next):]
			if next == "" {
				break
			}
			part := s
			part.Text = next
			if spaces > 0 || len(all) == 0 {
				all = append(all, word{before: max(spaces, 1)})
			}
			w := &all[len(all)-1]
			w.parts, w.width = append(w.parts, part), w.width+columns.Width(next)
			spaces = 0
		}
	}
	return all
}
