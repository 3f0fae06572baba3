package verdict

import (
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/verify"
)

// Decides returns the finding that decides a verdict: the first of the most severe
// findings that reject or, if none does, that leave the case open. It returns nil
// if the verdict is verified, or if it depends on parts that were not examined.
func Decides(v verify.Verdict, found ...[]finding.Finding) *finding.Finding {
	of := finding.LeavesOpen
	switch v {
	case verify.Verified:
		return nil
	case verify.Rejected:
		of = finding.Rejects
	}
	var best *finding.Finding
	for _, f := range slices.Concat(found...) {
		if f.Effect() == of && (best == nil || f.Severity.Rank() < best.Severity.Rank()) {
			best = &f
		}
	}
	return best
}

// Reason describes why a verdict is not verified, and what to do next.
type Reason struct {
	Finding *finding.Finding // nil where none decides
	Text    string           // a sentence on the finding, or on the lack of one
	Next    string           // the next command
}

// The next steps where no finding names one.
const (
	walkAll = "svc-verify walk CASE --trust TRUST: the whole case"
	work    = "svc-verify part --plan PLAN --index I --trust TRUST --out PART: the missing shares"
	again   = "svc-verify conclude: where the sources are at the paths of the plan"
	give    = "svc-verify ingest CASE PATH: give journals and the tenant log"
)

// Why returns the reason of a verdict, from the finding that decides it and the
// parts that were not examined. It returns nil if the verdict is verified.
func Why(v verify.Verdict, decides *finding.Finding, left []LeftOut) *Reason {
	switch {
	case v == verify.Verified:
		return nil
	case decides != nil:
		return &Reason{decides, decides.Lead(), decides.Next}
	case len(left) > 0:
		return &Reason{nil, "Not all was examined.", nextOf(left[0].What)}
	}
	return &Reason{nil, "No event of a log is here.", give}
}

// nextOf returns how to go on where something was not examined.
func nextOf(w What) string {
	switch w {
	case Shares:
		return work
	case Sources:
		return again
	}
	return walkAll
}

// Why returns the reason of the verdict. It returns nil if the verdict is verified
// or if there is no result.
func (r *Result) Why() *Reason {
	if r == nil {
		return nil
	}
	return Why(r.Verdict, r.Decides, r.LeftOut)
}

// WhyLogs returns the reason of the verdict on each of r.Logs, nil for one that is
// verified.
func (r *Result) WhyLogs() []*Reason {
	about := map[facts.Log][]finding.Finding{}
	for _, f := range r.Findings {
		if f.Subject() == finding.Log {
			about[facts.LogOf(f)] = append(about[facts.LogOf(f)], f)
		}
	}
	all := make([]*Reason, len(r.Logs))
	for i, l := range r.Logs {
		all[i] = Why(l.Verdict, Decides(l.Verdict, about[l.Log()]), r.LeftOut)
	}
	return all
}
