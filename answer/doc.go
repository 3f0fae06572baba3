// Package answer writes answers for people. It defines the document of an answer, and
// one writer for each of its forms, Markdown and HTML; [CSV] writes tables.
//
// A [Doc] is a value: the limits of the examination, the verdict, and sections of
// blocks. A command builds one. The writers quote, escape, fold and colour.
//
// # Limits
//
// All limits of lists and texts for people are in limits.go. After a list that is cut,
// a [Left] gives the number of entries that are left out, and the file or command that
// contains all of them. JSON is never cut.
//
// # Hostile text
//
// Any text of a Doc may come from evidence. Every writer passes it through package
// safetext, and then through the form's own escaping, so that none is markup, a link,
// a mention or an escape sequence. Only a [Picture] is already markup, by its type. A
// template must have made it.
package answer

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// Doc is one answer.
type Doc struct {
	Title    string
	LeftOut  []Text // was not examined; shown before the verdict
	Verdict  string // one word
	Tone     Tone   // of the verdict
	Lead     []Block
	Head     []Block
	Sections []Section
	Main     string // the ID of the section that a reader wants first
	Foot     []Block
	Next     []string // the words of a next command, which runs unchanged
	Program  *Program // of a page, nil for one without script; the other forms have none
	screen   bool     // see [Doc.FitScreen]
}

// Section is a part of an answer below a heading. ID names it for links. Of a folded section, a page and
// Markdown show the heading alone until a reader opens it.
type Section struct {
	ID, Heading string
	Blocks      []Block
	Folded      bool
}

// NewSection makes a section.
func NewSection(id, heading string, blocks ...Block) Section {
	return Section{ID: id, Heading: heading, Blocks: blocks}
}

// AddSections adds the sections that have anything to show.
func (d *Doc) AddSections(all ...Section) {
	for _, s := range all {
		if slices.ContainsFunc(s.Blocks, isShown) {
			d.Sections = append(d.Sections, s)
		}
	}
}

// isShown reports whether a block has anything to show.
func isShown(b Block) bool {
	switch b := b.(type) {
	case Left:
		return b.N > 0
	case Table:
		return len(b.Rows) > 0 || b.Left.N > 0
	}
	return true
}

// AddFold adds blocks that a first screen only names, if there are any.
func (d *Doc) AddFold(name string, blocks ...Block) {
	if slices.ContainsFunc(blocks, isShown) {
		d.Sections = append(d.Sections, Section{Blocks: []Block{Fold{Say(name), blocks}}})
	}
}

// Block is a part of a section: one of the types below.
type Block any

// The blocks.
type (
	// Para is a paragraph.
	Para Text

	// Note is a paragraph that explains, and is shown with less weight.
	Note Text

	// List is a list of texts.
	List []Item

	// Pairs are labels with their values.
	Pairs []Pair

	// Table is rows of cells. A writer without room for all of them leaves out more, if
	// Left has a name for the rows.
	Table struct {
		Columns []column
		Rows    [][]Cell
		Left    Left // rows that are left out already
	}

	// Picture is SVG that a template made. Words are lines that show the same in Markdown.
	Picture struct {
		Class string
		SVG   template.HTML
		Words Verbatim
	}

	// Fold contains blocks that are shown on request.
	Fold struct {
		Summary Text
		Blocks  []Block
	}

	// Entries is the blocks of a list, one of each entry, without the omitted ones.
	Entries struct {
		Blocks []Block
		Left   Left
	}

	// Card is blocks below a heading of their own, such as a finding. The first word of
	// Class is log, cause or finding; the others colour it.
	Card struct {
		ID, Class string
		Heading   Text
		Blocks    []Block
	}

	// Verbatim is lines whose spaces stay, such as JSON.
	Verbatim []string

	// Left is the number of entries that a list leaves out, their name, and where the
	// whole list is.
	Left struct {
		N    int64
		Of   string
		Rest Rest
	}
)

// Item is one text of a list, with others below it.
type Item struct {
	Text  Text
	Below []Text
}

// Pair is a label with the lines of its value.
type Pair struct {
	Label string
	Value Cell
}

// Kept returns the pairs that have a value, without empty lines.
func (p Pairs) Kept() Pairs {
	var kept Pairs
	for _, one := range p {
		if lines := slices.DeleteFunc(slices.Clone(one.Value), Text.isEmpty); len(lines) > 0 {
			kept = append(kept, Pair{one.Label, lines})
		}
	}
	return kept
}

// isEmpty reports whether there is nothing to show.
func (t Text) isEmpty() bool {
	return !slices.ContainsFunc(t, func(s Span) bool { return s.Text != "" })
}

// Cell is the lines of a cell.
type Cell []Text

// column heads a column. Kind is the kind of its cells: name, answer, counts, format or
// number, or "" for text.
type column struct{ Head, Kind string }

// Tone is how something is coloured and signed.
type Tone string

// The tones.
const (
	Good Tone = "good"
	Bad  Tone = "bad"
	Warn Tone = "warn"
	Soft Tone = "soft"
)

