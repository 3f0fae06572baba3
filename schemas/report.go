package schemas

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// MaxFile is how many bytes a file may have.
const MaxFile = ijson.MaxSize

// mostFaults is how many faults of a file a report lists. It counts the others.
const mostFaults = 1000

// Verdict is whether documents have their form.
type Verdict string

// The verdicts, the worst first.
const (
	Invalid      Verdict = "invalid"
	Unrecognised Verdict = "unrecognised"
	Valid        Verdict = "valid"
)

// worseVerdict returns the worse of two verdicts.
func worseVerdict(a, b Verdict) Verdict {
	if a == Invalid || b == Valid {
		return a
	}
	return b
}

// Report is the answer about files: the verdict is the worst verdict of a file.
type Report struct {
	Schema  string  `json:"schema"`
	Verdict Verdict `json:"verdict"`
	Files   []*File `json:"files"`
}

// File is a file with one document, or with one on each line. A file without any is not
// recognised.
type File struct {
	Name       string  `json:"name"`
	Verdict    Verdict `json:"verdict"`
	Lines      bool    `json:"lines"`
	Forms      []Form  `json:"forms"` // ascending by name
	Faults     []Fault `json:"faults"`
	MoreFaults int     `json:"more_faults"`

	counts map[string]int
	given  string // the schema of all documents, "" to recognise each
}

// Form is how many documents of a file have a schema.
type Form struct {
	Name      string `json:"name"` // as svc-verify schema lists it
	Documents int    `json:"documents"`
}

// Rule is the rule that a fault violates.
type Rule string

// The rules: the rules for all documents (SPEC 1), which a schema cannot express; the schema;
// and that a document must be one that has a schema.
const (
	OfSpecification Rule = "specification"
	OfSchema        Rule = "schema"
	OfRecognition   Rule = "recognition"
)

// Fault is one way in which a document departs from its form. Line and Column count from 1, Column in
// characters. The path is the document's own text, the rest is safe to show.
type Fault struct {
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Path     string `json:"path"`
	Rule     Rule   `json:"rule"`
	Expected string `json:"expected"`
	Found    string `json:"found"`

	offset int
}

// NewReport returns the report on files.
func NewReport(files []*File) *Report {
	r := &Report{Schema: "svc-verify/schema-validate/v1", Verdict: Valid, Files: files}
	for _, f := range files {
		r.Verdict = worseVerdict(r.Verdict, f.Verdict)
	}
	return r
}

// ExamineFile validates the documents of a file: against the schema of that name or, if it is "", each
// against the schema that its members name. An error means that there is no answer.
func ExamineFile(file, schema string, octets []byte) (*File, error) {
	f := &File{Name: file, Verdict: Valid, counts: map[string]int{}, given: schema, Lines: isLines(octets)}
	if len(octets) > MaxFile {
		return nil, fmt.Errorf("the file has more than %d bytes", MaxFile)
	}
	if !f.Lines {
		if err := f.examineDocument(octets, 1); err != nil {
			return nil, err
		}
		return f.completeFile(), nil
	}
	number := 0
	for line := range bytes.Lines(octets) {
		if number++; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := f.examineDocument(line, number); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return f.completeFile(), nil
}

// isLines reports whether a file has a document on each line: no document has a line that ends one
// object before a line that begins another.
func isLines(octets []byte) bool {
	first, rest, _ := bytes.Cut(bytes.TrimSpace(octets), []byte("\n"))
	return bytes.HasPrefix(first, []byte("{")) && bytes.HasSuffix(bytes.TrimSpace(first), []byte("}")) &&
		bytes.HasPrefix(bytes.TrimSpace(rest), []byte("{"))
}

// examineDocument validates a document that begins on a line.
func (f *File) examineDocument(doc []byte, line int) error {
	if len(doc) > form.MaxBundle {
		return fmt.Errorf("the document has more than %d bytes", form.MaxBundle)
	}
	root, fault := ijson.Parse(doc)
	switch {
	case fault != nil && f.given == "" && !bytes.HasPrefix(bytes.TrimSpace(doc), []byte("{")):
		f.addUnrecognised(doc, line, fault.Found, fault.Offset)
		return nil
	case fault != nil:
		f.addFault(doc, line, Invalid, Fault{Path: fault.Path, Rule: OfSpecification, Expected: fault.Expected,
			Found: fault.Found, offset: fault.Offset})
		return nil
	}
	name, found := f.given, ""
	if name == "" {
		name, found = recogniseSchema(root)
	}
	if name == "" {
		f.addUnrecognised(doc, line, found, root.Offset())
		return nil
	}
	f.counts[name]++
	violations, err := violationsOf(name, root)
	violations = slices.CompactFunc(violations, isSame)
	if room := f.roomFor(len(violations)); len(violations) > 0 {
		f.listFaults(doc, line, Invalid, schemaFaults(root, violations[:room]))
	}
	return err
}

// roomFor returns how many of some faults are listed, and counts the others.
func (f *File) roomFor(faults int) int {
	room := min(faults, mostFaults-len(f.Faults))
	f.MoreFaults += faults - room
	return room
}

// isSame reports whether two violations demand the same at one place: the length and the pattern of a
// text do.
func isSame(a, b Violation) bool { return a.Pointer == b.Pointer && a.Expected == b.Expected }

// addUnrecognised records that a document is none that has a schema.
func (f *File) addUnrecognised(doc []byte, line int, found string, offset int) {
	f.addFault(doc, line, Unrecognised, Fault{Rule: OfRecognition, Expected: "a document that has a schema",
		Found: found, offset: offset})
}

// addFault adds the only fault of a document that begins on a line, if there is room.
func (f *File) addFault(doc []byte, line int, verdict Verdict, one Fault) {
	f.listFaults(doc, line, verdict, []Fault{one}[:f.roomFor(1)])
}

// listFaults lists faults of a document that begins on a line.
func (f *File) listFaults(doc []byte, line int, verdict Verdict, all []Fault) {
	f.Verdict = worseVerdict(f.Verdict, verdict)
	f.Faults = append(f.Faults, withPlaces(doc, line, all)...)
}

// completeFile completes the account of a file. One without a document is not recognised.
func (f *File) completeFile() *File {
	for _, name := range slices.Sorted(maps.Keys(f.counts)) {
		f.Forms = append(f.Forms, Form{name, f.counts[name]})
	}
	return f
}
