package status

import (
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/verify"
)

// rank are the reasons that a log can have, the worst first; "" is none.
var rank = []Reason{LogRejected, LeftOut, LogIncomplete, LogOpen, Unread, AfterCheckpoint, ""}

// weight is a reason, and the finding that led to it, nil if none did.
type weight struct {
	reason Reason
	by     *finding.Finding
}

// heavier reports whether a weight counts for more than another.
func (w weight) heavier(o weight) bool {
	if w.reason != o.reason {
		return slices.Index(rank, w.reason) < slices.Index(rank, o.reason)
	}
	return w.by != nil && o.by != nil && w.by.Severity.Rank() < o.by.Severity.Rank()
}

// weighFindings returns the weight of the findings of an examination for the answers of each
// log. The zero log is for all logs.
func weighFindings(all []finding.Finding) map[facts.Log]weight {
	weights := map[facts.Log]weight{}
	for i := range all {
		f := &all[i]
		log := facts.LogOf(*f)
		if f.LogID == "" {
			log = facts.Log{}
		}
		if one := (weight{reasonOf(f), f}); one.heavier(weights[log]) {
			weights[log] = one
		}
	}
	return weights
}

// reasonOf returns the consequence of a finding for the answers of the log that it is about, or
// of all logs if it is about none; "" if there is none.
func reasonOf(f *finding.Finding) Reason {
	effect, log, complete := f.Effect(), f.Subject() == finding.Log, f.Bearing() == finding.Completeness
	switch {
	case effect == finding.None:
		return ""
	case f.Code.Entry().About == finding.Bundles && !log:
		return "" // such a bundle names no serial, and states nothing about the log
	case log && complete:
		return LogIncomplete
	case f.LogID != "" && complete && effect == finding.Rejects:
		return "" // one source lacks content of the log
	case effect == finding.Rejects:
		return LogRejected
	case log:
		return LogOpen
	}
	return Unread
}

// standingOf returns how far a tenant log can answer, after an examination.
// The words of others count, and the log's own if no witnesses are demanded.
func standingOf(r *verdict.Result, weights map[facts.Log]weight, l walk.LogResult, witnesses int) Log {
	upTo := l.CompleteByOthers.Sequence
	if witnesses == 0 {
		upTo = max(upTo, l.CompleteByOwn.Sequence)
	}
	best := weights[facts.Log{}]
	for _, one := range []weight{
		weights[l.Log()],
		heldReason(LeftOut, len(r.LeftOut) > 0),
		heldReason(LogIncomplete, l.Events == 0 || l.Missing > 0),
		heldReason(LogOpen, l.Verdict != verify.Verified),
		heldReason(AfterCheckpoint, upTo == 0),
	} {
		if one.heavier(best) {
			best = one
		}
	}
	out := Log{TenantID: l.TenantID, LogID: l.LogID, Verdict: verdictOf(best.reason), Reason: best.reason,
		LastSequence: l.LastSequence, Checkpoint: l.Checkpoint, CompleteByOthers: l.CompleteByOthers,
		CompleteByOwn: l.CompleteByOwn, CompleteUpTo: upTo}
	if best.by != nil {
		out.Decides = best.by.Code
	}
	return out
}

// heldReason is a reason that follows from the numbers of a log.
func heldReason(r Reason, holds bool) weight {
	if !holds {
		return weight{}
	}
	return weight{reason: r}
}
