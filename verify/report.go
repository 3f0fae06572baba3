package verify

import (
	"slices"

	"github.com/svc-edge/svc-verify/finding"
)

// ReportSchema names the JSON form of a [Report].
const ReportSchema = "svc-verify/report/v1"

// Verdict is the answer of a verification (SPEC 8). The zero value is not a
// verdict.
type Verdict string

// The verdicts.
const (
	Verified     Verdict = "verified"     // every check ran, examined something, and all of it held
	Rejected     Verdict = "rejected"     // a check failed: the evidence is bad
	Inconclusive Verdict = "inconclusive" // no check failed, but not all of them ran or had something to examine
)

// Status is the outcome of one check. The zero value is not an outcome.
type Status string

// The statuses of a check. Only Passed is a pass.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Empty   Status = "empty"   // the check ran, and there was nothing to examine
	Skipped Status = "skipped" // the check did not run: the parts that it needs could not be read
)

// Report is the whole outcome of a verification. It depends on the bundle, the
// trust file and the policy only.
type Report struct {
	Schema       string       `json:"schema"`
	Verdict      Verdict      `json:"verdict"`
	BundleSHA256 string       `json:"bundle_sha256"`
	TrustSHA256  string       `json:"trust_sha256"`
	Policy       PolicyReport `json:"policy"`
	Result       *Result      `json:"result,omitempty"`       // set if and only if verified
	StatusAsOf   *StatusAsOf  `json:"status_as_of,omitempty"` // set if and only if proven
	About        *About       `json:"about,omitempty"`        // set if and only if proven
	UnknownKeys  *UnknownKeys `json:"unknown_keys,omitempty"` // set if the trust file lacks any
	Checks       []Check      `json:"checks"`
	Limitations  []Limitation `json:"limitations"`
}

// PolicyReport lists the demands on the bundle, the pinned keys apart. An empty
// string or 0 means that nothing was demanded.
type PolicyReport struct {
	MinimumAuditWitnesses int    `json:"minimum_audit_witnesses"`
	MinimumApprovals      int    `json:"minimum_approvals"`
	LegacyBefore          string `json:"legacy_before"`
	TenantID              string `json:"tenant_id"`
	TransactionID         string `json:"transaction_id"`
	CertificateSHA256     string `json:"certificate_sha256"`
	At                    string `json:"at"`
	MaxAgeSeconds         int64  `json:"max_age_seconds"`
	Status                string `json:"status"`

	DNSNames  []string `json:"dns_names,omitempty"`
	InForceAt string   `json:"in_force_at,omitempty"`
}

// StatusAsOf names the state of the log for a status (SPEC 11.1), and when it was witnessed. A
// legacy checkpoint has no times of witnesses.
type StatusAsOf struct {
	Sequence            uint64 `json:"sequence"`
	CreatedAt           string `json:"created_at"`
	EarliestWitnessedAt string `json:"earliest_witnessed_at,omitempty"`
	// The latest time such that a quorum witnessed at that time or later.
	QuorumWitnessedAt string `json:"quorum_witnessed_at,omitempty"`
}

// Check is the outcome of one check of the list: how many things it examined,
// and how many of them held.
type Check struct {
	ID       CheckID   `json:"id"`
	Spec     string    `json:"spec"`
	Title    string    `json:"title"`
	Status   Status    `json:"status"`
	Examined int       `json:"examined"`
	Held     int       `json:"held"`
	Findings []Finding `json:"findings"`
}

// Limitation is something that a verified bundle does not prove.
type Limitation = finding.Limitation

// verdictOf computes the answer from the checks (SPEC 8): Rejected if one failed,
// otherwise Inconclusive if one did not pass or there are none.
func verdictOf(checks []Check) Verdict {
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

// Proven reports whether the evidence is genuine: the checks 8.1 to 8.21 passed. The
// statements of a proven bundle are true of the log at its checkpoint, however old that is,
// and whatever the caller demands (8.22 to 8.25).
func (r *Report) Proven() bool { return provenBy(r.Checks) }

// provenBy is Proven for a list of checks.
func provenBy(checks []Check) bool {
	return verdictOf(slices.DeleteFunc(slices.Clone(checks), func(c Check) bool { return c.ID.onlyAsked() })) == Verified
}

// First returns the finding that decides the verdict (SPEC 11.2): the first one of a
// check that failed, or the first one if none failed.
func (r *Report) First() (Finding, bool) {
	var first Finding
	found := false
	for _, c := range r.Checks {
		if len(c.Findings) == 0 {
			continue
		}
		if c.Status == Failed {
			return c.Findings[0], true
		}
		if !found {
			first, found = c.Findings[0], true
		}
	}
	return first, found
}

// Findings returns all findings in the order of the check list.
func (r *Report) Findings() []Finding {
	var all []Finding
	for _, c := range r.Checks {
		all = append(all, c.Findings...)
	}
	return all
}
