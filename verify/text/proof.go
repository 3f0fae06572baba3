package text

import (
	"fmt"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// Proof is one verification, and the names under which the files were given.
type Proof struct {
	Report          *verify.Report
	Root            *trust.Root
	Evidence, Trust string // quoted
	Cut             bool   // the bundle is too large and was not read to its end
}

// Page renders the proof: what was checked against what, every check, the result,
// what it does not prove and, where it failed, what to do next.
func (p Proof) Page() *page.Page {
	t := page.New()
	p.writeHeader(t)
	t.Heading("checks")
	for _, c := range p.Report.Checks {
		writeCheck(t, c)
	}
	if r := p.Report.Result; r != nil {
		t.Heading("result")
		t.Pairs(resultPairs(*r)...)
	}
	if as := p.Report.StatusAsOf; as != nil {
		t.Heading("status as of")
		t.Pairs(stateOf(*as)...)
	}
	t.Heading("not proved")
	for _, l := range p.Report.Limitations {
		t.Prose(2, string(l.Code))
		t.Prose(4, l.Sentence)
	}
	if p.Report.Verdict != verify.Verified {
		writeNext(t, p.Report.Failure().Code)
	}
	return t
}

// writeHeader says what was checked, and against what.
func (p Proof) writeHeader(t *page.Page) {
	sum := "sha256"
	if p.Cut {
		sum = "sha256 of what was read"
	}
	t.Answer(string(p.Report.Verdict), p.Evidence)
	if u := p.Report.UnknownKeys; u != nil {
		t.Prose(2, string(u.Code)+": "+u.Sentence)
	}
	if p.Report.Verdict != verify.Verified {
		f := p.Report.Failure()
		t.Prose(2, fmt.Sprintf("decided by %s, %s#%s; next: svc-verify explain %s", f.Code, p.Evidence,
			safetext.Line(f.Path), f.Code))
	}
	t.Pairs(page.Pair{sum, p.Report.BundleSHA256})
	if a := p.Report.About; a != nil {
		t.Pairs(aboutPairs(a, p.Report.StatusAsOf.Sequence)...)
	}
	t.Heading("checked against  " + p.Trust)
	t.Pairs(append([]page.Pair{{"sha256", p.Report.TrustSHA256}}, p.criteria()...)...)
}

// criteria are what the trust file and the caller demand, in words.
func (p Proof) criteria() []page.Pair {
	policy := p.Report.Policy
	nodes := safetext.Count(p.Root.NodeCount(), "pinned node")
	witnesses := fmt.Sprintf("at least %d of %s, more if the checkpoint says so", policy.MinimumAuditWitnesses, nodes)
	legacy := "not admitted"
	if policy.MinimumAuditWitnesses == 0 {
		witnesses = fmt.Sprintf("as many of %s as the checkpoint says", nodes)
		legacy = "admitted without witnesses, of any age"
	}
	if policy.MinimumAuditWitnesses == 0 && policy.LegacyBefore != "" {
		legacy = "admitted without witnesses, if made at or before " + policy.LegacyBefore
	}
	return []page.Pair{
		{"witnesses", witnesses},
		{"approvals", fmt.Sprintf("at least %s, more if the terms say so",
			safetext.Count(policy.MinimumApprovals, "node"))},
		{"legacy", legacy},
		{"tenant", asked(policy.TenantID)},
		{"transaction", asked(policy.TransactionID)},
		{"certificate", asked(policy.CertificateSHA256)},
		{"status", asked(policy.Status)},
		{"freshness", policy.Freshness()},
	}
}

// aboutPairs are what a proven bundle says.
func aboutPairs(a *verify.About, sequence uint64) []page.Pair {
	return []page.Pair{
		{"status", a.Outcome()},
		{"transaction", safetext.Quote(a.TransactionID)},
		{"certificate", a.Names()},
		{"valid", a.Validity()},
		{"as of", fmt.Sprintf("%s, sequence %d of the tenant log", a.AsOf, sequence)},
	}
}

// asked writes what the caller asked for.
func asked(s string) string {
	if s == "" {
		return "any"
	}
	return safetext.Quote(s)
}

// writeCheck writes one check, and its findings below it.
func writeCheck(t *page.Page, c verify.Check) {
	held := fmt.Sprintf("%d of %d", c.Held, c.Examined)
	if c.Status == verify.Skipped {
		held = "-"
	}
	t.Lead(string(c.Status), func() { fmt.Fprintf(t, "  %-7s  %-23s  %s\n", c.Status, c.ID, held) })
	for i, f := range c.Findings {
		if i == mostInCheck {
			t.Prose(11, fmt.Sprintf("and %d more; --output report lists all", len(c.Findings)-i))
			break
		}
		t.Prose(11, string(f.Code))
		t.Prose(13, Located("", f))
	}
}

func resultPairs(r verify.Result) []page.Pair {
	return []page.Pair{
		{"tenant_id", safetext.Quote(r.TenantID)},
		{"transaction_id", safetext.Quote(r.TransactionID)},
		{"manifest_sha256", safetext.Quote(r.ManifestSHA256)},
		{"checkpoint_sequence", fmt.Sprint(r.CheckpointSequence)},
		{"audit_witness_node_ids", page.List(r.AuditWitnessNodeIDs)},
		{"signer_registry_version", fmt.Sprint(r.SignerRegistryVersion)},
		{"approver_node_ids", page.List(r.ApproverNodeIDs)},
		{"certificate_serial", safetext.Quote(r.CertificateSerial)},
		{"status", safetext.Quote(r.Status)},
	}
}

// stateOf is the state of the log that the status is of.
func stateOf(as verify.StatusAsOf) []page.Pair {
	pairs := []page.Pair{{"sequence", fmt.Sprint(as.Sequence)}, {"created_at", as.CreatedAt}}
	if as.QuorumWitnessedAt == "" {
		return append(pairs, page.Pair{"witnessed_at", "never: it is a legacy checkpoint"})
	}
	return append(pairs, page.Pair{"earliest_witnessed_at", as.EarliestWitnessedAt},
		page.Pair{"quorum_witnessed_at", as.QuorumWitnessedAt})
}

// writeNext says how the first finding comes about, and what to do.
func writeNext(t *page.Page, code verify.Code) {
	entry, ok := finding.Lookup(code)
	if !ok {
		return
	}
	t.Heading("next")
	t.Prose(2, entry.Arises)
	t.Prose(2, entry.Next)
	t.Prose(2, "More: svc-verify explain "+string(code))
}

// Located returns a finding as one sentence with its place in front, as
// <file>#<pointer>: <sentence>, without the pointer with which most sentences
// begin. The file's name is quoted already.
func Located(file string, f verify.Finding) string {
	return safetext.Line(file + "#" + f.Path + ": " + f.Remark())
}
