package handover

import (
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// ResultSchema names the JSON form of a [Result].
const ResultSchema = "svc-verify/archive-export/v1"

// Result is what an export came to.
type Result struct {
	Schema       string               `json:"schema"`
	Verdict      outcome.Class        `json:"verdict"`
	NotExamined  []string             `json:"not_examined"` // sentences
	Bag          string               `json:"bag"`          // "" if there is none
	Archive      string               `json:"archive"`      // the digest of its first run; "" if there is no bag
	Run          int64                `json:"run"`          // the newest
	RunSHA256    string               `json:"run_sha256"`
	Foreign      bool                 `json:"foreign_ledger"`
	Payload      Payload              `json:"payload"`
	object.Said                       // of the objects in the bag, as the ledger has it
	Findings     []finding.InDocument `json:"findings"` // the worst first
	MoreFindings int64                `json:"more_findings"`
}

// Payload counts the objects that were copied, and their octets.
type Payload struct {
	Files  int64 `json:"files"`
	Octets int64 `json:"octets"`
}

func rankOf(f *finding.InDocument) int { return slices.Index(outcome.Classes(), bag.ClassOf(f)) }

// shown is how many findings a result has; all are counted.
const shown = 100

// conclude decides. A bag without an object is none that hands anything over.
func (r *Result) conclude(all []finding.InDocument, more int64) {
	r.Verdict = outcome.Verified
	for i := range all {
		r.Verdict = outcome.Worst(r.Verdict, bag.ClassOf(&all[i]))
	}
	if r.Foreign || len(all) == 0 && r.Payload.Files == 0 {
		r.Verdict = outcome.Worst(r.Verdict, outcome.Inconclusive)
	}
	if r.Bag == "" {
		r.NotExamined = append(r.NotExamined, "No bag was written.")
		r.Payload, r.Archive, r.Said = Payload{}, "", object.NewSaid()
	}
	r.Said.Conclude()
	r.Findings = append([]finding.InDocument{}, all[:min(len(all), shown)]...)
	r.MoreFindings = more + int64(len(all)-len(r.Findings))
}

// Reason says in one sentence why the export is not as it should be.
func (r *Result) Reason() string {
	switch n := int64(len(r.Findings)) + r.MoreFindings; {
	case n > 1:
		return fmt.Sprintf("%s, the first: %s", safetext.Count(n, "finding"), r.Findings[0].Message)
	case n == 1:
		return r.Findings[0].Message
	case r.Foreign:
		return "the ledger was written under another key"
	case r.Payload.Files == 0:
		return "the archive has no object"
	}
	return ""
}
