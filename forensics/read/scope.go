package read

import (
	"slices"

	"github.com/svc-edge/svc-verify/forensics/unwrap"
)

// deepestScope is how deep in JSON the surroundings of a match are looked at.
const deepestScope = 16

// readScopes reads batch ids and times from the objects around a match, the outermost first. b
// begins at base in the text of the match. columns are the names of the fields of a row, if
// the table around it has such a list.
func (d *doc) readScopes(b []byte, base int, m *unwrap.Match, columns []string, depth int) {
	if depth > deepestScope {
		return
	}
	w := scopeWalk{doc: d, c: cursor{b: b}, base: base, match: m, depth: depth}
	// The walks cannot fail.
	if w.c.peekToken() == '[' {
		_ = w.c.eachElement(func() error { return w.readScopeMember(nil) })
		w.readRow(columns)
	} else {
		_ = w.c.eachMember(w.readScopeMember)
	}
	inner, at := w.inner, w.at
	switch {
	case len(inner) == 0:
	case inner[0] == '{' && at == m.Start && len(m.Steps) == 0:
		d.readExtras(inner)
	case inner[0] == '{' || inner[0] == '[':
		if len(w.columns) > 0 {
			columns = w.columns
		}
		d.readScopes(inner, at, m, columns, depth+1)
	default:
		d.readNamed(inner[:m.Start-at])
		d.readNamed(inner[min(len(inner), m.End-at):])
	}
}

// scopeWalk looks at the members of one object or list around a match.
type scopeWalk struct {
	*doc
	c       cursor
	base    int
	match   *unwrap.Match
	depth   int
	inner   []byte // the member with the match
	at      int    // where that begins
	cells   [][]byte
	columns []string
}

// readScopeMember looks at the member that comes next; name is nil in a list.
func (w *scopeWalk) readScopeMember(name []byte) error {
	w.c.peekToken()
	start := w.base + w.c.i
	v := w.c.passValue()
	if w.cells = append(w.cells, v); start <= w.match.Start && w.match.Start < start+len(v) {
		w.inner, w.at = v, start
		return nil
	}
	switch names := columnNames(v); {
	case name != nil && len(names) > 1:
		w.columns = names
		w.readMemberAround(name, v, w.depth)
	case name != nil:
		w.readMemberAround(name, v, w.depth)
	case len(v) > 0 && v[0] == '{' && len(w.inner) > 0 && w.inner[0] == '"':
		w.readMemberAround(nil, v, w.depth) // Loki's data besides a line
	case len(v) > 0 && v[0] == '{':
		w.readPair(v)
	}
	return nil
}

// readRow reads the fields of a row, if it has as many cells as there are columns.
func (w *scopeWalk) readRow(columns []string) {
	if len(columns) != len(w.cells) || len(w.inner) == 0 || w.inner[0] != '"' {
		return
	}
	for i, cell := range w.cells {
		if len(cell) > 0 && &cell[0] != &w.inner[0] {
			w.readMemberAround([]byte(columns[i]), cell, w.depth)
		}
	}
}

// columnNames returns the names in a list of columns: of strings, or of objects that
// have a name.
func columnNames(list []byte) (names []string) {
	if len(list) == 0 || list[0] != '[' || len(list) > 64<<10 {
		return nil
	}
	c := cursor{b: list}
	_ = c.eachElement(func() error {
		v := c.passValue()
		if len(v) > 0 && v[0] == '{' {
			var parts [len(columnMembers)][]byte
			pickMembers(v, columnMembers[:], parts[:])
			v = nil
			for _, part := range parts {
				if len(part) > 1 && part[0] == '"' && v == nil {
					v = part
				}
			}
		}
		if len(v) < 2 || v[0] != '"' {
			v = []byte(`""`)
		}
		names = append(names, string(v[1:len(v)-1]))
		return nil
	})
	return names
}

// columnMembers are how stores call the name of a column.
var columnMembers = [...]string{"name", "Name", "ColumnName", "columnName", "field", "Label"}

// readExtras reads batch ids and times from members that a shipper added to an event.
func (d *doc) readExtras(object []byte) {
	c := cursor{b: object}
	_ = c.eachMember(func(name []byte) error {
		c.peekToken()
		if v := c.passValue(); !slices.Contains(unwrap.EventMembers(), string(name)) {
			d.readMemberAround(name, v, 1)
		}
		return nil
	})
}
