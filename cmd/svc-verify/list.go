package main

import (
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// list writes a JSON document that holds one long list, element by element, so
// that its length does not matter. The document has the form that writeJSON
// gives it.
type list struct {
	w     io.Writer
	count int
}

// newList begins a document with a schema and its further members, and with the
// list as the member of a name.
func newList(w io.Writer, schema, name string, members ...member) *list {
	l := &list{w: w}
	l.text(fmt.Sprintf("{\n  \"schema\": %q", schema))
	l.members(members)
	l.text(fmt.Sprintf(",\n  %q: [", name))
	return l
}

// member is one member of a document.
type member struct {
	name  string
	value any
}

func (l *list) add(v any) {
	separator := ",\n    "
	if l.count == 0 {
		separator = "\n    "
	}
	l.count++
	l.text(separator)
	l.value(v, "    ")
}

// end ends the list and the document, with further members after it.
func (l *list) end(members ...member) {
	if l.count > 0 {
		l.text("\n  ")
	}
	l.text("]")
	l.members(members)
	l.text("\n}\n")
}

func (l *list) members(members []member) {
	for _, m := range members {
		l.text(fmt.Sprintf(",\n  %q: ", m.name))
		l.value(m.value, "  ")
	}
}

func (l *list) value(v any, prefix string) {
	l.text(string(mustHave(safetext.MarshalIndent(v, prefix))))
}

func (l *list) text(s string) { mustHave(io.WriteString(l.w, s)) }
