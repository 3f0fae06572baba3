package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/verify"
)

// TestProse: the paragraph claims as much as was found, and no more.
func TestProse(t *testing.T) {
	witnessed := Log{LogResult: walk.LogResult{Events: 9, CompleteByOthers: walk.Word{Sequence: 7,
		At: "2026-03-02T09:00:00Z"}}}
	one := incident.Incident{Name: "fork-1", Summary: "node/n, event 4: two signed histories.",
		When:         incident.When{ClaimedFirst: "2026-03-02T10:00:00Z"},
		Candidates:   []cause.Candidate{{Who: "the operator"}, {Who: "a second copy"}},
		Transactions: incident.Transactions{Count: 1, IDs: []string{"tx-1"}}}
	for name, c := range map[string]struct {
		report *Report
		want   []string
		never  string
	}{
		"verified": {&Report{Verdict: verify.Verified, Logs: []Log{witnessed}}, []string{"9 events of 1 log", "genuine",
			"In no log is an event missing up to what others named on 2 Mar 2026 09:00:00 UTC"},
			"wrong"},
		"open": {&Report{Verdict: verify.Inconclusive, Logs: []Log{witnessed, {}}}, []string{"does not suffice",
			"except in 1 log"}, "In no log"},
		"no witness": {&Report{Verdict: verify.Inconclusive, Logs: []Log{{}}}, []string{"No one but the owners"},
			"event missing up to"},
		"an incident": {&Report{Verdict: verify.Rejected, Logs: []Log{witnessed}, Incidents: []incident.Incident{one}},
			[]string{"One thing is wrong: node/n, event 4: two signed histories. It happened by the log's own clock " +
				"2 Mar 2026 10:00:00 UTC. It can have been the operator; or a second copy; what speaks for and against each is " +
				"below. It touches at least 1 transaction (tx-1)."}, "genuine"},
	} {
		got := strings.Join(proseSentences(c.report), " ")
		for _, want := range c.want {
			check.That(t, strings.Contains(got, want), "%s: no %q in %q", name, want, got)
		}
		check.That(t, !strings.Contains(got, c.never), "%s: %q is in %q", name, c.never, got)
	}
}

// TestPageOfManyLogs: ten thousand logs and a hundred thousand findings make a page that a browser opens.
func TestPageOfManyLogs(t *testing.T) {
	r, n := reportOf(), chance.Sized(10_000, 1_500)
	for i := range n {
		l := everyMark()
		l.LogID = fmt.Sprintf("node/%d", i)
		r.Logs = append(r.Logs, l)
		r.Findings = append(r.Findings, gapsOf(finding.Gap, l.LogID, 10)...)
	}
	page := htmlOf(t, r)
	check.That(t, len(page) <= 1<<20, "a page of %d bytes", len(page))
}

// TestPlaces: one place is named whole, so that it can be copied, and of two the ends.
func TestPlaces(t *testing.T) {
	const path = "evidence/bundles/svc-evidence-tx-2026-0666.json"
	check.Equal(t, placesText([]string{path}), path, "one place")
	check.Equal(t, placesText([]string{path, "b"}), "…/svc-evidence-tx-2026-0666.json, b", "two places")
	check.Equal(t, placesText([]string{path, "b", "c"}), "3 places", "three places")
}
