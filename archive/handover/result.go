package handover

import (
	"cmp"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/outcome"
)

// ResultSchema names the JSON form of a [Result].
const ResultSchema = "svc-verify/archive-export/v1"

// Result is the result of an export.
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

// Payload counts the objects that were copied, and their bytes.
type Payload struct {
	Files  int64 `json:"files"`
	Octets int64 `json:"octets"`
}

// conclude orders the findings and decides. A bag without an object is none that hands
// anything over.
func (r *Result) conclude(f *bag.Found) {
	r.Verdict, r.Findings, r.MoreFindings = f.Conclude(func(a, b *finding.InDocument) int {
		return cmp.Compare(a.Path, b.Path)
	})
	if r.Foreign || !f.Any() && r.Payload.Files == 0 {
		r.Verdict = outcome.Worst(r.Verdict, outcome.Inconclusive)
	}
	if r.Bag == "" {
		r.NotExamined = append(r.NotExamined, "No bag was written.")
		r.Payload, r.Archive, r.Said = Payload{}, "", object.NewSaid()
	}
	r.Said.Conclude()
}

// Reason explains in one sentence why the export is not as it should be.
func (r *Result) Reason() string {
	switch why := bag.ReasonOf(r.Findings, r.MoreFindings); {
	case why != "":
		return why
	case r.Foreign:
		return "the ledger was written under another key"
	case r.Payload.Files == 0:
		return "the archive has no object"
	}
	return ""
}
