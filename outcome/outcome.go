// Package outcome represents the outcome of a run over many pieces of evidence: a value that
// all its reports are made from. A run is a batch of proofs, or a case.
//
// A report has first the unexamined evidence, then the verdict, then the problems, and last
// the verified items. Package outcome/form has the forms.
package outcome

import (
	"io"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
)

// Class is the outcome of one item, or of a whole run. The zero value is no class.
type Class string

// The classes, the worst first. A run is never NotABundle: it is then Rejected.
const (
	Rejected     Class = "rejected"     // the evidence is bad
	NotABundle   Class = "not-a-bundle" // it is no evidence of this format
	Unreadable   Class = "unreadable"   // it could not be read
	Inconclusive Class = "inconclusive" // there was nothing to check, or not enough to decide
	Verified     Class = "verified"
)

// Classes returns all classes, the worst first.
func Classes() []Class { return []Class{Rejected, NotABundle, Unreadable, Inconclusive, Verified} }

// ClassOf returns the class that a finding with a code gives a run.
func ClassOf(code finding.Code) Class {
	if code.Entry().Effect == finding.LeavesOpen {
		return Inconclusive
	}
	return Rejected
}

// Exit returns the exit code of a verdict: 0, 1, 2 or 3. An unknown class, such as the zero
// value, is inconclusive.
func (c Class) Exit() int {
	switch c {
	case Verified:
		return 0
	case Rejected, NotABundle:
		return 1
	case Unreadable:
		return 2
	}
	return 3
}

// Worst returns the worst of classes. An unknown class is as bad as Rejected, and no classes
// at all are Verified.
func Worst(classes ...Class) Class {
	all := Classes()
	worst := len(all) - 1
	for _, c := range classes {
		worst = min(worst, max(0, slices.Index(all, c)))
	}
	return all[worst]
}

// Run is the result of all items together. Strings can hold text of the evidence as it is;
// each form quotes it.
type Run struct {
	Command     string               // the command as its user knows it, such as "svc-verify verify"
	Verdict     Class                // decides the exit code
	NotExamined []string             // the unexamined evidence, one sentence each
	Counts      []answer.Count       // how many items there are of each kind, in the order to show
	Problems    []Problem            // of no single item, the worst first
	Limitations []finding.Limitation // of the whole run
	TrustSHA256 string               // 64 lower-case hexadecimal digits
}

// Item is one thing that was examined: a proof, a log or a source.
type Item struct {
	Name     string    // unique in the run: a path, and for an entry of a container what Place adds
	Place    Place     // where it is
	Class    Class     // its own result, without its problems
	Problems []Problem // the one that decides first
	About    []Fact    // its own statements, once verified
	Proof    string    // the statement of genuine evidence, as one sentence
}

// Failed reports whether the item is to be shown among those that are wrong.
func (i *Item) Failed() bool { return i.Class != Verified || len(i.Problems) > 0 }

// Verdict is the worst that the item's own class and its problems make of it. An
// item with a problem is never Verified.
func (i *Item) Verdict() Class {
	worst := Worst(i.Class)
	for _, p := range i.Problems {
		worst = Worst(worst, p.Class, Inconclusive)
	}
	return worst
}

// Place is where an item is. File is the path as it was given, or found below a
// directory that was given; "-" is standard input, and "" no file at all. Entry
// is the name in the container that File is, or the number of the line, from 1;
// "" if File is the item itself.
type Place struct {
	File  string `json:"file"`
	Entry string `json:"entry"`
	Line  int64  `json:"-"` // of the entry in File, from 1; 0 if it has none
}

// Fact is a statement about an item, such as its transaction.
type Fact struct {
	What  string `json:"what"`
	Value string `json:"value"`
}

// Problem is one thing that is wrong.
type Problem struct {
	Code    finding.Code `json:"code"`
	Class   Class        `json:"class"`   // the effect on the item or the run: Rejected, Unreadable, Inconclusive
	Path    string       `json:"-"`       // RFC 6901 pointer into the item, or ""
	Message string       `json:"message"` // one sentence with the expected and the found value
	Subject string       `json:"subject"` // the subject of a problem of the run that has no place, such as a transaction
	Place                // where it is, if not at the item's own place
}

// Report is a run with its items. Items yields them in the order of the run, and
// can be called more than once. Lines writes all that it has as lines of JSON. The
// command adds its answer: as a value for JSON, and as a document for people.
type Report struct {
	Run
	Items func() iter.Seq2[Item, error]
	Lines func(io.Writer) error

	JSON     any
	Document func() *answer.Doc
}
