package cause

import (
	"slices"

	"github.com/svc-edge/svc-verify/finding"
)

// Code names a kind of cause.
type Code = finding.Code

// property selects codes by their entries. The rules name no code that another package finds, so
// that adding a code needs no edit here.
type property func(finding.Entry) bool

// failingAt selects findings that call a thing bad, for one of some reasons or for any.
func failingAt(thing finding.Thing, defects ...finding.Defect) property {
	return func(e finding.Entry) bool {
		return thing != "" && e.About == thing && (len(defects) == 0 || slices.Contains(defects, e.Defect))
	}
}

// unverifiedThing selects findings about things without a valid signature of a pinned key.
func unverifiedThing(thing finding.Thing) property {
	return failingAt(thing, finding.UnknownKey, finding.WrongSignature)
}

// withDefect selects findings by the reason why any thing is bad.
func withDefect(d finding.Defect) property {
	return func(e finding.Entry) bool { return e.Defect == d }
}

// withLack selects findings that call something missing.
func withLack(what finding.Lack) property {
	return func(e finding.Entry) bool { return e.Lacks == what }
}

// signOf selects signs of any of these.
func signOf(signs ...finding.Sign) property {
	return func(e finding.Entry) bool { return slices.Contains(signs, e.SignOf) }
}

// and selects codes with both properties.
func (p property) and(q property) property {
	return func(e finding.Entry) bool { return p(e) && q(e) }
}

func inPlace(e finding.Entry) bool { return !e.Elsewhere }
func isOpen(e finding.Entry) bool  { return e.Effect == finding.LeavesOpen }

// The properties that several rules use.
var (
	deletion     = signOf(finding.Deletion)
	lackedTail   = withLack(finding.EventsAtTail).and(deletion)
	openTail     = lackedTail.and(isOpen)
	inJournal    = withLack(finding.InJournal).and(deletion)
	inStore      = withLack(finding.InStore)
	inBatch      = withLack(finding.InBatch)
	unrecorded   = withLack(finding.RecordOf) // as far as the events of the log can be read
	uncovered    = unrecorded.and(isOpen)     // too little of the log is here to know
	unanchored   = withLack(finding.AnchorOf)
	twoHistories = withDefect(finding.OtherHistory)
	misanchored  = failingAt(finding.Events, finding.OtherHistory)
	alteredEvent = failingAt(finding.Events, finding.WrongHash, finding.WrongSignature)
	alteredCopy  = failingAt(finding.Copies)
	ofBundle     = failingAt(finding.Bundles)
)

// hasProperty reports whether a code has one of some properties.
func hasProperty(code finding.Code, of ...property) bool {
	entry := code.Entry()
	return slices.ContainsFunc(of, func(p property) bool { return p(entry) })
}

// any reports whether one of some findings has one of some properties.
func (x *findingIndex) any(findings []int, of ...property) bool {
	return slices.ContainsFunc(findings, func(i int) bool { return hasProperty(x.Findings[i].Code, of...) })
}

// left returns the findings with one of some properties that no cause explains yet.
func (w *weigher) left(of ...property) []int {
	var all []int
	for i, f := range w.Findings {
		if !w.taken[i] && hasProperty(f.Code, of...) {
			all = append(all, i)
		}
	}
	return all
}
