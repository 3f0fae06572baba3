package finding

import (
	"cmp"
	"slices"
	"strings"
)

// Code names a defect, as <thing>.<defect>.
type Code string

// Severity says how much a finding matters to whoever investigates.
type Severity string

// The severities, from the worst.
const (
	Critical Severity = "critical" // evidence of tampering
	High     Severity = "high"
	Medium   Severity = "medium"
	Info     Severity = "info"
)

// Severities returns the severities, from the worst.
func Severities() []Severity { return []Severity{Critical, High, Medium, Info} }

// Rank orders severities, the worst first. One that is not known comes before all.
func (s Severity) Rank() int { return slices.Index(Severities(), s) }

// Effect is what a finding does to a verdict.
type Effect string

// The effects. Rejects outweighs LeavesOpen.
const (
	Rejects    Effect = "rejects"      // the evidence is bad
	LeavesOpen Effect = "inconclusive" // what is there does not suffice to say
	None       Effect = "none"
)

// Subject is what a finding blames.
type Subject string

// The subjects. A copy that was altered beside the genuine event is its source's
// fault, and the log is none the worse for it.
const (
	Log    Subject = "log"
	Source Subject = "source"
)

// Bearing is the question that a finding helps to answer.
type Bearing string

// The bearings.
const (
	Integrity    Bearing = "integrity"    // is everything genuine and linked?
	Completeness Bearing = "completeness" // is everything there?
)

// Mark is how a finding is drawn in the picture of a log.
type Mark string

// The marks.
const (
	NoMark       Mark = ""
	Altered      Mark = "altered"      // an event or link that does not hold
	Unverified   Mark = "unverified"   // no key to tell, or content that was taken apart on the way
	Forked       Mark = "forked"       // two signed histories part
	Contradicted Mark = "contradicted" // an anchor that names another event
	BadCopy      Mark = "bad-copy"     // a copy that does not hold, which is its source's fault
)

// Evidence is where something stands: the source as it was given, the way
// through the archives in it, and the bytes of the decompressed stream.
type Evidence struct {
	Source    string `json:"source"`
	Container string `json:"container,omitempty"`
	Offset    int64  `json:"offset"`
	Length    int64  `json:"length"`
}

// Finding says one thing about the evidence. Sequence and LastSequence are the
// first and last event concerned; both are 0 where it is about no event.
// Expected and Found can hold text of the evidence: quote them before showing.
// Message has them quoted.
type Finding struct {
	Code         Code       `json:"code"`
	Severity     Severity   `json:"severity"`
	TenantID     string     `json:"tenant_id"`
	LogID        string     `json:"log_id"`
	Sequence     uint64     `json:"sequence"`
	LastSequence uint64     `json:"last_sequence"`
	Store        string     `json:"store,omitempty"` // that is blamed, where stores were compared
	Message      string     `json:"message"`
	Expected     string     `json:"expected"`
	Found        string     `json:"found"`
	Evidence     []Evidence `json:"evidence"`
	Explanations []string   `json:"explanations"`
	Next         string     `json:"next"`
}

// Complete returns the finding with everything that its code fixes: severity,
// message, the next command, and the registry's explanations after those that
// it has of its own. A code that is not in the registry is critical.
func (f Finding) Complete() Finding {
	entry, _ := Lookup(f.Code)
	f.Severity, f.Message = entry.Severity, fill(entry.Sentence, f)
	f.Next = fill(entry.Next, f)
	f.Explanations = append(append([]string{}, f.Explanations...), entry.Explanations...)
	f.Evidence = append([]Evidence{}, f.Evidence...)
	return f
}

// Effect returns what the finding does to a verdict.
func (f Finding) Effect() Effect {
	entry, _ := Lookup(f.Code)
	return entry.Effect
}

// Subject returns what the finding blames.
func (f Finding) Subject() Subject {
	entry, _ := Lookup(f.Code)
	return entry.Subject
}

// Bearing returns the question that the finding helps to answer.
func (f Finding) Bearing() Bearing {
	entry, _ := Lookup(f.Code)
	return entry.Bearing
}

// Count is how many sequences the finding is about.
func (f Finding) Count() uint64 {
	if f.Sequence == 0 {
		return 0
	}
	return f.LastSequence - f.Sequence + 1
}

// Compare is the order of findings in every output: by log, sequence and code,
// and by what they say where these are equal.
func Compare(a, b Finding) int {
	return cmp.Or(
		strings.Compare(a.LogID, b.LogID),
		strings.Compare(a.TenantID, b.TenantID),
		cmp.Compare(a.Sequence, b.Sequence),
		cmp.Compare(a.LastSequence, b.LastSequence),
		strings.Compare(string(a.Code), string(b.Code)),
		strings.Compare(a.Expected, b.Expected),
		strings.Compare(a.Found, b.Found),
		slices.CompareFunc(a.Evidence, b.Evidence, CompareEvidence),
	)
}

// CompareEvidence orders places by source, container and offset.
func CompareEvidence(a, b Evidence) int {
	return cmp.Or(
		strings.Compare(a.Source, b.Source),
		strings.Compare(a.Container, b.Container),
		cmp.Compare(a.Offset, b.Offset),
		cmp.Compare(a.Length, b.Length),
	)
}
