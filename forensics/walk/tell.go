package walk

import (
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Copy is the walk's judgement of one copy of an event. A report is the report of
// a node in a valid event of the tenant log (SPEC 4.4).
type Copy struct {
	Sequence uint64
	Ref      facts.Ref
	Valid    bool // its hash is right, and a pinned key of the log's owner signed it
	IsReport bool
	Report   bool // the report anchors its journal: it is sound, and its node signed it
}

// reportCopies reports the judgements of the copies of a section. It leaves out sequences with copies
// that were not examined.
func (s *section) reportCopies(copies []judged) {
	s.told = make([]Copy, 0, len(copies))
	reports := s.reports
	for i := range copies {
		j := &copies[i]
		if slices.Contains(s.crowded, j.Sequence) {
			continue
		}
		c := Copy{Sequence: j.Sequence, Ref: j.Ref, Valid: j.Valid()}
		if len(reports) > 0 && reports[0].at.Ref == j.Ref {
			c.IsReport, c.Report = true, reports[0].defect == nil
			reports = reports[1:]
		}
		s.told = append(s.told, c)
	}
}
