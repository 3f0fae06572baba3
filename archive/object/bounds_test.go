package object

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// most returns the results on logs that have as much of everything as evidence can have.
func most() *verdict.Result {
	long := strings.Repeat("x", 1000)
	r := &verdict.Result{UnknownKeys: &verify.UnknownKeys{MayBeGood: true}}
	word := walk.Word{Sequence: 7, By: []facts.AnchorKind{facts.ExportCursor}}
	for n := range 1000 {
		word.Nodes = append(word.Nodes, fmt.Sprint(long, n))
	}
	for i := range 2000 {
		about := verify.About{TenantID: "t", TransactionID: fmt.Sprint(i), Status: []string{"issued", "revoked"}[i%2]}
		for range 1024 {
			about.CertificateNames = append(about.CertificateNames, long)
		}
		if i%2 == 0 {
			about.CertificateNames = about.CertificateNames[:1]
		}
		r.Proofs = append(r.Proofs, crosscheck.Bundle{About: &about, SupersededBy: strings.Repeat("y", i%5/4)})
		r.Proofs[i].Place.Container = long
		r.Logs = append(r.Logs, walk.LogResult{LogID: fmt.Sprint("node/", i, long), CompleteByOthers: word, CompleteByOwn: word})
		r.UnknownKeys.Keys = append(r.UnknownKeys.Keys, verify.UnknownKey{Name: fmt.Sprint(i, long)})
	}
	r.Logs = append(r.Logs, walk.LogResult{LogID: "tenant/t"})
	return r
}

// TestFactsAreBounded: no evidence fills the ledger, and omitted facts are counted.
func TestFactsAreBounded(t *testing.T) {
	var f Facts
	f.walked(most())
	octets, err := json.Marshal([]any{f.Proofs, f.Logs, f.UnknownKeys})
	check.That(t, err == nil && len(octets) <= 110<<10, "%d octets, %v", len(octets), err)
	first, more := f.All()
	check.That(t, len(first) != 0 && int64(len(first))+more == 2000 && f.AllLogs == 2001 && len(f.Logs) == mostLogs &&
		len(f.UnknownKeys) == mostKeys && f.MayBeGood, "%d and %d proofs, %d of %d logs, %d keys", len(first), more,
		len(f.Logs), f.AllLogs, len(f.UnknownKeys))
	check.That(t, f.Logs[0].LogID == "tenant/t", "the first log is %.20s", f.Logs[0].LogID)
	want := (Statuses{800, 800, 400})
	check.That(t, f.Contains == want, "%+v, want %+v", f.Contains, want)
	said := NewSaid()
	for i := range 300 {
		must.Do(t, said.Add(fmt.Sprint(i), f.Tally(), func() (*Facts, error) { return &f, nil }))
	}
	said.Conclude()
	check.That(t, len(said.Proofs) <= mostSaid && int64(len(said.Proofs))+said.MoreProofs == 300*2000 &&
		len(said.Logs) == mostSaid && said.MoreLogs == 300*2001-mostSaid, "%d and %d proofs, %d and %d logs",
		len(said.Proofs), said.MoreProofs, len(said.Logs), said.MoreLogs)
	got := said.UnknownKeys.Keys[0].RestsOn[0]
	check.That(t, got == (verify.RestsOnKeys{What: "object", N: 300, Of: 300}), "%+v", got)
}
