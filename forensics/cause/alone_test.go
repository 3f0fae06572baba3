package cause

import (
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
)

// TestEveryFindingIsASign: a finding that counts is by itself the sign of a cause,
// in a node's log or in the tenant's, unless it takes more facts to name one. A new
// finding says in its entry what it is a sign of, or is listed here.
func TestEveryFindingIsASign(t *testing.T) {
	needFacts := []finding.Code{
		finding.Unconnected, finding.Fork, finding.Absent, // of the log and its copies
		finding.AnchorKeyUnknown, finding.ReportKeyUnknown, // of the use of keys
		finding.StatementNotCovered, finding.LimitReached,
	}
	for _, e := range finding.Codes("logs") {
		named := 0
		for _, log := range []facts.Log{berlin, tenant} {
			f := about(log, e.Code, 5, 6)
			f.Evidence = []finding.Evidence{{Source: "a.ndjson"}}
			named += len(Find(factsOf([]walk.LogResult{whole(log, 20)}, walk.Facts{}, f)))
		}
		alone := e.Effect != finding.None && named == 0
		check.That(t, alone == slices.Contains(needFacts, e.Code), "%s alone names %d causes", e.Code, named)
	}
}
