package form

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// How many octets of a text are shown.
const (
	mostName     = 1_000
	mostSentence = 1_000
)

// mostDetails is how many problems of an item stand beside each other.
const mostDetails = 20

// row is one thing that is wrong, as every form shows it: with the run or an item.
type row struct {
	class   outcome.Class // how bad it is
	word    string        // what it is called: the item's own class, where it says more
	code    string        // "" if it has none
	path    string
	message string
	place   outcome.Place
	subject string // of a problem of the run
	item    string // the name of the item, "" for the run
	proof   string // what the item says, if it is genuine
	more    int    // further things that are wrong with the item
}

// ofRun returns what is wrong with the run.
func ofRun(r *outcome.Run) []row {
	var all []row
	for _, p := range r.Problems {
		all = append(all, ofProblem(&p))
	}
	return all
}

func ofProblem(p *outcome.Problem) row {
	class := outcome.Worst(p.Class, outcome.Inconclusive)
	return row{class: class, word: string(class), code: sentence(string(p.Code)), path: p.Path, message: p.Message,
		place: p.Place, subject: p.Subject}
}

// rows returns what is wrong with an item: at least one thing, unless it is verified.
func (i *entry) rows() []row {
	verdict := i.Verdict()
	if verdict == outcome.Verified {
		return nil
	}
	if len(i.Problems) == 0 {
		return []row{{class: verdict, word: i.state(), message: "It is " + string(verdict) + ".", place: i.Place,
			item: i.Name, proof: i.Proof}}
	}
	var all []row
	for _, p := range i.Problems {
		one := ofProblem(&p)
		one.item, one.word, one.proof = i.Name, i.state(), i.Proof
		if p.Place == (outcome.Place{}) {
			one.place = i.Place
		}
		all = append(all, one)
	}
	return all
}

// saidProof is what verified evidence says, with its name.
func (i *entry) saidProof() string { return label(i.Name) + ": " + sentence(i.Proof) }

// statuses are the counts of what proofs say.
var statuses = []string{"issued", "revoked", "superseded"}

// contradicted is what an item is called that is verified, if something outside of it
// speaks against it.
const contradicted = "contradicted"

// state is what an item is called, as the counts have it: its own class, unless
// something outside of it is wrong with it.
func (i *entry) state() string {
	switch {
	case i.Class != outcome.Verified:
		return sentence(string(i.Class))
	case i.Verdict() == outcome.Rejected:
		return contradicted
	case i.Verdict() != outcome.Verified:
		return "verified with problems"
	}
	return string(outcome.Verified)
}

// first is what decides about an item, in the item's class, with how much more is
// wrong with it.
func (i *entry) first() row {
	one := i.rows()[0]
	one.class, one.more = i.Verdict(), max(0, i.problems-1)
	return one
}

// label is a name, quoted. One that is very long is cut, with its digest in place of
// the rest, so that two names never look the same.
func label(name string) string {
	if len(name) <= mostName {
		return safetext.Quote(name)
	}
	return fmt.Sprintf("%s (SHA-256 %x)", safetext.Excerpt(name, mostName), sha256.Sum256([]byte(name)))
}

// sentence is text as one safe line, cut if it is very long.
func sentence(text string) string {
	if len(text) <= mostSentence {
		return safetext.Line(text)
	}
	end := mostSentence
	for end > mostSentence-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return safetext.Line(text[:end]) + "..."
}

// pointed reports whether the pointer is to be shown beside the message, which may
// have it already.
func (r row) pointed() bool { return r.path != "" && !strings.Contains(r.message, r.path) }

// said is the sentence of a row, with its item and pointer.
func (r row) said() string {
	said := sentence(r.message)
	if r.pointed() {
		said = "at " + sentence(r.path) + ": " + said
	}
	if r.item != "" {
		said = label(r.item) + ": " + said
	}
	if r.proof != "" {
		said += " (" + sentence(r.proof) + ")"
	}
	if r.more > 0 {
		said += fmt.Sprintf(" (and %s)", safetext.Count(r.more, "more problem"))
	}
	return said
}

