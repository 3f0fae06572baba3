package answer

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Markdown writes a document as GitHub's Markdown, in at most so many bytes; 0 is no
// limit. Tables whose rows have a name leave out rows until the rest fits.
func Markdown(w io.Writer, d *Doc, most int) error {
	m := &markdown{most: most}
	m.addText("# %s\n\n", inlineText(Say(d.Title), false))
	var notes []string
	for _, t := range d.LeftOut {
		notes = append(notes, "**Not examined.** "+inlineText(t, false)+"\n\n")
	}
	m.addTexts(notes, most/4, "**Not examined:** %s.\n\n", "more sentence")
	if d.Verdict != "" {
		m.addText("**%s.**\n\n", inlineText(Say(VerdictWord(d.Verdict)), false))
	}
	m.addBlocks(d.Lead)
	m.addBlocks(d.Head)
	if len(d.Next) > 0 {
		m.addText("%s\n\n", inlineText(Say("Next: ", Code(d.NextLine())), false))
	}
	for _, s := range d.Sections {
		if s.Folded {
			m.addFold(Say(s.Heading), s.Blocks)
			continue
		}
		if s.Heading != "" {
			m.addText("## %s\n\n", inlineText(Say(s.Heading), false))
		}
		m.addBlocks(s.Blocks)
	}
	m.addBlocks(d.Foot)
	_, err := io.WriteString(w, strings.TrimRight(m.fittedParts(), "\n")+"\n")
	return err
}

// markdown is the parts of a document: whole texts, and tables that may be cut.
type markdown struct {
	parts  []part
	most   int
	folded bool // of the next texts
}

// part is text, and rows after it that may be left out. Folded text comes after rows: if it
// does not fit, it is left out.
type part struct {
	text string
	rows []string
	Table
	folded bool
}

func (m *markdown) addText(format string, args ...any) {
	m.parts = append(m.parts, part{text: fmt.Sprintf(format, args...), folded: m.folded})
}

// addTexts adds as many texts as fit into a share of the room, and the number of the rest.
func (m *markdown) addTexts(all []string, room int, format, more string) {
	shown := all
	if m.most > 0 {
		shown = fittingTexts(all, room-2*MostSentence)
	}
	m.addText("%s", strings.Join(shown, ""))
	if n := len(all) - len(shown); n > 0 {
		m.addText(format, safetext.Count(n, more))
	}
}

func (m *markdown) addBlocks(all []Block) {
	for _, b := range all {
		switch b := b.(type) {
		case Para:
			m.addText("%s\n\n", inlineText(Text(b), false))
		case Note:
			m.addText("%s\n\n", inlineText(Text(b), false))
		case List:
			m.addItems(b)
		case Pairs:
			m.addPairs(b)
		case Table:
			m.addTable(b)
		case Fold:
			m.addFold(b.Summary, b.Blocks)
		case Entries:
			m.addBlocks(append(b.Blocks[:len(b.Blocks):len(b.Blocks)], b.Left))
		case Card:
			m.addText("### %s\n\n", inlineText(b.Heading, false))
			m.addBlocks(b.Blocks)
		case Verbatim:
			m.addLines(b)
		case Picture:
			m.addLines(b.Words)
		case Left:
			m.addText("%s", leftOut(b))
		}
	}
}

// addFold adds blocks that GitHub folds. Its summary is HTML, in which only text that would
// become a link or a mention without any markup needs to be code.
func (m *markdown) addFold(summary Text, blocks []Block) {
	text := safetext.Line(summary.String())
	inert := strings.HasPrefix(safetext.Markdown(text), "`")
	text = strings.ReplaceAll(html.EscapeString(text), "`", "&#96;")
	if inert {
		text = "<code>" + text + "</code>"
	}
	outer := m.folded
	m.folded = true
	m.addText("<details><summary>%s</summary>\n\n", text)
	m.addBlocks(blocks)
	m.addText("</details>\n\n")
	m.folded = outer
}

