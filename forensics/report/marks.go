package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// addMarks marks what was found, and the anchors, in the picture of a log.
func (l *Log) addMarks(found []finding.Finding) {
	var all []Mark
	for _, f := range found {
		kind := string(f.Code.Entry().Mark)
		switch {
		case f.Sequence == 0:
		case kind == string(finding.Forked): // its last event only says where the shorter branch ends
			all = append(all, Mark{kind, f.Sequence, f.Sequence, 1})
		case kind != "":
			all = append(all, Mark{kind, f.Sequence, max(f.Sequence, f.LastSequence), 1})
		}
	}
	if l.Beyond != nil {
		all = append(all, Mark{AnchorBeyond, l.Beyond.Sequence, l.Beyond.Sequence, 1})
	}
	if l.AnchoredSequence > 0 {
		for _, by := range l.AnchoredBy {
			all = append(all, Mark{string(by), l.AnchoredSequence, l.AnchoredSequence, 1})
		}
	}
	l.Marks = merged(all, l.Presence.Last)
}

// merged makes one mark of those of one kind that fall into one column.
func merged(all []Mark, last uint64) []Mark {
	slices.SortFunc(all, func(a, b Mark) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), cmp.Compare(a.First, b.First), cmp.Compare(a.Last, b.Last))
	})
	width := last/Columns + 1
	out := []Mark{}
	for _, m := range all {
		if n := len(out); n > 0 && out[n-1].Kind == m.Kind && m.First/width <= out[n-1].Last/width {
			out[n-1].Last = max(out[n-1].Last, m.Last)
			out[n-1].Count++
			continue
		}
		out = append(out, m)
	}
	return out
}

// reach is the sequence up to which the picture of a log goes: the last event
// or, above it, the anchor that names a later one.
func reach(l Log) uint64 {
	last := max(l.LastSequence, l.AnchoredSequence)
	if l.Beyond != nil {
		last = max(last, l.Beyond.Sequence)
	}
	return last
}

// anchorKinds are the kinds of anchors that a picture shows, in the order of
// their weight.
var anchorKinds = []walk.AnchorKind{walk.WitnessedCheckpoint, walk.Checkpoint, walk.NodeReport, walk.ExportCursor}
