package form

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// row is one thing that is wrong, as every form shows it: with the run or an item.
type row struct {
	outcome.Problem        // its code and class are safe to show
	word            string // its name: the item's own class, where that states more
	item            *entry // nil for the run
	more            int    // further things that are wrong with the item
}

// ofRun returns the problems of the run, the worst first.
func ofRun(r *outcome.Run) (all []row) {
	for _, p := range r.Problems {
		all = append(all, ofProblem(p))
	}
	return worstFirst(all)
}

func ofProblem(p outcome.Problem) row {
	p.Class, p.Code = outcome.Worst(p.Class, outcome.Inconclusive), finding.Code(answer.Sentence(string(p.Code)))
	return row{Problem: p, word: string(p.Class)}
}

// problemRows returns the problems of an item: at least one, unless it is verified.
func (i *entry) problemRows() (all []row) {
	verdict := i.Verdict()
	if verdict == outcome.Verified {
		return nil
	}
	problems := i.Problems
	if len(problems) == 0 {
		problems = []outcome.Problem{{Class: verdict, Message: "It is " + string(verdict) + "."}}
	}
	for _, p := range problems {
		one := ofProblem(p)
		one.item, one.word = i, i.stateWord()
		if p.Place == (outcome.Place{}) {
			one.Place = i.Place
		}
		all = append(all, one)
	}
	return all
}

// saidProof is the statement of verified evidence, with its name.
func (i *entry) saidProof() string { return answer.Label(i.Name) + ": " + answer.Sentence(i.Proof) }

// proofCounts are the counts of proofs besides the classes.
var proofCounts = []string{"issued", "revoked", "superseded", contradicted}

// contradicted is the word for a verified item if something outside of it speaks against it.
const contradicted = "contradicted"

// stateWord is the word for an item, as the counts have it: its own class, unless something
// outside of it is wrong with it.
func (i *entry) stateWord() string {
	switch {
	case i.Class != outcome.Verified:
		return answer.Sentence(string(i.Class))
	case i.Verdict() == outcome.Rejected:
		return contradicted
	case i.Verdict() != outcome.Verified:
		return "verified with problems"
	}
	return string(outcome.Verified)
}

// decidingRow is the problem that decides about an item, in the item's class, with the number
// of its other problems.
func (i *entry) decidingRow() row {
	one := i.problemRows()[0]
	one.Class, one.more = i.Verdict(), max(0, i.problems-1)
	return one
}

// worstFirst returns rows by their classes, and of one class in their order.
func worstFirst(rows ...[]row) []row {
	all := slices.Concat(rows...)
	rank := func(r row) int { return slices.Index(outcome.Classes(), r.Class) }
	slices.SortStableFunc(all, func(a, b row) int { return rank(a) - rank(b) })
	return all
}

// showsPointer reports whether the pointer is to be shown next to the message, which may have
// it already.
func (r row) showsPointer() bool { return r.Path != "" && !strings.Contains(r.Message, r.Path) }

// said is the sentence of a row, with its item and pointer.
func (r row) said() string {
	said := answer.Sentence(r.Message)
	if r.showsPointer() {
		said = "at " + answer.Sentence(r.Path) + ": " + said
	}
	if r.item != nil {
		said = answer.Label(r.item.Name) + ": " + said
		if r.item.Proof != "" {
			said += " (" + answer.Sentence(r.item.Proof) + ")"
		}
	}
	if r.more > 0 {
		said += fmt.Sprintf(" (and %s)", safetext.Count(r.more, "more problem"))
	}
	return said
}

// placeText is a place in words, "" if there is none.
func placeText(p outcome.Place) string {
	if p.File == "" {
		return ""
	}
	text := answer.Label(p.File)
	if p.Entry != "" && p.Entry != fmt.Sprint(p.Line) {
		text += ", entry " + answer.Label(p.Entry)
	}
	if p.Line > 0 {
		text += fmt.Sprintf(", line %d", p.Line)
	}
	return text
}

// runVerdict is the run's verdict, or the worst if it has none.
func runVerdict(r *outcome.Run) outcome.Class { return outcome.Worst(r.Verdict) }

// verdictLine is the verdict with the numbers of items behind it.
func verdictLine(r *outcome.Run) string {
	var numbers []answer.Count
	for _, c := range shownCounts(r) {
		if slices.Contains(outcome.Classes(), outcome.Class(c.What)) || slices.Contains(proofCounts, c.What) {
			numbers = append(numbers, c)
		}
	}
	line := answer.Sentence(r.Command) + ": " + string(runVerdict(r))
	if said := answer.JoinCounts(numbers...); said != "" {
		line += " (" + said + ")"
	}
	return line
}

// notExamined returns the list of unexamined evidence, one safe sentence each behind a prefix.
func notExamined(r *outcome.Run, prefix string) []string {
	all := answer.Noted(r.NotExamined, answer.Sentence, "more such sentence")
	for i := range all {
		all[i] = prefix + all[i]
	}
	return all
}

// limitationTexts returns the limitations of the run, one safe sentence each.
func limitationTexts(r *outcome.Run) []string {
	return answer.Noted(r.Limitations, func(l finding.Limitation) string {
		return answer.Sentence(l.Sentence) + " (" + answer.Sentence(string(l.Code)) + ")"
	}, "more limitation")
}

// shownCounts returns the counts that are shown, with safe texts.
func shownCounts(r *outcome.Run) []answer.Count {
	var all []answer.Count
	for _, c := range r.Counts[:min(len(r.Counts), answer.MostNotes)] {
		all = append(all, answer.Count{What: answer.Sentence(c.What), N: c.N})
	}
	return all
}

// problemShare is how much of the room the problems of the run have: half of it, or the rest
// that the items leave.
func problemShare(room, ofItems int) int { return max(room/2, room-ofItems) }

// pathBelow is where a file is below the base: a path with slashes. It is "" if there is no
// file.
func (o Options) pathBelow(file string) string {
	if file == "" || file == "-" {
		return ""
	}
	base, noBase := filepath.Abs(o.Base)
	path, noPath := filepath.Abs(file)
	below, err := filepath.Rel(base, path)
	if cmp.Or(noBase, noPath, err) != nil { // on another volume
		below = strings.TrimPrefix(file, filepath.VolumeName(file))
	}
	return strings.TrimLeft(filepath.ToSlash(below), "/")
}
