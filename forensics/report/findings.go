package report

import (
	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/query"
)

// Findings returns the findings of a walk. If the walk was selected by its trust file, that
// file is not named again.
func Findings(f *query.Found, q Asked, byTrust bool) *answer.Doc {
	d := withReason(headOf(f.Result, q.Name), f.Result.Why(), q)
	switch {
	case f.Result == nil && byTrust:
		d.Title += ": not under this trust file. Next: svc-verify walk"
	case f.Result == nil:
		d.Title += ". Next: svc-verify walk"
	default:
		if !byTrust {
			d.Head = append(d.Head, answer.Pairs{answer.Value("trust sha256", answer.Code(f.TrustSHA256))})
		}
		d.AddSections(causesSection(q, f.Causes, f.Findings),
			findingsSection(groupFindings(q, worstFirst(f.Findings))))
	}
	return d
}
