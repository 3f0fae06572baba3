package walk

import (
	"slices"
	"sort"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// mostSound bounds the ranges of sound sequences of a log. Events beyond them are judged again
// where that is needed.
const mostSound = 1 << 17

// noteSound notes the sequences whose signatures all hold: of copies that give their own hash
// under a key of the log's owner, and of the reports in them. It leaves out sequences with
// copies that were not examined.
func (s *section) noteSound(copies []judged) {
	reports := s.reports
	for group := range copiesBySequence(copies) {
		n := group[0].Sequence
		sound := !slices.Contains(s.crowded, n) && !slices.ContainsFunc(group, func(j judged) bool {
			return j.owner == pinned && j.Intact() && !j.Valid()
		})
		for ; len(reports) > 0 && reports[0].at.Sequence == n; reports = reports[1:] {
			sound = sound && reports[0].signatureHolds()
		}
		if sound {
			s.tally.sound = joinRange(s.tally.sound, Range{n, n})
		}
	}
}

// signatureHolds reports whether nothing is wrong with the signature of a report.
func (r *headReport) signatureHolds() bool {
	return r.defect == nil || r.defect.code == finding.ReportKeyUnknown
}

// joinRange adds a range behind others.
func joinRange(all []Range, next Range) []Range {
	if n := len(all) - 1; n >= 0 && all[n].Last+1 == next.First {
		all[n].Last = next.Last
		return all
	}
	return append(all, next)
}

// IsSound reports whether the walk found the signatures of all copies of an event to hold, as
// far as these give their own hash under a key of the log's owner, and of the reports in them.
// It is believed, so it must never come from a file.
func (f *Facts) IsSound(log facts.Log, sequence uint64) bool {
	sound := f.Logs[log].sound
	i := sort.Search(len(sound), func(i int) bool { return sound[i].Last >= sequence })
	return i < len(sound) && sound[i].First <= sequence
}
