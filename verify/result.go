package verify

import (
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/trust"
)

// Result describes a verified bundle in the fields of SPEC 11.1. Each comes
// from bytes that a checked digest or signature covers, but for the freshness.
type Result struct {
	Verified              bool     `json:"verified"`
	TenantID              string   `json:"tenant_id"`
	TransactionID         string   `json:"transaction_id"`
	ManifestSHA256        string   `json:"manifest_sha256"`
	CheckpointSequence    uint64   `json:"checkpoint_sequence"`
	AuditWitnessNodeIDs   []string `json:"audit_witness_node_ids"`
	SignerRegistryVersion int64    `json:"signer_registry_version"`
	ApproverNodeIDs       []string `json:"approver_node_ids"`
	CertificateSerial     string   `json:"certificate_serial"`
	Status                string   `json:"status"`
	Standing
}

// Brief is a [Result] reduced to five fields.
type Brief struct {
	Verified           bool   `json:"verified"`
	TenantID           string `json:"tenant_id"`
	TransactionID      string `json:"transaction_id"`
	CheckpointSequence uint64 `json:"checkpoint_sequence"`
	Status             string `json:"status"`
}

// Brief returns the result reduced to five fields.
func (r Result) Brief() Brief {
	return Brief{r.Verified, r.TenantID, r.TransactionID, r.CheckpointSequence, r.Status}
}

// Failure describes a bundle that did not verify by its first finding, in the order of the
// check list. Verified is always false. About is set if and only if the bundle is proven: it
// is genuine, but does not meet the caller's demands.
type Failure struct {
	Verified bool    `json:"verified"`
	Verdict  Verdict `json:"verdict"`
	Code     Code    `json:"code"`
	Path     string  `json:"path"`
	Reason   string  `json:"reason"`
	About    *About  `json:"about,omitempty"`

	UnknownKeys *UnknownKeys `json:"unknown_keys,omitempty"` // set if the trust file lacks any
}

// Failure returns the short answer of a report whose verdict is not Verified.
func (r *Report) Failure() Failure {
	f := r.Decides()
	return Failure{Verdict: r.Verdict, Code: f.Code, Path: f.Path, Reason: f.Sentence(), About: r.About,
		UnknownKeys: r.UnknownKeys}
}

// Decides returns the finding that a report is known by whose verdict is not Verified, the one
// of [Report.First].
func (r *Report) Decides() Finding {
	if f, found := r.First(); found {
		return f
	}
	return finding.At(NothingShown, "", "every check to run", "checks that did not")
}

// reportOf computes the verdict over the checks, and adds the verified facts.
func (r *run) reportOf(checks []Check) *Report {
	report := &Report{
		Schema:       ReportSchema,
		Verdict:      verdictOf(checks),
		BundleSHA256: bundle.Hash(r.in.SHA256).String(),
		TrustSHA256:  bundle.Hash(r.root.SHA256()).String(),
		Policy:       r.policy.Report(r.root),
		UnknownKeys:  r.unknownKeys(),
		Checks:       checks,
		Limitations:  r.limitations(r.in.Bundle),
	}
	if report.Proven() {
		report.StatusAsOf, report.About = r.statusAsOf(r.in.Bundle), r.aboutProof(r.in.Bundle)
	}
	if report.Verdict == Verified {
		report.Result = r.resultFields(r.in.Bundle, report.About)
	}
	return report
}

// resultFields returns the fields of a verified bundle.
func (r *run) resultFields(b *bundle.Bundle, about *About) *Result {
	return &Result{
		Verified:              true,
		TenantID:              about.TenantID,
		TransactionID:         about.TransactionID,
		ManifestSHA256:        b.Manifest.Digest.String(),
		CheckpointSequence:    b.Checkpoint.Unverified().Sequence,
		AuditWitnessNodeIDs:   nodesOfKeys(keysOf(r.witnesses)),
		SignerRegistryVersion: b.Manifest.RegistryVersion,
		ApproverNodeIDs:       nodesOfKeys(r.approvers),
		CertificateSerial:     about.CertificateSerial,
		Status:                about.Status,
		Standing:              about.Standing,
	}
}

// nodesOfKeys returns the nodes of the keys in ascending order, never nil.
func nodesOfKeys(keys []trust.Key) []string {
	ids := make([]string, len(keys))
	for i, k := range keys {
		ids[i] = k.Node
	}
	slices.Sort(ids)
	return ids
}

// Report lists all that is demanded of a bundle under a trust file.
func (p Policy) Report(root *trust.Root) PolicyReport {
	r := p.report()
	r.MinimumAuditWitnesses, r.MinimumApprovals = root.MinimumWitnesses(), max(p.MinimumApprovals, 1)
	return r
}

// report lists the demands of the caller, the number of approvals apart.
func (p Policy) report() PolicyReport {
	r := PolicyReport{TenantID: p.TenantID, TransactionID: p.TransactionID, DNSNames: p.DNSNames,
		Status: p.Status}
	if !p.LegacyBefore.IsZero() {
		r.LegacyBefore = form.FormatTime(p.LegacyBefore)
	}
	if c := p.Certificate; c != nil {
		r.CertificateSHA256 = digestOf(c).String()
	}
	if p.asksFresh() {
		r.At, r.MaxAgeSeconds = form.FormatTime(p.At), int64(p.maxAge()/time.Second)
	}
	if !p.InForceAt.IsZero() {
		r.InForceAt = form.FormatTime(p.InForceAt)
	}
	return r
}

// minimumApprovals is at least 1 (SPEC 2.4).
func (r *run) minimumApprovals() int { return max(r.policy.MinimumApprovals, 1) }
