package status

import (
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/verify"
)

// rank are the reasons that a log can have, the worst first.
var rank = []Reason{LogRejected, LeftOut, LogIncomplete, LogOpen, Unread, AfterCheckpoint}

// weight is a reason, and the finding that led to it, nil if none did.
type weight struct {
	reason Reason
	by     *finding.Finding
}

// heavier reports whether a weight counts for more than another.
func (w weight) heavier(o weight) bool {
	switch {
	case w.reason == "" || o.reason == "":
		return o.reason == "" && w.reason != ""
	case w.reason != o.reason:
		return slices.Index(rank, w.reason) < slices.Index(rank, o.reason)
	}
	return w.by != nil && o.by != nil && w.by.Severity.Rank() < o.by.Severity.Rank()
}

// weights are what the findings of an examination mean for the answers of logs.
type weights struct {
	everywhere weight
	logs       map[facts.Log]weight
}

// weigh goes over the findings once.
func weigh(all []finding.Finding) weights {
	w := weights{logs: map[facts.Log]weight{}}
	for i := range all {
		f := &all[i]
		one := weight{bearing(f), f}
		log := facts.LogOf(*f)
		switch {
		case one.reason == "":
			continue
		case f.LogID == "":
			if one.heavier(w.everywhere) {
				w.everywhere = one
			}
			continue
		}
		if one.heavier(w.logs[log]) {
			w.logs[log] = one
		}
	}
	return w
}

// bearing returns what a finding means for the answers of the log that it is about,
// or of all logs if it is about none; "" if nothing.
func bearing(f *finding.Finding) Reason {
	effect, log, complete := f.Effect(), f.Subject() == finding.Log, f.Bearing() == finding.Completeness
	switch {
	case effect == finding.None:
		return ""
	case f.Code.Entry().About == finding.Bundles && !log:
		return "" // such a bundle names no serial, and says nothing about the log
	case log && complete:
		return LogIncomplete
	case f.LogID != "" && complete && effect == finding.Rejects:
		return "" // one source lacks what the log has
	case effect == finding.Rejects:
		return LogRejected
	case log:
		return LogOpen
	}
	return Unread
}

// standing returns how far a tenant log can answer, after an examination.
// The words of others count, and the log's own if no witnesses are demanded.
func standing(r *verdict.Result, w weights, l walk.LogResult, witnesses int) Log {
	upTo := l.CompleteByOthers.Sequence
	if witnesses == 0 {
		upTo = max(upTo, l.CompleteByOwn.Sequence)
	}
	best := w.everywhere
	for _, one := range []weight{
		w.logs[facts.Log{TenantID: l.TenantID, LogID: l.LogID}],
		held(LeftOut, len(r.LeftOut) > 0),
		held(LogIncomplete, l.Events == 0 || l.Missing > 0),
		held(LogOpen, l.Verdict != verify.Verified),
		held(AfterCheckpoint, upTo == 0),
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

// held is a reason that follows from the numbers of a log.
func held(r Reason, holds bool) weight {
	if !holds {
		return weight{}
	}
	return weight{reason: r}
}
