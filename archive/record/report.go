package record

import (
	"time"

	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// Schema names the JSON form of a [Report].
const Schema = "svc-verify/archive-evidence/v1"

// Report is what judging a record came to.
type Report struct {
	Schema      string        `json:"schema"`
	Verdict     outcome.Class `json:"verdict"`
	NotExamined []Limitation  `json:"not_examined"`
	At          string        `json:"at"` // the time of the check
	// ExistedBefore is the latest time that the first token can mean: the object existed
	// before. "" without a token that counts.
	ExistedBefore string `json:"existed_before,omitempty"`
	// RenewBefore is when the first of what the newest token and the newest tree rest
	// on ends, and RenewBecause what that is.
	RenewBefore  string               `json:"renew_before,omitempty"`
	RenewBecause string               `json:"renew_because,omitempty"`
	Steps        []StepReport         `json:"steps"`
	Pending      bool                 `json:"pending"` // a request waits for its token
	Findings     []finding.InDocument `json:"findings"`
	Notices      []finding.InDocument `json:"notices"` // evidence that could not be used
	Limitations  []Limitation         `json:"limitations"`
}

// StepReport is one time stamp, as far as it could be read.
type StepReport struct {
	Number    int            `json:"number"` // from 1, over all chains
	Chain     int            `json:"chain"`  // from 1
	Kind      string         `json:"kind"`   // stamp, renewal or rehash
	Hash      timestamp.Hash `json:"hash"`
	Time      string         `json:"time"`            // genTime
	Accuracy  int64          `json:"accuracy_micros"` // 0 if the token names none
	Authority string         `json:"authority"`       // its name in the file of --seal-trust
	Signer    string         `json:"signer"`          // the subject of the certificate
	Policy    string         `json:"policy"`          // object identifier
	Serial    string         `json:"serial"`          // of the token, hexadecimal
	JudgedAt  string         `json:"judged_at"`       // the time of the next token, or of the check
	Ends      string         `json:"ends"`            // the first certificate or pin
	RestsOn   []string       `json:"rests_on"`        // algorithms
	Standing  outcome.Class  `json:"standing"`        // verified, rejected or inconclusive
}

// Limitation is something that was not examined, or is not proven.
type Limitation = seal.Limitation

// Unread returns the report of a record that has not its form.
func Unread(m *Malformed, at time.Time) *Report {
	r := newReport(at)
	r.Verdict, r.NotExamined = outcome.Rejected, []Limitation{verify.LimitationOf(NotJudged)}
	r.Findings = append(r.Findings, m.Finding)
	return r
}

// add adds a finding about a step, and lowers the verdict.
func (r *Report) add(step int, f finding.InDocument) {
	class := outcome.ClassOf(f.Code)
	r.Verdict = outcome.Worst(r.Verdict, class)
	if step > 0 && step <= len(r.Steps) {
		r.Steps[step-1].Standing = outcome.Worst(r.Steps[step-1].Standing, class)
	}
	f.Step = step
	if f.Path == "" {
		f.In = "seal"
	}
	r.Findings = append(r.Findings, f)
}

// due notes the end of something that must be renewed before.
func (r *Report) due(end time.Time, because string) {
	if end.IsZero() {
		return
	}
	if text := form.FormatTime(end); r.RenewBefore == "" || text < r.RenewBefore {
		r.RenewBefore, r.RenewBecause = text, because
	}
}
