package walktest

import (
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/verify"
)

// Said is the findings of a result as short words: log, code and range.
func Said(findings []finding.Finding) []string {
	var all []string
	for _, f := range findings {
		if f.Code != finding.TailUnanchored {
			all = append(all, Word(f.LogID, f.Code, f.Sequence, f.LastSequence))
		}
	}
	slices.Sort(all)
	return slices.Compact(all) // two copies of one event can have the same defect
}

// Word is a finding as a short word.
func Word(log string, code finding.Code, first, last uint64) string {
	return fmt.Sprintf("%s %s %d-%d", log, code, first, last)
}

// Words is the whole result of a walk, to be compared.
func (n *Naive) Words() []string {
	var all []string
	for s := range n.said {
		all = append(all, s)
	}
	for _, l := range []facts.Log{TenantLog, Berlin, Oslo} {
		if len(n.logs[l]) > 0 || len(n.heads[l]) > 0 {
			all = append(all, fmt.Sprintf("%s %d anchored %d, by others %d, by its own %d, %s", l.LogID, n.sums[l],
				n.fits[l], n.other[l], n.fits[l], n.tails[l]))
		}
	}
	slices.Sort(all)
	return all
}

// WordsOf returns a result in the same words.
func WordsOf(r *walk.Result) []string {
	all := Said(r.Findings)
	for _, l := range r.Logs {
		tail := fmt.Sprint("tail ", l.UnanchoredTail)
		if slices.ContainsFunc(r.Findings, func(f finding.Finding) bool {
			return f.LogID == l.LogID && f.Code == finding.Fork
		}) {
			tail = "forked"
		}
		all = append(all, fmt.Sprintf("%s %d anchored %d, by others %d, by its own %d, %s", l.LogID,
			[7]uint64{l.FirstSequence, l.LastSequence, l.Events, l.Missing, l.HashValid, l.LinkValid, l.SignatureValid},
			l.AnchoredSequence, l.CompleteByOthers.Sequence, l.CompleteByOwn.Sequence, tail))
	}
	slices.Sort(all)
	return all
}

// VerdictOf is the verdict that findings call for.
func VerdictOf(findings []finding.Finding) verify.Verdict {
	worst := verify.Verified
	for _, f := range findings {
		switch f.Effect() {
		case finding.Rejects:
			return verify.Rejected
		case finding.LeavesOpen:
			worst = verify.Inconclusive
		}
	}
	return worst
}
