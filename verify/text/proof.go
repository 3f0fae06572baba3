package text

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/bundle"
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

// Document shows the proof: the deciding finding, its statements, the trust file and the
// policy, and the failed checks or the limits of the proof.
func (p Proof) Document() *answer.Doc {
	r := p.Report
	d := answer.NewAnswer(r.Verdict, p.Evidence)
	d.Lead = append([]answer.Block{answer.Para(p.reason())}, KeysMissing(r.UnknownKeys)...)
	sum := "sha256"
	if p.Cut {
		sum = "sha256 of the bytes that were read"
	}
	var about answer.Pairs
	if r.About != nil {
		about = aboutPairs(r)
	}
	about = append(about, p.askedPair(), answer.Value(sum, answer.Code(r.BundleSHA256)), answer.Value("trust sha256",
		answer.Code(r.TrustSHA256)))
	if r.Verdict != verify.Verified {
		f := r.Failure()
		d.Head = append(d.Head, FindingCard(r.Decides()))
		AddNextStep(d, f.Code)
	}
	d.Head = append(d.Head, about)
	if r.About == nil {
		d.Head = append(d.Head, failedChecks(r))
	} else {
		AddLimits(d, r.Limitations)
	}
	d.AddFold("Demands", p.demandPairs())
	return d
}

// reason returns the reason for the verdict, and how many checks held.
func (p Proof) reason() answer.Text {
	r := p.Report
	held, first := 0, verify.Check{}
	for _, c := range slices.Backward(r.Checks) {
		switch {
		case c.Status == verify.Passed:
			held++
		case c.Status == verify.Failed || first.Status != verify.Failed:
			first = c
		}
	}
	switch {
	case r.Verdict == verify.Verified:
		return answer.Say("The certificate is ", r.About.Outcome(), " as of ", r.About.AsOf, ". ", held, " checks held.")
	case r.About != nil:
		return answer.Say("The proof is genuine and says ", r.About.Outcome(), ", as of ", r.About.AsOf,
			". That is not as requested.")
	}
	return answer.Say(held, " of ", safetext.Count(len(r.Checks), "check"), " held. The first that did not: ",
		first.Title, ".")
}

// aboutPairs are the statements of a proven bundle.
func aboutPairs(r *verify.Report) answer.Pairs {
	a, as := r.About, r.StatusAsOf
	witnessed := "a legacy checkpoint, witnessed by no one"
	if as.QuorumWitnessedAt != "" {
		witnessed = "witnessed " + as.QuorumWitnessedAt + " or later"
	}
	pairs := answer.Pairs{
		answer.Value("transaction", answer.Name(a.TransactionID), " of tenant ", answer.Name(a.TenantID)),
		answer.Value("certificate", answer.Code(a.CertificateSerial)), answer.Value("names",
			answer.NameList(a.CertificateNames, answer.MostOnScreen)),
		answer.Value("valid", a.Validity()), answer.Value("checkpoint", fmt.Sprintf("event %d, %s", as.Sequence, witnessed))}
	if result := r.Result; result != nil {
		pairs = append(pairs, answer.Value("witnesses", answer.NameList(result.AuditWitnessNodeIDs, answer.MostOnScreen)),
			answer.Value("approvers", answer.NameList(result.ApproverNodeIDs, answer.MostOnScreen)))
	}
	if a.Status == bundle.Issued {
		pairs = append(pairs, answer.Value("age", a.Freshness))
	}
	return pairs
}

// askedPair lists the demands of the caller on the statement of the proof.
func (p Proof) askedPair() answer.Pair {
	policy := p.Report.Policy
	asked := AskedSubject(policy)
	if policy.Status != "" {
		asked = append(asked, answer.Say("status ", answer.Name(policy.Status)))
	}
	return answer.Pair{Label: "asked for", Value: asked}
}

// AskedSubject lists the tenant, the transaction and the certificate that a proof had to be about.
func AskedSubject(policy verify.PolicyReport) (asked answer.Cell) {
	for _, a := range [][2]string{{"tenant ", policy.TenantID}, {"transaction ", policy.TransactionID},
		{"certificate ", policy.CertificateSHA256}} {
		if a[1] != "" {
			asked = append(asked, answer.Say(a[0], answer.Name(a[1])))
		}
	}
	return asked
}

// demandPairs are the demands of the trust file and the policy.
func (p Proof) demandPairs() answer.Pairs {
	policy := p.Report.Policy
	nodes := safetext.Count(p.Root.NodeCount(), "pinned node")
	witnesses := fmt.Sprintf("at least %d of %s as witnesses", policy.MinimumAuditWitnesses, nodes)
	if policy.MinimumAuditWitnesses == 0 {
		witnesses = fmt.Sprintf("as many of %s as the checkpoint says as witnesses, or a legacy checkpoint", nodes)
		if policy.LegacyBefore != "" {
			witnesses += " made at or before " + policy.LegacyBefore
		}
	}
	return answer.Pairs{answer.Value("trust file", p.Trust), answer.Value("demanded", witnesses, "; ",
		safetext.Count(policy.MinimumApprovals, "approval"), " or more")}
}

// failedChecks lists the checks that ran and did not pass, with the codes of their findings.
func failedChecks(r *verify.Report) answer.Table {
	t := answer.Table{Columns: answer.Columns("Check", "", "Held", "number", "Found", "")}
	for _, c := range r.Checks {
		if c.Status != verify.Passed && c.Status != verify.Skipped {
			var codes []string
			for _, f := range c.Findings {
				codes = append(codes, string(f.Code))
			}
			t.Rows = append(t.Rows, answer.Row(string(c.ID), fmt.Sprintf("%d of %d", c.Held, c.Examined),
				strings.Join(slices.Compact(codes), ", ")))
		}
	}
	return t
}

// Located returns a finding as one sentence with its place in front, as
// <file>#<pointer>: <sentence>, without the pointer with which most sentences
// begin. The file's name is quoted already.
func Located(file string, f verify.Finding) string {
	return safetext.Line(file + "#" + f.Path + ": " + f.Remark())
}
