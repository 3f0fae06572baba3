package finding

import (
	"cmp"
	"slices"
	"strings"
)

// Evidence is a place: the source as it was given, the way through the archives in it, and the
// bytes of the decompressed stream.
type Evidence struct {
	Source    string `json:"source"`
	Container string `json:"container,omitempty"`
	Offset    int64  `json:"offset"`
	Length    int64  `json:"length"`
}

// Finding is one fault of the evidence, or one remark about it. Sequence and LastSequence are
// the first and last event concerned; both are 0 where it is about no event. Expected and
// Found can hold text of the evidence: quote them before showing. Message has them quoted.
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

// Limitation is a thing that an answer does not prove.
type Limitation struct {
	Code     Code   `json:"code"`
	Sentence string `json:"sentence"`
}

// Complete returns the finding with everything that its code fixes: severity,
// message, the next command, and the registry's explanations after those that
// it has of its own. A code that is not in the registry is critical.
func (f Finding) Complete() Finding {
	entry := f.Code.Entry()
	f.Severity, f.Message = entry.Severity, f.fill(entry.Text())
	f.Next = f.fill(f.step(entry.Next))
	f.Explanations = append(append([]string{}, f.Explanations...), entry.Explanations...)
	f.Evidence = append([]Evidence{}, f.Evidence...)
	return f
}

// Effect returns the finding's effect on a verdict.
func (f Finding) Effect() Effect {
	return f.Code.Entry().Effect
}

// Subject returns the subject that the finding blames.
func (f Finding) Subject() Subject {
	return f.Code.Entry().Subject
}

// Bearing returns the question that the finding helps to answer.
func (f Finding) Bearing() Bearing {
	return f.Code.Entry().Bearing
}

// Count is how many sequences the finding is about.
func (f Finding) Count() uint64 {
	if f.Sequence == 0 {
		return 0
	}
	return f.LastSequence - f.Sequence + 1
}

// Compare is the order of findings in every output: by log, sequence and code, and by their
// values and places where these are equal.
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