// where is a place in words, "" if there is none.
func where(p outcome.Place) string {
	if p.File == "" {
		return ""
	}
	text := label(p.File)
	if p.Entry != "" && p.Entry != fmt.Sprint(p.Line) {
		text += ", entry " + label(p.Entry)
	}
	if p.Line > 0 {
		text += fmt.Sprintf(", line %d", p.Line)
	}
	return text
}

// verdict is that of the run, or the worst if it has none.
func verdict(r *outcome.Run) outcome.Class { return outcome.Worst(r.Verdict) }

// headline is the verdict with the numbers of items behind it.
func headline(r *outcome.Run) string {
	var numbers []string
	for _, c := range counts(r) {
		class := slices.Contains(outcome.Classes(), outcome.Class(c.What)) || c.What == contradicted ||
			slices.Contains(statuses, c.What)
		if class && c.N != 0 {
			numbers = append(numbers, fmt.Sprintf("%d %s", c.N, c.What))
		}
	}
	line := sentence(r.Command) + ": " + string(verdict(r))
	if len(numbers) > 0 {
		line += " (" + strings.Join(numbers, ", ") + ")"
	}
	return line
}

// mostNotes bounds each of the lists of the run's own texts: what was not examined,
// the counts and the limitations.
const mostNotes = 50

// notExamined returns what was not examined, one safe sentence each.
func notExamined(r *outcome.Run) []string {
	return noted(r.NotExamined, sentence, "more such sentence")
}

// limitations returns what the run does not prove, one safe sentence each.
func limitations(r *outcome.Run) []string {
	return noted(r.Limitations, func(l outcome.Limitation) string {
		return sentence(l.Sentence) + " (" + sentence(string(l.Code)) + ")"
	}, "more limitation")
}

// counts returns the counts that are shown, with safe texts.
func counts(r *outcome.Run) []outcome.Count {
	var all []outcome.Count
	for _, c := range r.Counts[:min(len(r.Counts), mostNotes)] {
		all = append(all, outcome.Count{What: sentence(c.What), N: c.N})
	}
	return all
}

// noted makes texts of a list, the last of which says how many more there are.
func noted[T any](list []T, text func(T) string, more string) []string {
	var all []string
	for i, one := range list {
		if i == mostNotes-1 && len(list) > mostNotes {
			return append(all, safetext.Count(len(list)-i, more)+".")
		}
		all = append(all, text(one))
	}
	return all
}

// share is how much of the room what is wrong with the run has: half of it, or what
// the items leave over.
func share(room, ofItems int) int { return max(room/2, room-ofItems) }

// left says that something was left out, and where it is.
func (r Rest) left(n int64, of string) string {
	switch {
	case r.File != "":
		return fmt.Sprintf("%d more %s, in %s", n, of, label(r.File))
	case r.Form != "":
		return fmt.Sprintf("%d more %s, in what --report %s=FILE writes", n, of, r.Form)
	}
	return fmt.Sprintf("%d more %s", n, of)
}

// each is left as a list, which is empty if nothing is left out.
func (r Rest) each(n int64, of string) []string {
	if n == 0 {
		return nil
	}
	return []string{"Left out: " + r.left(n, of) + "."}
}

// address is where a file is below the base: a path with slashes. It is "" for what
// is no file.
func (o Options) address(file string) string {
	if file == "" || file == "-" {
		return ""
	}
	base, err := filepath.Abs(o.Base)
	if err == nil {
		var path string
		if path, err = filepath.Abs(file); err == nil {
			file, err = filepath.Rel(base, path)
		}
	}
	if err != nil { // on another volume
		file = strings.TrimPrefix(file, filepath.VolumeName(file))
	}
	return strings.TrimLeft(filepath.ToSlash(file), "/")
}

// explained is what a code fixes.
func (o Options) explained(code string) (finding.Entry, bool) {
	if o.Explain == nil || code == "" {
		return finding.Entry{}, false
	}
	return o.Explain(finding.Code(code))
}