func (m *markdown) addItems(all []Item) {
	var items []string
	for _, i := range all {
		text := "- " + inlineText(i.Text, false) + "\n"
		for _, t := range i.Below {
			text += "  - " + inlineText(t, false) + "\n"
		}
		items = append(items, text)
	}
	m.addTexts(items, m.most/8, "- %s\n", "more item")
	m.addText("\n")
}

func (m *markdown) addLines(all Verbatim) {
	for _, line := range all {
		m.addText("    %s\n", safetext.Line(line))
	}
	if len(all) > 0 {
		m.addText("\n")
	}
}

func (m *markdown) addPairs(all []Pair) {
	var items []Item
	for _, p := range Pairs(all).Kept() {
		if len(p.Value) == 1 {
			items = append(items, Item{Text: Say(p.Label+": ", p.Value[0])})
			continue
		}
		items = append(items, Item{Say(p.Label + ":"), p.Value})
	}
	m.addItems(items)
}

func (m *markdown) addTable(t Table) {
	head, rule := "|", "|"
	for _, c := range t.Columns {
		head += " " + inlineText(Say(c.Head), true) + " |"
		rule += strings.Repeat("-", 3)
		if c.Kind == "number" {
			rule += ":"
		}
		rule += "|"
	}
	var rows []string
	for _, cells := range t.Rows {
		row := "|"
		for _, lines := range cells {
			var all []string
			for _, l := range lines {
				all = append(all, inlineText(l, true))
			}
			row += " " + strings.Join(all, "; ") + " |"
		}
		rows = append(rows, row+"\n")
	}
	m.addText("%s\n%s\n", head, rule)
	if t.Left.Of == "" {
		m.addTexts(rows, m.most/8, "\n%s\n", "more row")
		m.addText("\n")
		return
	}
	m.parts = append(m.parts, part{rows: rows, Table: t})
}

// fittedParts returns the parts, with as many rows as there is room for.
func (m *markdown) fittedParts() string {
	const most = 5*mostFile + 400 // the longest sentence of leftOut
	room := m.most - most
	for _, p := range m.parts {
		if !p.folded {
			room -= len(p.text)
		}
		if p.Left.Of != "" {
			room -= most
		}
	}
	var b strings.Builder
	for _, p := range m.parts {
		if m.most > 0 && b.Len()+len(p.text) > m.most-most {
			folds := strings.Count(b.String(), "<details>") - strings.Count(b.String(), "</details>")
			return b.String() + strings.Repeat("\n</details>\n", folds) + "\n\n**Left out:** the rest of the answer.\n"
		}
		b.WriteString(p.text)
		if p.Left.Of == "" {
			continue
		}
		shown := p.rows
		if m.most > 0 {
			shown = fittingTexts(p.rows, min(room, m.most-2*most-b.Len()))
		}
		text := strings.Join(shown, "")
		room -= len(text)
		b.WriteString(text + "\n")
		p.Left.N += int64(len(p.rows) - len(shown))
		b.WriteString(leftOut(p.Left))
	}
	return b.String()
}

// leftOut returns a paragraph about the entries that a list leaves out, if any.
func leftOut(l Left) string {
	if l.N == 0 {
		return ""
	}
	return "**Left out:** " + safetext.Markdown(l.Sentence()) + ".\n\n"
}

// inlineText writes a text, in a cell of a table or elsewhere.
func inlineText(t Text, cell bool) string {
	plain, code := safetext.Markdown, safetext.MarkdownCode
	if cell {
		plain, code = safetext.MarkdownCell, safetext.MarkdownCellCode
	}
	var b strings.Builder
	for _, s := range t {
		text := ""
		switch {
		case s.Text == "":
		case s.Style == quoted:
			text = code(Label(s.Text))
		case s.Style == coded:
			text = code(s.Text)
		case s.Style == loud:
			text = "**" + plain(s.Text) + "**"
		case s.Style == Answered:
			text = "**" + plain(VerdictWord(s.Text)) + "**"
		default:
			text = plain(s.Text)
		}
		if strings.HasSuffix(b.String(), "`") && strings.HasPrefix(text, "`") {
			b.WriteString(" ") // two fences would be one
		}
		b.WriteString(text)
	}
	return strings.TrimLeft(b.String(), " ")
}
