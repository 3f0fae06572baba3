package main

import (
	"fmt"
	"io"
	"os"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// The exit codes beside cliapp.ExitFailure.
const (
	exitVerified     = 0
	exitRejected     = 1
	exitInconclusive = 3
)

// exitCode is a function of every verdict there could be: what is neither
// verified nor rejected, the zero value too, is inconclusive.
func exitCode(v verify.Verdict) int {
	switch v {
	case verify.Verified:
		return exitVerified
	case verify.Rejected:
		return exitRejected
	}
	return exitInconclusive
}

// writeJSON writes one indented document in printable ASCII: a value out of
// evidence can hold a control character or a bidi mark, which JSON itself
// allows to stand as it is.
func writeJSON(w io.Writer, v any) error {
	doc, err := safetext.MarshalIndent(v, "")
	if err != nil {
		return err
	}
	_, err = w.Write(append(doc, '\n'))
	return err
}

// writeAnswer writes the first screen of an answer, or all of it.
func writeAnswer(c *cliapp.Context, r *verdict.Result, q report.Asked) error {
	if c.Switch("full") {
		return writeDocument(c, report.Full(r, q))
	}
	return writeDocument(c, report.Screen(r, q))
}

// writePage writes a page to standard output, in the colours that the flags of
// the command ask for. On a terminal the verdict is also the last line, where the
// eye is. Nothing else depends on NO_COLOR (https://no-color.org).
func writePage(c *cliapp.Context, p *page.Page) error {
	if cliapp.IsTerminal(c.Stdout) {
		p.Conclude()
	}
	return writePart(c, p)
}

// writeDocument writes a document for people to standard output.
func writeDocument(c *cliapp.Context, d *answer.Doc) error {
	return answer.WriteText(c.Stdout, d, colored(c))
}

// colored reports whether text has colours: as --color says, or on a terminal, unless NO_COLOR is set.
func colored(c *cliapp.Context) bool {
	choice := c.Text("color")
	return choice == "always" || choice == "auto" && cliapp.IsTerminal(c.Stdout) && os.Getenv("NO_COLOR") == ""
}

// writePart writes a page that is not the last.
func writePart(c *cliapp.Context, p *page.Page) error {
	text := p.String()
	if colored(c) {
		text = p.Painted()
	}
	_, err := io.WriteString(c.Stdout, text)
	return err
}

// list writes a JSON document that holds one long list, element by element, so
// that its length does not matter. The document has the form that writeJSON
// gives it.
type list struct {
	w     io.Writer
	count int
	err   error
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
func (l *list) end(members ...member) error {
	if l.count > 0 {
		l.text("\n  ")
	}
	l.text("]")
	l.members(members)
	l.text("\n}\n")
	return l.err
}

func (l *list) members(members []member) {
	for _, m := range members {
		l.text(fmt.Sprintf(",\n  %q: ", m.name))
		l.value(m.value, "  ")
	}
}

func (l *list) value(v any, prefix string) {
	doc, err := safetext.MarshalIndent(v, prefix)
	if l.err == nil {
		l.err = err
	}
	l.text(string(doc))
}

func (l *list) text(s string) {
	if l.err == nil {
		_, l.err = io.WriteString(l.w, s)
	}
}
