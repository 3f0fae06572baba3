package walk

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
)

func TestFindingsAreBounded(t *testing.T) {
	n := newNotes()
	for i := range uint64(mostFindings + 50) {
		n.add(finding.Finding{Code: finding.HashMismatch, Sequence: 2*i + 1, LastSequence: 2*i + 1})
	}
	all := n.list(Log{"acme-corp", "node/berlin"})
	if len(all) != mostFindings+1 || !slices.ContainsFunc(all, func(f finding.Finding) bool {
		return f.Code == finding.LimitReached && strings.Contains(f.Found, "50 more")
	}) || n.worst != finding.Rejects {
		t.Errorf("%d findings", len(all))
	}
}

// TestNotesOfOneKey: reports under a key that is not pinned are one finding for
// each key, however many and wherever they are; other defects are not drawn
// together across events that do not have them.
func TestNotesOfOneKey(t *testing.T) {
	n, log := newNotes(), Log{"acme-corp", "tenant/acme-corp"}
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
		if len(f.Evidence) > mostEvidence {
			t.Errorf("%d places", len(f.Evidence))
		}
	}
	want := []string{"10-400 key oslo/2, on 40 events of these", "500-500 key paris/2"}
	if !slices.Equal(got, want) || len(n.findings) != 42 {
		t.Errorf("%d findings, %q", len(n.findings), got)
	}
}
