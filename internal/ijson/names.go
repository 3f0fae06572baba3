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

// emptied returns no names, in the memory of those that were.
func (n *names) emptied() names { return names{few: n.few[:0], text: n.text} }

// detach returns the names for good.
func (n *names) detach(src []byte) *names {
	if n.table == nil {
		n.index(src)
	}
	d := &names{table: n.table, count: n.count}
	n.table = nil
	return d
}

// add adds a name, and reports whether it is new.
func (n *names) add(src []byte, at span) bool {
	name := knownName{at, bytes.IndexByte(src[at.start:at.end], '\\') < 0}
	if n.table != nil {
		return n.insert(src, name)
	}
	for _, known := range n.few {
		if known.same(src, name) {
			return false
		}
	}
	if n.few == nil {
		n.few = make([]knownName, 0, usualNames)
	}
	n.few = append(n.few, name)
	if n.count++; n.count == indexFrom {
		n.index(src)
	}
	return true
}

// index makes the table.
func (n *names) index(src []byte) {
	n.table, n.count = make([]int32, 4*indexFrom), 0
	for _, known := range n.few {
		n.insert(src, known)
	}
}

// same reports whether two names are one, which may be written in two ways.
func (k knownName) same(src []byte, other knownName) bool {
	a, b := src[k.at.start:k.at.end], src[other.at.start:other.at.end]
	if k.plain && other.plain {
		return bytes.Equal(a, b)
	}
	return unquote(a) == unquote(b)
}

// insert adds a name to the table, and reports whether it is new.
func (n *names) insert(src []byte, name knownName) bool {
	if 4*n.count >= 3*len(n.table) {
		n.grow(src)
	}
	i := n.slot(src, src[name.at.start:name.at.end], name.plain)
	if n.table[i] != 0 {
		return false
	}
	n.table[i] = name.at.start + 1
	n.count++
	return true
}

// grow makes the table twice as large.
func (n *names) grow(src []byte) {
	old := n.table
	n.table = make([]int32, 2*len(old))
	for _, entry := range old {
		if entry != 0 {
			quoted := quotedAt(src, entry-1)
			n.table[n.slot(src, quoted, bytes.IndexByte(quoted, '\\') < 0)] = entry
		}
	}
}

// slot returns where in the table a name is or, if it is not there, belongs.
func (n *names) slot(src, quoted []byte, plain bool) int {
	text := quoted[1 : len(quoted)-1]
	if !plain {
		text = n.text.unquote(0, quoted)
	}
	mask := len(n.table) - 1
	for i := int(maphash.Bytes(nameSeed, text)) & mask; ; i = (i + 1) & mask {
		entry := n.table[i]
		if entry == 0 || n.text.isName(src, entry-1, text) {
			return i
		}
	}
}

// find returns where a name starts, and whether it is there.
func (n *names) find(src []byte, name string) (int32, bool) {
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

// unquote returns the text of a name, in one of the two memories.
func (s *scratch) unquote(i int, quoted []byte) []byte {
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
		return bytes.Equal(s.unquote(1, quoted), text)
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
