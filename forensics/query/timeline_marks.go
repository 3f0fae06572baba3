package query

import (
	"cmp"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// marksByLog returns the rows of a result: its findings about events, and up to where others say
// that logs are complete. Without a result there are none.
func marksByLog(r *verdict.Result) map[facts.Log]*marks {
	all := map[facts.Log]*marks{}
	if r == nil {
		return all
	}
	of := func(log facts.Log) *marks {
		if all[log] == nil {
			all[log] = &marks{within: map[string]int{}}
		}
		return all[log]
	}
	incidents := map[int]string{}
	for _, one := range r.Incidents {
		for _, i := range one.Findings {
			incidents[i] = one.Name
		}
	}
	for i, f := range r.Findings {
		if f.Sequence > 0 {
			m := of(facts.LogOf(f))
			m.findings = append(m.findings, Row{Kind: FindingRow, LastSequence: max(f.Sequence, f.LastSequence), Code: f.Code,
				Severity: f.Severity, Message: f.Message, Incident: incidents[i],
				Event: Event{TenantID: f.TenantID, LogID: f.LogID, Sequence: f.Sequence}})
		}
	}
	for _, l := range r.Logs {
		of(l.Log()).witnessed = witnessedRows(l)
	}
	for _, m := range all {
		bySequence := func(a, b Row) int { return cmp.Compare(a.Sequence, b.Sequence) }
		slices.SortStableFunc(m.findings, bySequence)
		m.ends = slices.Clone(m.findings)
		slices.SortStableFunc(m.ends, func(a, b Row) int { return cmp.Compare(a.LastSequence, b.LastSequence) })
	}
	return all
}

// witnessedRows returns up to where others say that a log is complete, if they say when.
func witnessedRows(l walk.LogResult) (rows []Row) {
	if c := l.Checkpoint; c != nil && c.Witnessed && c.Sequence < l.CompleteByOthers.Sequence {
		rows = append(rows, witnessedRow(l, c.Sequence, c.CreatedAt, facts.WitnessedCheckpoint))
	}
	if w := l.CompleteByOthers; w.Sequence > 0 && w.At != "" {
		rows = append(rows, witnessedRow(l, w.Sequence, w.At, w.By...))
	}
	return rows
}

func witnessedRow(l walk.LogResult, sequence uint64, at string, by ...facts.AnchorKind) Row {
	return Row{Kind: WitnessedRow, Clock: WitnessClock, By: by,
		Event: Event{TenantID: l.TenantID, LogID: l.LogID, Sequence: sequence, OccurredAt: at}}
}
