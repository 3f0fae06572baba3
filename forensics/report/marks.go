package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/form"
)

// marksOf returns the places of a log that a picture marks, without their times: findings,
// incidents, pauses, and anchors, which have the time when they were made.
func (g *gatherer) marksOf(l Log) []Mark {
	var all []Mark
	for _, f := range l.found {
		kind := string(f.Code.Entry().Mark)
		switch {
		case f.Sequence == 0:
		case kind == string(finding.Forked): // its last event only shows where the shorter branch ends
			all = append(all, Mark{Kind: kind, First: f.Sequence, Last: f.Sequence, Count: 1})
		case kind != "":
			all = append(all, Mark{Kind: kind, First: f.Sequence, Last: max(f.Sequence, f.LastSequence), Count: 1})
		}
	}
	for _, m := range g.placed[l.Log()] {
		if m.Last == 0 { // a pause without an end
			m.Last = max(m.First, l.LastSequence)
		}
		all = append(all, m)
	}
	if l.Beyond != nil {
		all = append(all, Mark{Kind: anchorBeyond, First: l.Beyond.Sequence, Last: l.Beyond.Sequence, Count: 1})
	}
	return append(all, l.anchorMarks()...)
}

// placedMarks returns the pauses and the incidents of each log.
func placedMarks(r *verdict.Result) map[facts.Log][]Mark {
	all := map[facts.Log][]Mark{}
	if r.Comparison != nil {
		for _, p := range r.Comparison.Pauses {
			log := facts.Log{TenantID: p.TenantID, LogID: p.LogID}
			all[log] = append(all[log], Mark{Kind: Paused, First: p.Paused, Last: p.Resumed, Count: 1})
		}
	}
	for _, i := range r.Incidents {
		for _, p := range i.Ranges {
			if log := p.Log(); p.First > 0 {
				all[log] = append(all[log], Mark{Kind: OfIncident, First: p.First, Last: max(p.First, p.Last), Count: 1,
					Name: i.Name})
			}
		}
	}
	return all
}

// anchorMarks are the highest anchors of each kind up to which the log is complete.
func (l Log) anchorMarks() []Mark {
	var all []Mark
	mark := func(kind facts.AnchorKind, sequence uint64, at string) {
		same := func(m Mark) bool { return m.Kind == string(kind) && m.First == sequence }
		if sequence > 0 && !slices.ContainsFunc(all, same) {
			ms, known := form.Millis(at)
			if !known {
				ms = 0
			}
			all = append(all, Mark{string(kind), sequence, sequence, 1, ms, ms, ""})
		}
	}
	for _, word := range []walk.Word{l.CompleteByOthers, l.CompleteByOwn} {
		for _, kind := range word.By {
			mark(kind, word.Sequence, word.At)
		}
	}
	if c := l.Checkpoint; c != nil {
		kind := facts.Checkpoint
		if c.Witnessed {
			kind = facts.WitnessedCheckpoint
		}
		mark(kind, c.Sequence, c.CreatedAt)
	}
	for _, kind := range l.AnchoredBy {
		mark(kind, l.AnchoredSequence, "")
	}
	return all
}

// placesIn returns the sequences of marks that have no time yet, ascending.
func placesIn(marks []Mark) []uint64 {
	var all []uint64
	for _, m := range marks {
		if m.FromMS == 0 {
			all = append(all, m.First, m.Last)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// setTimes gives marks the times of their events, or of their neighbours.
func (p *presence) setTimes(marks []Mark) {
	for i := range marks {
		m := &marks[i]
		if m.FromMS == 0 {
			m.FromMS, m.UntilMS = p.beside[m.First][0], p.beside[m.Last][1]
		}
	}
}

// mergeMarks makes one mark of marks of one kind that are close to each other.
func mergeMarks(all []Mark, last uint64) []Mark {
	slices.SortFunc(all, func(a, b Mark) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name), cmp.Compare(a.First, b.First),
			cmp.Compare(a.Last, b.Last))
	})
	width := last/mostMarks + 1
	var out []Mark
	for _, m := range all {
		if n := len(out); n > 0 && out[n-1].Kind == m.Kind && out[n-1].Name == m.Name &&
			m.First/width <= out[n-1].Last/width {
			out[n-1].Last, out[n-1].UntilMS = max(out[n-1].Last, m.Last), max(out[n-1].UntilMS, m.UntilMS)
			out[n-1].Count++
			continue
		}
		out = append(out, m)
	}
	return out
}

// lastReached is the sequence up to which the picture of a log goes: the last event
// or, above it, the anchor that names a later one.
func lastReached(l Log) uint64 {
	last := max(l.LastSequence, l.AnchoredSequence)
	if l.Beyond != nil {
		last = max(last, l.Beyond.Sequence)
	}
	return last
}

// filterMarks returns the marks for which a function is true.
func filterMarks(all []Mark, wanted func(Mark) bool) []Mark {
	return slices.DeleteFunc(slices.Clone(all), func(m Mark) bool { return !wanted(m) })
}

// marksOfKind returns the marks of a kind.
func marksOfKind(all []Mark, kind string) []Mark {
	return filterMarks(all, func(m Mark) bool { return m.Kind == kind })
}

// isAnchor reports whether a mark is an anchor that holds.
func (m Mark) isAnchor() bool { return slices.Contains(anchorKinds, facts.AnchorKind(m.Kind)) }

// anchorKinds are the kinds of anchors that a picture shows, in the order of
// their weight.
var anchorKinds = []facts.AnchorKind{facts.WitnessedCheckpoint, facts.JournalWitness, facts.Checkpoint,
	facts.NodeReport, facts.ExportCursor}
