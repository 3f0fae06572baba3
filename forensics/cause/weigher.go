package cause

import (
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// weigher weighs the facts of one case.
type weigher struct {
	*index
	taken []bool // findings that a cause explains
	found []*draft

	rewritten   map[facts.Log]bool     // with two histories, or another one's
	lastAltered map[facts.Log][]string // stores with altered events
}

func newWeigher(f Facts) *weigher {
	return &weigher{index: newIndex(f), taken: make([]bool, len(f.Findings)),
		rewritten: map[facts.Log]bool{}, lastAltered: map[facts.Log][]string{}}
}

// pinning finds keys of a trust file that are not the evidence's, and logs of another
// environment.
type pinning struct {
	*weigher
	explained map[signerName]bool // keys that a cause is about
}

// missing weighs events that are missing.
type missing struct{ *weigher }

// draft begins a cause of findings.
func (w *weigher) draft(code Code, of []int, stores ...string) *draft {
	return &draft{code: code, logs: w.logsOf(of), sources: w.files(of), stores: stores, sequence: w.firstOf(of)}
}

// addCause adds a cause, unless no finding follows from it that counts for the verdict.
func (w *weigher) addCause(d *draft, findings []int) {
	counts := func(i int) bool { return w.Findings[i].Effect() != finding.None }
	if !slices.ContainsFunc(findings, counts) {
		return
	}
	d.findings = merged(findings)
	for _, i := range findings {
		w.taken[i] = true
	}
	w.found = append(w.found, d)
}
