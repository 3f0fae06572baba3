package walk

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

const (
	// mostFindings bounds the findings that are listed of one log, and with
	// them the memory of a walk over a log in which everything is wrong.
	mostFindings = 10_000

	// mostEvidence bounds the places that one finding lists.
	mostEvidence = 16
)

// notes collects the findings of one log. A finding that continues from event to event is one
// finding with a range.
type notes struct {
	findings []finding.Finding
	newest   map[kind]int // index of the newest finding of a kind
	repeated map[int]int  // how often a finding about one key came again
	worst    finding.Effect
	blame    finding.Effect // the worst of those that are about the log itself
	unlisted map[finding.Code]uint64
}

// kind is the common part of findings that can be one: the code and, where it is about a key,
// the key.
type kind struct {
	code finding.Code
	key  string
}

func kindOf(f finding.Finding, merge finding.Merge) kind {
	if merge == finding.NeighboursByKey || merge == finding.SameKey {
		return kind{f.Code, f.Found}
	}
	return kind{code: f.Code}
}

func newNotes() *notes {
	return &notes{newest: map[kind]int{}, repeated: map[int]int{}, worst: finding.None, blame: finding.None,
		unlisted: map[finding.Code]uint64{}}
}

// addFault records a finding. It returns where its evidence goes, or nil if there is no use for
// more.
func (n *notes) addFault(f finding.Finding) *finding.Finding {
	entry := f.Code.Entry()
	n.worst = worseEffect(n.worst, entry.Effect)
	if entry.Subject == finding.Log {
		n.blame = worseEffect(n.blame, entry.Effect)
	}
	k := kindOf(f, entry.Merge)
	if i, ok := n.newest[k]; ok {
		g := &n.findings[i]
		switch {
		case entry.Merge == finding.SameRange && g.Sequence == f.Sequence && g.LastSequence == f.LastSequence:
			return nil
		case entry.Merge == finding.SameKey:
			n.repeated[i]++
		case entry.Merge == finding.Apart || entry.Merge == finding.SameRange || f.Sequence > g.LastSequence+1:
			return n.another(f, k)
		}
		g.LastSequence = f.LastSequence
		if len(g.Evidence) >= mostEvidence {
			return nil
		}
		return g
	}
	return n.another(f, k)
}

// merge adds the findings of other notes.
func (n *notes) merge(other *notes) {
	for _, f := range other.findings {
		n.addFault(f)
	}
	for code, count := range other.unlisted {
		n.unlisted[code] += count
	}
	n.worst, n.blame = worseEffect(n.worst, other.worst), worseEffect(n.blame, other.blame)
}

// another lists a finding by itself.
func (n *notes) another(f finding.Finding, k kind) *finding.Finding {
	if len(n.findings) >= mostFindings {
		n.unlisted[f.Code]++
		return nil
	}
	n.newest[k] = len(n.findings)
	n.findings = append(n.findings, f)
	return &n.findings[len(n.findings)-1]
}

// idle reports whether one more finding would change nothing but a number, so that
// there is no use in looking further into it.
func (n *notes) idle() bool { return len(n.findings) >= mostFindings && n.worst == finding.Rejects }

// allFindings returns the findings, completed and in order.
func (n *notes) allFindings(log facts.Log) []finding.Finding {
	all := slices.Clone(n.findings)
	for i, times := range n.repeated {
		all[i].Found += fmt.Sprintf(", on %d events of these", times+1)
	}
	// Those that are not listed have counted for the verdict already.
	for code, count := range n.unlisted {
		all = append(all, finding.Finding{Code: code, Expected: fmt.Sprintf("at most %d findings", mostFindings),
			Found: fmt.Sprintf("%d more of this kind", count)})
	}
	for i := range all {
		all[i].TenantID, all[i].LogID = log.TenantID, log.LogID
		all[i] = all[i].Complete()
	}
	slices.SortFunc(all, finding.Compare)
	return all
}

// worseEffect returns the effect that outweighs the other.
func worseEffect(a, b finding.Effect) finding.Effect {
	order := []finding.Effect{finding.None, finding.LeavesOpen, finding.Rejects}
	return slices.MaxFunc([]finding.Effect{a, b}, func(a, b finding.Effect) int {
		return cmp.Compare(slices.Index(order, a), slices.Index(order, b))
	})
}
