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
	l.writeText(fmt.Sprintf("{\n  \"schema\": %q", schema))
	l.writeMembers(members)
	l.writeText(fmt.Sprintf(",\n  %q: [", name))
	return l
}

// member is one member of a document.
type member struct {
	name  string
	value any
}

func (l *list) addItem(v any) {
	separator := ",\n    "
	if l.count == 0 {
		separator = "\n    "
	}
	l.count++
	l.writeText(separator)
	l.writeValue(v, "    ")
}

// endList ends the list and the document, with further members after it.
func (l *list) endList(members ...member) {
	if l.count > 0 {
		l.writeText("\n  ")
	}
	l.writeText("]")
	l.writeMembers(members)
	l.writeText("\n}\n")
}

func (l *list) writeMembers(members []member) {
	for _, m := range members {
		l.writeText(fmt.Sprintf(",\n  %q: ", m.name))
		l.writeValue(m.value, "  ")
	}
}

func (l *list) writeValue(v any, prefix string) {
	l.writeText(string(mustHave(safetext.MarshalIndent(v, prefix))))
}

func (l *list) writeText(s string) { mustHave(io.WriteString(l.w, s)) }
