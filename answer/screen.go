package answer

import (
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// FitScreen shortens a document to a screen of text. It omits folds, and then the last blocks. A list
// keeps its first entries and counts the others, and a word that is wider than a line is cut. The foot
// names the omitted parts, and the flag that shows everything.
func (d *Doc) FitScreen(flag string) {
	s := screen{rest: Rest{Command: flag}}
	whole := *d
	whole.Lead, whole.Head, whole.Sections = s.takeFolds(d.Lead), s.takeFolds(d.Head), nil
	for _, one := range d.Sections {
		if one.Blocks = s.takeFolds(one.Blocks); len(one.Blocks) > 0 {
			whole.Sections = append(whole.Sections, one)
		}
	}
	if room := ScreenLines - s.footLines(d); whole.Lines() > room {
		s.fitDocument(&whole)
	}
	if s.folded || len(s.names) > 0 {
		whole.Foot = append(whole.Foot, Para(Say(s.omittedText())))
	}
	whole.screen = true
	*d = whole
}

// screen is the free lines of a screen, and the names of omitted parts.
type screen struct {
	rest   Rest
	room   int
	folded bool
	names  []string
}

// headWord begins a heading that is in words of the program, and not a name of the evidence.
var headWord = safetext.Pattern("^[A-Z][a-z]+( |$)")

// addName adds the name of an omitted part.
func (s *screen) addName(heading string) {
	s.names = append(s.names, headWord().ReplaceAllStringFunc(heading, strings.ToLower))
}

// takeFolds removes the folds out of blocks.
func (s *screen) takeFolds(blocks []Block) (rest []Block) {
	for _, b := range blocks {
		if fold, ok := b.(Fold); ok {
			s.addName(fold.Summary.String())
			continue
		}
		rest = append(rest, b)
	}
	return rest
}

// footLines is the number of lines of the sentence on omitted parts.
func (s *screen) footLines(d *Doc) int {
	switch {
	case len(s.names) == 0 && !s.folded:
		return 0
	case len(d.Foot) == 0:
		return 2
	}
	return 1
}

// omittedText names the flag that shows everything, and as many omitted parts as a line holds.
func (s *screen) omittedText() string {
	text, end := "With "+s.rest.Command+" also: ", "."
	if s.folded {
		text, end = "All of it: "+s.rest.Command, ""
	}
	if s.folded && len(s.names) > 0 {
		text += ", also "
	}
	for i, name := range s.names {
		if i > 0 {
			name = ", " + name
		}
		if columns.Width(text+name) > Width-len(", …") {
			return text + ", …"
		}
		text += name
	}
	return text + end
}

// fitDocument omits the blocks that have no room.
func (s *screen) fitDocument(d *Doc) {
	const mostLimits, least = 6, 2
	limits := screen{rest: s.rest, room: mostLimits}
	if len(d.LeftOut) > 0 && CountLines(2, Para(Say("Not examined: ", d.LeftOut[0]))) > mostLimits {
		first := displaywidth.TruncateString(d.LeftOut[0].String(), 2*Width, "…")
		d.LeftOut = append([]Text{Say(first)}, d.LeftOut[1:]...)
	}
	n := 0
	for ; n < len(d.LeftOut) && limits.useLines(2, Para(Say("Not examined: ", d.LeftOut[n]))); n++ {
	}
	if more := len(d.LeftOut) - n; more > 0 {
		d.LeftOut = append(d.LeftOut[:n:n], Say(s.rest.Left(int64(more), "").Sentence()))
	}
	s.folded = true
	lead, head, sections := d.Lead[d.reasonCount():], d.Head, d.Sections
	d.Lead, d.Head, d.Sections = d.Lead[:d.reasonCount():d.reasonCount()], nil, nil
	s.room = ScreenLines - d.Lines() - s.footLines(d)
	d.Lead = append(d.Lead, s.fitBlocks(2, lead)...)
	d.Head = s.fitBlocks(2, head)
	for _, one := range sections {
		above, indent := 1, 0
		if one.Heading != "" {
			above, indent = 1+CountLines(0, Para(Say(one.Heading))), 2
		}
		if s.room < above+least {
			one.Blocks = nil
		} else {
			s.room -= above
			one.Blocks = s.fitBlocks(indent, one.Blocks)
		}
		if len(one.Blocks) > 0 {
			d.Sections = append(d.Sections, one)
		} else if one.Heading != "" {
			s.addName(one.Heading)
		}
	}
}

// useLines uses the lines of a block, and reports whether there is room for them.
func (s *screen) useLines(indent int, b Block) bool {
	n := CountLines(indent, b)
	if n > s.room {
		return false
	}
	s.room -= n
	return true
}

// fitBlocks returns the blocks that have room.
func (s *screen) fitBlocks(indent int, blocks []Block) (kept []Block) {
	for _, b := range blocks {
		if b = s.fitBlock(indent, b); b != nil {
			kept = append(kept, b)
		}
	}
	return kept
}

// cutLists cuts the lists in a block, so that each leaves room for the next one.
func (s *screen) cutLists(b Block) Block {
	switch b := b.(type) {
	case Entries:
		shown, more := Cut(b.Blocks, MostOnScreen)
		if more > 0 {
			b.Left = s.rest.Left(b.Left.N+more, b.Left.Of)
		}
		b.Blocks = slices.Clone(shown)
		for i := range b.Blocks {
			b.Blocks[i] = s.cutLists(b.Blocks[i])
		}
		return b
	case Card:
		b.Blocks = slices.Clone(b.Blocks)
		for i := range b.Blocks {
			b.Blocks[i] = s.cutLists(b.Blocks[i])
		}
		return b
	}
	return b
}

// fitBlock returns as much of a block as there is room for; nil if there is none.
func (s *screen) fitBlock(indent int, b Block) Block {
	if b = s.cutLists(b); s.useLines(indent, b) {
		return b
	}
	switch b := b.(type) {
	case Table:
		for n := min(len(b.Rows), s.room); n > 0; n-- {
			left := s.rest.Left(b.Left.N+int64(len(b.Rows)-n), b.Left.Of)
			if part := (Table{b.Columns, b.Rows[:n], left}); s.useLines(indent, part) {
				return part
			}
		}
	case Entries:
		return s.fitEntries(indent, b)
	case Card:
		heading := CountLines(indent, Card{Heading: b.Heading})
		if s.room <= heading {
			return nil
		}
		s.room -= heading
		b.Blocks = s.fitBlocks(indent+2, b.Blocks)
		return b
	case Pairs:
		return fitItems(s, indent, b.Kept())
	case List:
		return fitItems(s, indent, b)
	}
	return nil
}

// fitEntries returns the first entries of a list, and counts the others.
func (s *screen) fitEntries(indent int, e Entries) Block {
	if s.room < 1 {
		return nil
	}
	s.room-- // for the number of the others
	var part Entries
	for _, b := range e.Blocks {
		if !s.useLines(indent, b) {
			break
		}
		part.Blocks = append(part.Blocks, b)
	}
	if len(part.Blocks) == 0 && len(e.Blocks) > 0 {
		part.Blocks = s.fitBlocks(indent, e.Blocks[:1])
	}
	part.Left = s.rest.Left(e.Left.N+int64(len(e.Blocks)-len(part.Blocks)), e.Left.Of)
	if part.Left.N == 0 {
		s.room++
	}
	return part
}

// fitItems returns the first pairs or items that there is room for.
func fitItems[T ~[]E, E any](s *screen, indent int, all T) Block {
	for n := min(len(all), s.room); n > 0; n-- {
		if part := Block(all[:n]); s.useLines(indent, part) {
			return part
		}
	}
	return nil
}