// Style is the kind of a part of a text.
type Style string

// The styles.
const (
	plain    Style = ""
	quoted   Style = "name" // of the evidence: quoted if it could be taken for anything else
	coded    Style = "code"
	loud     Style = "strong"
	Answered Style = "answer" // a verdict, with the sign of its tone
	Tagged   Style = "tag"
	Toned    Style = "tone"
	small    Style = "small"
)

// Span is a part of a text. Link is an ID.
type Span struct {
	Text  string
	Style Style
	Tone  Tone
	Link  string
	whole bool // no line tears it at its spaces
}

// Text is a line of words.
type Text []Span

// Say makes a text of parts: spans, texts, strings and numbers.
func Say(parts ...any) Text {
	var all Text
	for _, p := range parts {
		switch p := p.(type) {
		case Span:
			all = append(all, p)
		case Text:
			all = append(all, p...)
		case int, int64, uint64:
			all = append(all, Span{Text: Number(p)})
		default:
			all = append(all, Span{Text: fmt.Sprint(p)})
		}
	}
	return all
}

// Name is a name of the evidence. A very long one is cut as by [Label].
func Name[T ~string](s T) Span { return Span{Text: string(s), Style: quoted} }

// NameList is the first names of a list, at most so many, and how many more there are. Spans are
// names that are already quoted.
func NameList[T any](all []T, most int) Text {
	shown, more := Cut(all, most)
	var text Text
	for i, name := range shown {
		if i > 0 {
			text = append(text, Span{Text: ", "})
		}
		span, quoted := any(name).(Span)
		if !quoted {
			span = Name(fmt.Sprint(name))
		}
		text = append(text, span)
	}
	if more > 0 {
		return Say(text, " and ", more, " more")
	}
	return text
}

// String is a text without colours, safe to show.
func (t Text) String() string {
	all := ""
	for _, s := range t {
		all += s.safeText()
	}
	return all
}

// Code is a code, a command or a value that people copy.
func Code[T ~string](s T) Span { return Span{Text: string(s), Style: coded} }

// Strong is words with weight.
func Strong(s string, tone Tone) Span { return Span{Text: s, Style: loud, Tone: tone} }

// Aside is words with less weight.
func Aside(parts ...any) Span { return Span{Text: fmt.Sprint(parts...), Style: small, Tone: Soft} }

// Entry is a list of one text, with others below it. Empty ones are left out.
func Entry(text Text, below ...Text) List {
	return List{{text, slices.DeleteFunc(slices.Clone(below), Text.isEmpty)}}
}

// FirstBlocks makes a block of each of the first entries of a list, and counts the others. It
// returns nothing for an empty list.
func FirstBlocks[T any](all []T, left Left, block func(*T) Block) []Block {
	shown, more := Cut(all, MostRows)
	e := Entries{Left: left}
	for i := range shown {
		e.Blocks = append(e.Blocks, block(&shown[i]))
	}
	if e.Left.N += more; len(e.Blocks) == 0 && e.Left.N == 0 {
		return nil
	}
	return []Block{e}
}

// Columns makes columns of heads, each followed by the kind of its cells.
func Columns(headsAndKinds ...string) []column {
	var all []column
	for i := 0; i+1 < len(headsAndKinds); i += 2 {
		all = append(all, column{headsAndKinds[i], headsAndKinds[i+1]})
	}
	return all
}

// Bullets makes a list of texts that all begin with the same words.
func Bullets[T ~string](lead string, all []T) List {
	var l List
	for _, s := range all {
		l = append(l, Item{Text: Say(lead, s)})
	}
	return l
}

// Lines makes a cell of texts, one a line.
func Lines[T ~string](all []T) Cell {
	var c Cell
	for _, s := range all {
		c = append(c, Say(s))
	}
	return c
}

// Row makes a row of cells. All other values become texts.
func Row(cells ...any) []Cell {
	var all []Cell
	for _, c := range cells {
		cell, isCell := c.(Cell)
		if !isCell {
			cell = Cell{Say(c)}
		}
		all = append(all, cell)
	}
	return all
}

// SentencePara makes a paragraph of a clause: it begins with a capital, unless with a name, and ends with a full stop.
func SentencePara(clause string) Para {
	first, _, _ := strings.Cut(strings.TrimRight(clause, ".,:"), " ")
	if strings.Trim(first, "abcdefghijklmnopqrstuvwxyz") == "" && first != "" {
		clause = strings.ToUpper(clause[:1]) + clause[1:]
	}
	return Paragraph(strings.TrimSuffix(clause, "."), ".")
}

// Paragraph makes a paragraph of parts, as Say does.
func Paragraph(parts ...any) Para { return Para(Say(parts...)) }

// Remark makes a note of parts, as Say does.
func Remark(parts ...any) Note { return Note(Say(parts...)) }

// Value makes a pair of one line.
func Value(label string, parts ...any) Pair { return Pair{label, Cell{Say(parts...)}} }
