package walk

import (
	"fmt"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/check"
)

// TestFindingsAreBounded: findings beyond the bound are counted by their codes, and
// count for the verdict as the listed ones do: no more, and no less.
func TestFindingsAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		code  finding.Code // of those beyond the bound
		worst finding.Effect
	}{
		"notes alone":                {finding.TimeRegression, finding.None},
		"what rejects is not listed": {finding.HashMismatch, finding.Rejects},
	} {
		n := newNotes()
		for i := range uint64(mostFindings) {
			n.add(finding.Finding{Code: finding.TimeRegression, Sequence: 2*i + 1, LastSequence: 2*i + 1})
		}
		for i := range uint64(50) {
			n.add(finding.Finding{Code: c.code, Sequence: 30_000 + 2*i, LastSequence: 30_000 + 2*i})
		}
		all := n.list(facts.Log{TenantID: "acme-corp", LogID: "node/berlin"})
		if len(all) != mostFindings+1 || !slices.ContainsFunc(all, func(f finding.Finding) bool {
			return f.Code == c.code && f.Sequence == 0 && f.Found == "50 more of this kind"
		}) || n.worst != c.worst {
			t.Errorf("%s: %d findings, %s", name, len(all), n.worst)
		}
	}
}

// TestNotesOfOneKey: reports under a key that is not pinned are one finding for
// each key, however many and wherever they are; other defects are not drawn
// together across events that do not have them.
func TestNotesOfOneKey(t *testing.T) {
	n, log := newNotes(), facts.Log{TenantID: "acme-corp", LogID: "tenant/acme-corp"}
	add := func(code finding.Code, sequence uint64, found string) {
		if f := n.add(finding.Finding{Code: code, Sequence: sequence, LastSequence: sequence, Found: found}); f != nil {
			f.Evidence = append(f.Evidence, finding.Evidence{})
		}
	}
	for i := uint64(1); i <= 40; i++ {
		add(finding.ReportKeyUnknown, 10*i, "key oslo/2")
		add(finding.SignatureInvalid, 10*i, "x")
	}
	add(finding.ReportKeyUnknown, 500, "key paris/2")
	var got []string
	for _, f := range n.list(log) {
		if f.Code == finding.ReportKeyUnknown {
			got = append(got, fmt.Sprintf("%d-%d %s", f.Sequence, f.LastSequence, f.Found))
		}
		check.That(t, len(f.Evidence) <= mostEvidence, "%d places", len(f.Evidence))
	}
	want := []string{"10-400 key oslo/2, on 40 events of these", "500-500 key paris/2"}
	check.That(t, slices.Equal(got, want) && len(n.findings) == 42, "%d findings, %q", len(n.findings), got)
}
