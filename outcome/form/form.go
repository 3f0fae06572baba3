// Package form writes the reports of a run. JUnit XML, SARIF and the annotations of
// GitHub are made of its items; Markdown and HTML are the document of the command.
//
// # Limits
//
// Platforms cut an output that is too long for them, and most of them give no notice. Each
// form therefore keeps within the limits of its readers ([Form.Limits]). It has the unexamined
// evidence first, then the verdict, then the worst. Where something is left out it states how
// much, and which report of the run has everything.
//
// # Memory
//
// A form for programs reads the items once and keeps no more of them than it can show, and no
// more than a fixed number of bytes of them.
//
// # Hostile text
//
// Names, messages and facts come from the evidence. Each goes through package
// safetext, and then through the form's own escaping: none is markup, a link, a
// mention or a command.
package form

import (
	"io"
	"slices"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/outcome"
)

// Form is one way to write a report.
type Form struct {
	Name   string  // as --report has it
	Reader string  // its readers, in words
	Limits []Limit // the limits of its readers
	Stream bool    // it is for standard error, not for a file
	Write  func(io.Writer, *outcome.Report, Options) error
}

// Limit is how much a form writes at most.
type Limit struct {
	Most int64
	Of   string // the unit, such as "results"
	Why  string // whose limit it is
}

// Options are the inputs of a form besides the report.
type Options struct {
	Base string      // the folder that addresses are relative to, "" for the working directory
	Tool string      // the version of the program
	Rest answer.Rest // where nothing is left out

	evidence string // where SARIF shows problems without a file: GitHub refuses a result without one
}

// The forms for programs have no limit: jsonLines has everything, and the others point to it.
var (
	jsonLines = Form{Name: "jsonl", Write: func(w io.Writer, r *outcome.Report, _ Options) error { return r.Lines(w) }}
	jsonWhole = Form{Name: "json", Write: func(w io.Writer, r *outcome.Report, _ Options) error {
		return answer.JSON(w, r.JSON)
	}}
)

// allForms returns all forms, in the order in which messages name them.
func allForms() []Form { return append([]Form{jsonLines, jsonWhole}, Forms()...) }

// Forms returns the forms with limits, in the order of the documents.
func Forms() []Form {
	return []Form{junit, sarif, markdown, page, summary, annotations}
}

// Lookup returns the form of a name.
func Lookup(name string) (Form, bool) {
	all := allForms()
	if i := slices.IndexFunc(all, func(f Form) bool { return f.Name == name }); i >= 0 {
		return all[i], true
	}
	return Form{}, false
}
