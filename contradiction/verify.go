package contradiction

import (
	"crypto/sha256"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// ReportSchema names the JSON form of a [Report].
const ReportSchema = "svc-verify/contradiction/v1"

// Report is the whole outcome of [Verify]. It depends on the file, the trust
// file and the policy only.
type Report struct {
	Schema        string               `json:"schema"`
	Verdict       verify.Verdict       `json:"verdict"`
	FileSHA256    string               `json:"file_sha256"`
	TrustSHA256   string               `json:"trust_sha256"`
	LegacyBefore  string               `json:"legacy_before"`           // "" if none was given
	Code          Code                 `json:"code,omitempty"`          // that the file names, if it has its form
	Contradiction *Finding             `json:"contradiction,omitempty"` // set if and only if verified
	Bundles       []Bundle             `json:"bundles"`                 // two, or none if the file has not its form
	Findings      []finding.InDocument `json:"findings"`                // why it is not verified
	Limitations   []verify.Limitation  `json:"limitations"`
}

// Bundle is how one bundle of the file was judged. The code, the path in the
// bundle and the reason are of the first defect of one that does not verify.
type Bundle struct {
	SHA256  string         `json:"sha256"`
	Verdict verify.Verdict `json:"verdict"`
	Code    Code           `json:"code,omitempty"`
	Path    string         `json:"path,omitempty"`
	Reason  string         `json:"reason,omitempty"`
	About   *verify.About  `json:"about,omitempty"` // its content, if it verifies
}

// Verify judges a contradiction file (SPEC 14.4). It believes nothing in it: both
// bundles must pass all checks of their own, and then the rule must give the
// very code that the file names. Of the policy, only the legacy limit counts.
func Verify(doc []byte, root *trust.Root, policy verify.Policy) *Report {
	r := &Report{
		Schema:      ReportSchema,
		Verdict:     verify.Rejected,
		FileSHA256:  chain.Hash(sha256.Sum256(doc)).String(),
		TrustSHA256: chain.Hash(root.SHA256()).String(),
		Bundles:     []Bundle{},
		Findings:    []finding.InDocument{},
	}
	if !policy.LegacyBefore.IsZero() {
		r.LegacyBefore = form.FormatTime(policy.LegacyBefore)
	}
	f, fault := parseFile(doc)
	if fault != nil {
		if fault.Code == ijson.CodeEmpty {
			r.Verdict = verify.Inconclusive
		}
		r.Findings, r.Limitations = append(r.Findings, *fault), commonLimitations(nil)
		return r
	}
	r.Code = f.code
	r.judgeBundles(f, root, verify.Policy{LegacyBefore: policy.LegacyBefore})
	return r
}

// judgeBundles verifies both bundles and compares them.
func (r *Report) judgeBundles(f file, root *trust.Root, policy verify.Policy) {
	var facts []Facts
	var reports []*verify.Report
	for i, doc := range f.docs {
		in := bundle.Open(doc)
		report := verify.Verify(in, root, policy)
		reports = append(reports, report)
		row := Bundle{SHA256: report.BundleSHA256, Verdict: report.Verdict, About: report.About}
		x, ok := Of(in, report)
		if !ok {
			failure := report.Failure()
			row.Code, row.Path, row.Reason = failure.Code, failure.Path, failure.Reason
			r.Findings = append(r.Findings, finding.At(NotShown, documents[i], "a bundle that verifies",
				string(failure.Code)))
		}
		facts, r.Bundles = append(facts, x), append(r.Bundles, row)
	}
	r.Limitations = commonLimitations(reports)
	if len(r.Findings) > 0 {
		return
	}
	switch c, found := Compare(&facts[0], &facts[1]); {
	case !found:
		r.Findings = append(r.Findings, finding.At(NotShown, "/code", string(f.code), "no contradiction"))
	case c.Code != f.code:
		r.Findings = append(r.Findings, finding.At(NotShown, "/code", string(f.code), string(c.Code)))
	default:
		r.Verdict, r.Contradiction = verify.Verified, &c
	}
}

// documents are the places of the bundles in a file.
var documents = [2]string{"/bundles/0/document", "/bundles/1/document"}
