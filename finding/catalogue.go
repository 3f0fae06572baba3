package finding

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// text has every code, in the format that it describes at its beginning.
//
//go:embed codes.txt
var text string

// catalogue finds the entries in the text. Most runs need few of them, so that each
// is parsed when it is first looked up.
var catalogue = sync.OnceValue(func() *index {
	x, err := newIndex(text)
	if err != nil {
		panic("finding: codes.txt: " + err.Error())
	}
	return x
})

// Group is codes that have the same origin, such as a check of a bundle.
type Group struct {
	Name  string
	Title string
}

// Lookup returns the entry of a code, or of the one that an older code became: older
// files hold older codes. For an unknown code it returns the worst entry, since nothing
// unknown may pass for harmless.
func Lookup(code Code) (Entry, bool) {
	x := catalogue()
	if i, ok := x.codes[code]; ok {
		return x.entryAt(i), true
	}
	return Entry{Code: code, Order: -1, Severity: Critical, Effect: Rejects, Subject: Log, Bearing: Integrity,
		Contrast: "expected {expected}, found {found}"}, false
}

// Entry returns the entry of a code, the worst for an unknown one.
func (c Code) Entry() Entry {
	e, _ := Lookup(c)
	return e
}

// Current returns the code that a code of an older file became, or the code itself.
func Current(code string) string {
	if e, ok := Lookup(Code(code)); ok {
		return string(e.Code)
	}
	return code
}

// Codes returns the entries of a group, or of all groups if name is empty. A group
// that does not exist is a programming error.
func Codes(name string) []Entry {
	x := catalogue()
	var all []Entry
	for i := range x.blocks {
		if name == "" || x.groups[x.blocks[i].group].Name == name {
			all = append(all, x.entryAt(i))
		}
	}
	if len(all) == 0 {
		panic("finding: there is no group " + name)
	}
	return all
}

// Groups returns all groups, in the order of the text.
func Groups() []Group {
	var all []Group
	for _, g := range catalogue().groups {
		all = append(all, g.Group)
	}
	return all
}

// index is the text, cut into its blocks.
type index struct {
	shared string // the block of texts that codes share
	groups []groupBlock
	blocks []block // of codes
	codes  map[Code]int
}

type groupBlock struct {
	Group
	lines string // the defaults
	line  int    // the number of the heading in the text
}

// block is the lines of one code.
type block struct {
	code   Code
	group  int
	lines  string
	line   int // the number of the first in the text
	parsed atomic.Pointer[Entry]
}

// newIndex cuts a text into blocks, which blank lines separate.
func newIndex(text string) (*index, error) {
	x := &index{blocks: make([]block, 0, 400), codes: make(map[Code]int, 400)}
	for line, rest := 1, text; rest != ""; {
		one, after, _ := strings.Cut(rest, "\n\n")
		if err := x.addBlock(strings.TrimSuffix(one, "\n"), line); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		line, rest = line+strings.Count(one, "\n")+2, after
	}
	return x, nil
}

// addBlock adds a block.
func (x *index) addBlock(lines string, line int) error {
	head, rest, _ := strings.Cut(lines, "\n")
	switch {
	case head == "":
		return fmt.Errorf("a blank line too many")
	case head[0] == '#':
		return nil
	case head[0] == '$' && x.shared == "":
		x.shared = "\n" + lines + "\n"
		return nil
	case head[0] == '[':
		name, title, ok := strings.Cut(head[1:], "]")
		if title = strings.TrimPrefix(title, " "); title == "" {
			title = name
		}
		for _, g := range x.groups {
			ok = ok && g.Name != name
		}
		if !ok {
			return fmt.Errorf("the group %q occurs twice, or its name does not end", name)
		}
		x.groups = append(x.groups, groupBlock{Group{name, title}, rest, line})
		return nil
	}
	code := Code(head)
	if strings.ContainsAny(head, " :$") || len(x.groups) == 0 {
		return fmt.Errorf("%q is not a code of a group", head)
	}
	if _, twice := x.codes[code]; twice {
		return fmt.Errorf("the code %s occurs twice", code)
	}
	x.codes[code] = len(x.blocks)
	if _, older, ok := strings.Cut("\n"+rest, "\nwas: "); ok { // the last key of a block
		for old := range strings.FieldsSeq(older) {
			if _, twice := x.codes[Code(old)]; twice || strings.HasSuffix(old, ":") {
				return fmt.Errorf("the code %s occurs twice, or is a key after the last", old)
			}
			x.codes[Code(old)] = len(x.blocks)
		}
	}
	x.blocks = append(x.blocks, block{code: code, group: len(x.groups) - 1, lines: rest, line: line})
	return nil
}

// entryAt returns the entry of a block. The text is part of the program, so that a fault
// in it is a programming error.
func (x *index) entryAt(i int) Entry {
	b := &x.blocks[i]
	if e := b.parsed.Load(); e != nil {
		return *e
	}
	e, err := x.parseBlock(i)
	if err != nil {
		panic("finding: codes.txt: " + err.Error())
	}
	b.parsed.Store(&e)
	return e
}
