package text

import (
	"fmt"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// UnknownKeys says which keys the trust file lacks, if it lacks any.
func UnknownKeys(t *page.Page, s *object.Said) {
	if u := s.UnknownKeys; u != nil {
		t.Prose(2, string(u.Code)+": "+u.Sentence)
	}
}

// Said lists what proofs say, the revoked ones first, and up to where logs are
// complete.
func Said(t *page.Page, s *object.Said) {
	if all := int64(len(s.Proofs)) + s.MoreProofs; all > 0 {
		t.Heading(fmt.Sprintf("%s: %d issued, %d revoked, %d superseded", safetext.Count(all, "proof"), s.Statuses.Issued,
			s.Statuses.Revoked, s.Statuses.Superseded))
		shown := s.Proofs[:min(len(s.Proofs), listed)]
		for i := range shown {
			t.Prose(2, safetext.Quote(shown[i].Path))
			t.Prose(4, shown[i].Proof.Said())
		}
		moreSaid(t, all-int64(len(shown)))
	}
	if all := int64(len(s.Logs)) + s.MoreLogs; all > 0 {
		t.Heading(safetext.Count(all, "log"))
		shown := s.Logs[:min(len(s.Logs), listed)]
		for i := range shown {
			l := &shown[i].Log
			t.Prose(2, safetext.Quote(shown[i].Path))
			t.Prose(4, l.Said())
			t.Prose(6, "by others' word: "+l.CompleteByOthers.Says)
			t.Prose(6, "by its own word: "+l.CompleteByOwn.Says)
		}
		moreSaid(t, all-int64(len(shown)))
	}
}

func moreSaid(t *page.Page, n int64) {
	if n > 0 {
		t.Prose(2, fmt.Sprintf("and %d more; archive check --report jsonl=FILE has all", n))
	}
}
