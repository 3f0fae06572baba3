package walk

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/finding"
)

const (
	// mostFindings bounds the findings that are listed of one log, and with
	// them the memory of a walk over a log in which everything is wrong.
	mostFindings = 10_000

	// mostEvidence bounds the places that one finding lists.
	mostEvidence = 16
)

// notes collects the findings of one log. A finding that goes on from event to
// event is one finding with a range.
type notes struct {
	findings []finding.Finding
	newest   map[kind]int // where the newest finding of a kind stands
	repeated map[int]int  // how often a spread finding came again
	worst    finding.Effect
	blame    finding.Effect // the worst of those that are about the log itself
	unlisted uint64
}

// kind is what findings have in common that can be one: the code and, where it
// is about a key, the key.
type kind struct {
	code finding.Code
	key  string
}

func kindOf(f finding.Finding) kind {
	if f.Code == finding.KeyUnknown || f.Code == finding.KeyOfOtherNode || f.Code == finding.ReportKeyUnknown {
		return kind{f.Code, f.Found}
	}
	return kind{code: f.Code}
}

func newNotes() *notes {
	return &notes{newest: map[kind]int{}, repeated: map[int]int{}, worst: finding.None, blame: finding.None}
}

// ranged are the codes whose findings on neighbouring events are one finding.
var ranged = []finding.Code{finding.HashMismatch, finding.HashMismatchLossy, finding.SignatureInvalid, finding.KeyUnknown,
	finding.KeyOfOtherNode, finding.AlteredCopy, finding.LossyCopy}

// absences are the codes of which a range is named once, though every branch
// of the log lacks it.
var absences = []finding.Code{finding.Gap, finding.GapUnread, finding.HeadMissing}

// spread are the codes whose findings about one key are one finding, wherever
// they stand: a key that is not pinned is missing for all that it signed.
var spread = []finding.Code{finding.ReportKeyUnknown}

// add takes in a finding. It returns where its evidence goes, or nil if there
// is no use for more.
func (n *notes) add(f finding.Finding) *finding.Finding {
	n.worst = worse(n.worst, f.Effect())
	if f.Subject() == finding.Log {
		n.blame = worse(n.blame, f.Effect())
	}
	if i, ok := n.newest[kindOf(f)]; ok {
		g := &n.findings[i]
		switch {
		case slices.Contains(absences, f.Code) && g.Sequence == f.Sequence && g.LastSequence == f.LastSequence:
			return nil
		case slices.Contains(spread, f.Code):
			n.repeated[i]++
		case !slices.Contains(ranged, f.Code) || f.Sequence > g.LastSequence+1:
			return n.another(f)
		}
		g.LastSequence = f.LastSequence
		if len(g.Evidence) >= mostEvidence {
			return nil
		}
		return g
	}
	return n.another(f)
}

// leavesOpen is for a log of which something was not examined.
func (n *notes) leavesOpen() {
	n.worst, n.blame = worse(n.worst, finding.LeavesOpen), worse(n.blame, finding.LeavesOpen)
}

// another lists a finding by itself.
func (n *notes) another(f finding.Finding) *finding.Finding {
	if len(n.findings) >= mostFindings {
		n.unlisted++
		return nil
	}
	n.newest[kindOf(f)] = len(n.findings)
	n.findings = append(n.findings, f)
	return &n.findings[len(n.findings)-1]
}

// idle reports whether one more finding would change nothing but a number, so that
// there is no use in looking further into it.
func (n *notes) idle() bool { return len(n.findings) >= mostFindings && n.worst == finding.Rejects }

// list returns the findings, completed and in order.
func (n *notes) list(log Log) []finding.Finding {
	all := slices.Clone(n.findings)
	for i, times := range n.repeated {
		all[i].Found += fmt.Sprintf(", on %d events of these", times+1)
	}
	if n.unlisted > 0 {
		n.leavesOpen()
		all = append(all, finding.Finding{Code: finding.LimitReached, Expected: fmt.Sprintf("at most %d findings", mostFindings),
			Found: fmt.Sprintf("%d more, which are not listed", n.unlisted)})
	}
	for i := range all {
		all[i].TenantID, all[i].LogID = log.TenantID, log.LogID
		all[i] = all[i].Complete()
	}
	slices.SortFunc(all, finding.Compare)
	return all
}

// worse returns the effect that outweighs the other.
func worse(a, b finding.Effect) finding.Effect {
	order := []finding.Effect{finding.None, finding.LeavesOpen, finding.Rejects}
	return slices.MaxFunc([]finding.Effect{a, b}, func(a, b finding.Effect) int {
		return cmp.Compare(slices.Index(order, a), slices.Index(order, b))
	})
}
