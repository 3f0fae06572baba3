package verify

// ReportSchema names the form of a [Report] in JSON.
const ReportSchema = "svc-verify/report/v1"

// Verdict is the answer of a verification (SPEC 8). Its zero value is no
// verdict, and no success.
type Verdict string

// The verdicts.
const (
	Verified     Verdict = "verified"     // every check ran, examined something, and all of it held
	Rejected     Verdict = "rejected"     // a check failed: the evidence is bad
	Inconclusive Verdict = "inconclusive" // no check failed, but not every one ran: nothing was shown
)

// Status is the outcome of one check. Its zero value is no outcome.
type Status string

// The statuses of a check. Only Passed is a pass.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Empty   Status = "empty"   // it ran and found nothing to examine
	Skipped Status = "skipped" // its input was not established
)

// Report is everything that a verification says: a pure function of bundle,
// trust file and policy.
type Report struct {
	Schema       string       `json:"schema"`
	Verdict      Verdict      `json:"verdict"`
	BundleSHA256 string       `json:"bundle_sha256"`
	TrustSHA256  string       `json:"trust_sha256"`
	Policy       PolicyReport `json:"policy"`
	Result       *Result      `json:"result,omitempty"` // set if and only if verified
	Checks       []Check      `json:"checks"`
	Limitations  []Limitation `json:"limitations"`
}

// PolicyReport is what the bundle was held against, beside the pinned keys. The
// empty string and 0 stand for what was not asked.
type PolicyReport struct {
	MinimumAuditWitnesses int    `json:"minimum_audit_witnesses"`
	MinimumApprovals      int    `json:"minimum_approvals"`
	LegacyBefore          string `json:"legacy_before"`
	TenantID              string `json:"tenant_id"`
	TransactionID         string `json:"transaction_id"`
	CertificateSHA256     string `json:"certificate_sha256"`
}

// Check is one check of the list: how many things it examined and how many of
// them held.
type Check struct {
	ID       CheckID   `json:"id"`
	Spec     string    `json:"spec"`
	Title    string    `json:"title"`
	Status   Status    `json:"status"`
	Examined int       `json:"examined"`
	Held     int       `json:"held"`
	Findings []Finding `json:"findings"`
}

// Finding says that something in the evidence is wrong: a stable code, the JSON
// pointer (RFC 6901) in the bundle, what was expected and what was found there.
// Path and Found can hold text of the evidence: quote them before showing.
type Finding struct {
	Code     Code   `json:"code"`
	Path     string `json:"path"`
	Expected string `json:"expected"`
	Found    string `json:"found"`
}

// Limitation says what a verified bundle still does not prove.
type Limitation struct {
	Code     string `json:"code"`
	Sentence string `json:"sentence"`
}

// verdict computes the answer over the list (SPEC 8): a check that failed
// rejects; one that did not pass leaves it open; an empty list shows nothing.
func verdict(checks []Check) Verdict {
	answer := Verified
	if len(checks) == 0 {
		answer = Inconclusive
	}
	for _, c := range checks {
		switch {
		case c.Status == Failed:
			return Rejected
		case c.Status != Passed || c.Examined == 0 || c.Held != c.Examined:
			answer = Inconclusive
		}
	}
	return answer
}

// First returns the first finding in the order of the check list.
func (r *Report) First() (Finding, bool) {
	for _, c := range r.Checks {
		if len(c.Findings) > 0 {
			return c.Findings[0], true
		}
	}
	return Finding{}, false
}

// Findings returns all findings in the order of the check list.
func (r *Report) Findings() []Finding {
	var all []Finding
	for _, c := range r.Checks {
		all = append(all, c.Findings...)
	}
	return all
}
