package ijson

import (
	"bytes"
	"hash/maphash"

	"github.com/go-json-experiment/json/jsontext"
)

// names are the names of an object's members, to see that none comes twice and,
// where there are many, to find one. A name is known by where it starts, with its
// quotes, in the document.
type names struct {
	few   []knownName // below indexFrom of them
	table []int32     // from then on, by their hashes: where each starts, and one more; 0 is free
	count int
	text  scratch
}

// scratch is memory for two names without their escape sequences.
type scratch [2][]byte

// knownName is a name with its quotes.
type knownName struct {
	at    span
	plain bool // without escape sequences
}

var nameSeed = maphash.MakeSeed()

// emptyNames returns no names, in the memory of those that were.
func (n *names) emptyNames() names { return names{few: n.few[:0], text: n.text} }

// detachNames returns the names for good.
func (n *names) detachNames(src []byte) *names {
	if n.table == nil {
		n.indexNames(src)
	}
	d := &names{table: n.table, count: n.count}
	n.table = nil
	return d
}

// addName adds a name, and reports whether it is new.
func (n *names) addName(src []byte, at span) bool {
	name := knownName{at, bytes.IndexByte(src[at.start:at.end], '\\') < 0}
	if n.table != nil {
		return n.insertName(src, name)
	}
	for _, known := range n.few {
		if known.isSame(src, name) {
			return false
		}
	}
	if n.few == nil {
		n.few = make([]knownName, 0, usualNames)
	}
	n.few = append(n.few, name)
	if n.count++; n.count == indexFrom {
		n.indexNames(src)
	}
	return true
}

// indexNames makes the table.
func (n *names) indexNames(src []byte) {
	n.table, n.count = make([]int32, 4*indexFrom), 0
	for _, known := range n.few {
		n.insertName(src, known)
	}
}

// isSame reports whether two names are one, which may be written in two ways.
func (k knownName) isSame(src []byte, other knownName) bool {
	a, b := src[k.at.start:k.at.end], src[other.at.start:other.at.end]
	if k.plain && other.plain {
		return bytes.Equal(a, b)
	}
	return unquoteText(a) == unquoteText(b)
}

// insertName adds a name to the table, and reports whether it is new.
func (n *names) insertName(src []byte, name knownName) bool {
	if 4*n.count >= 3*len(n.table) {
		n.growTable(src)
	}
	i := n.slotOf(src, src[name.at.start:name.at.end], name.plain)
	if n.table[i] != 0 {
		return false
	}
	n.table[i] = name.at.start + 1
	n.count++
	return true
}

// growTable makes the table twice as large.
func (n *names) growTable(src []byte) {
	old := n.table
	n.table = make([]int32, 2*len(old))
	for _, entry := range old {
		if entry != 0 {
			quoted := quotedAt(src, entry-1)
			n.table[n.slotOf(src, quoted, bytes.IndexByte(quoted, '\\') < 0)] = entry
		}
	}
}

// slotOf returns where in the table a name is or, if it is not there, belongs.
func (n *names) slotOf(src, quoted []byte, plain bool) int {
	text := quoted[1 : len(quoted)-1]
	if !plain {
		text = n.text.unquoteName(0, quoted)
	}
	mask := len(n.table) - 1
	for i := int(maphash.Bytes(nameSeed, text)) & mask; ; i = (i + 1) & mask {
		entry := n.table[i]
		if entry == 0 || n.text.isName(src, entry-1, text) {
			return i
		}
	}
}

// findName returns where a name starts, and whether it is there.
func (n *names) findName(src []byte, name string) (int32, bool) {
	var own scratch // others may be looking for names too
	mask := len(n.table) - 1
	for i := int(maphash.String(nameSeed, name)) & mask; ; i = (i + 1) & mask {
		switch entry := n.table[i]; {
		case entry == 0:
			return 0, false
		case own.isName(src, entry-1, []byte(name)):
			return entry - 1, true
		}
	}
}

// unquoteName returns the text of a name, in one of the two memories.
func (s *scratch) unquoteName(i int, quoted []byte) []byte {
	text, err := jsontext.AppendUnquote(s[i][:0], quoted)
	if err != nil {
		panic("ijson: no text of a string that was accepted: " + err.Error())
	}
	s[i] = text
	return text
}

// isName reports whether the name that starts at an offset is this text.
func (s *scratch) isName(src []byte, start int32, text []byte) bool {
	quoted := quotedAt(src, start)
	if bytes.IndexByte(quoted, '\\') >= 0 {
		return bytes.Equal(s.unquoteName(1, quoted), text)
	}
	return bytes.Equal(quoted[1:len(quoted)-1], text)
}

// quotedAt returns the string that starts at an offset, with its quotes.
func quotedAt(src []byte, start int32) []byte {
	i := int(start) + 1
	for src[i] != '"' {
		if src[i] == '\\' {
			i++
		}
		i++
	}
	return src[start : i+1]
}
