package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/check"
)

// TestNextCommand: after an incident that rejects and touches transactions comes the list of these,
// if there are a case and a trust file, and after others their own next step.
func TestNextCommand(t *testing.T) {
	const list, step = "svc-verify affected c.db fork-9c2e --trust t.json", "svc-verify show gaps c.db"
	both := Asked{Case: "c.db", Trust: "t.json"}
	for name, tt := range map[string]struct {
		effect  finding.Effect
		code    finding.Code
		touches int
		asked   Asked
		want    string
	}{
		"touches":              {finding.Rejects, finding.Gap, 3, both, list},
		"touches none":         {finding.Rejects, finding.Gap, 0, both, step},
		"beside the journal":   {finding.Rejects, finding.NotInJournal, 0, both, list},
		"open":                 {finding.LeavesOpen, finding.Gap, 3, both, step},
		"without a trust file": {finding.Rejects, finding.Gap, 3, Asked{Case: "c.db"}, step},
		"without a case":       {finding.Rejects, finding.Gap, 3, Asked{Next: []string{"make", "one"}}, "make one"},
	} {
		one := incident.Incident{Name: "fork-9c2e", Effect: tt.effect, Code: tt.code, Next: "svc-verify show gaps CASE: why"}
		one.Transactions.Count = tt.touches
		words := nextCommand(&verdict.Result{Incidents: []incident.Incident{one}}, tt.asked)
		check.That(t, slices.Equal(words, strings.Fields(tt.want)), "%s: %q, want %s", name, words, tt.want)
	}
}
