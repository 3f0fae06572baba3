package record

import (
	"bytes"
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// Subject is the object that a record is about.
type Subject struct {
	// Digest returns the digest of its bytes.
	Digest func(timestamp.Hash) []byte
	// Sealed is the statement of a seal whose signatures hold; nil for another object.
	Sealed *Sealed
}

// Sealed has the parts of a seal that count for its record.
type Sealed struct {
	Hash     timestamp.Hash // of its tree
	SealedAt time.Time
	Pin      sealkey.Pin // whose signatures they are
}

// SubjectOf returns the subject that a seal is. The caller verified its signatures.
func SubjectOf(s *seal.Seal, pin sealkey.Pin) Subject {
	return Subject{func(h timestamp.Hash) []byte { return h.Sum(s.File) },
		&Sealed{s.Statement.Hash, s.Statement.SealedAt, pin}}
}

// Options judge a record.
type Options struct {
	At          time.Time
	Authorities []timestamp.Authority
	Algorithms  *Algorithms          // nil for the built-in table
	Revocation  []timestamp.Evidence // about the newest token
	// Forest has the trees over all objects, which the imprints are compared with; nil if
	// no one has computed them.
	Forest *Forest
	// DataRead is whether the forest is of the data as it is now.
	DataRead bool
	// Found are findings about files that go with the record.
	Found []finding.InDocument
}

// Verify judges the record of an object (SPEC 17.7). The verdict is of the record: without one
// it is verified for a seal, and the report states that no token shows the time.
func Verify(s Subject, r *Record, o Options) *Report {
	j := &judge{Report: newReport(o.At), subject: s, record: r, options: o}
	if r == nil {
		j.record = &Record{}
	}
	if o.Algorithms == nil {
		j.options.Algorithms = builtIn
	}
	j.Algorithms = j.options.Algorithms.table
	for _, f := range o.Found {
		j.add(f.Step, f)
	}
	for c := range j.record.Chains {
		if !j.links(c) {
			break
		}
	}
	if len(j.all) == j.record.Stamps() {
		j.judgeSeal()
		for i := range j.all {
			j.judgeToken(i)
		}
		j.judgeHashes()
		j.compareRoots()
	}
	j.conclude()
	return j.Report
}

// link is a time stamp whose token covers the right hash and leads to a pinned authority.
type link struct {
	hash  timestamp.Hash
	chain *timestamp.Chain
}

// judge is one run of Verify.
type judge struct {
	*Report
	subject Subject
	record  *Record
	options Options
	all     []link
}

// placeOf names a time stamp, from 1.
func placeOf(number int) string { return fmt.Sprintf("time stamp %d", number) }

// links goes over the time stamps of a chain: each covers the one before, the first one
// the object and all chains before. It reports whether the next chain can be read.
func (j *judge) links(c int) bool {
	hash, kind := j.record.Chains[c].Hash, "rehash"
	if c == 0 {
		kind = "stamp"
	}
	for stamp, other := range j.record.eachStamp(c, len(j.all)+1, j.subject.Digest) {
		number := len(j.all) + 1
		j.Steps = append(j.Steps, StepReport{Number: number, Chain: c + 1, Kind: kind, Hash: hash,
			RestsOn: []string{}, Standing: outcome.Verified})
		if other != nil {
			j.add(number, *other)
			return false
		}
		traced, fault := stamp.Token.Trace(j.options.Authorities, nil)
		if fault != nil {
			fault.Path = placeOf(number) + ": " + fault.Path
			j.add(number, finding.InDocument(*fault))
			return false
		}
		for _, f := range stamp.Token.Unusable {
			j.notice(number, f)
		}
		j.all = append(j.all, link{hash, traced})
		kind = "renewal"
	}
	return true
}

// compareRoots compares the imprint of the first token of each chain with the tree over
// all objects.
func (j *judge) compareRoots() {
	f := j.options.Forest
	if f == nil {
		return
	}
	number := 1
	for c := range j.record.Chains {
		chain := &j.record.Chains[c]
		if c < f.Chains() && !bytes.Equal(f.Root(c), chain.Stamps[0].Token.Imprint) {
			j.add(number, finding.At(seal.SealRoot, placeOf(number),
				fmt.Sprintf("the %s root %.16x over all objects", chain.Hash, chain.Stamps[0].Token.Imprint),
				fmt.Sprintf("%.16x", f.Root(c))))
		}
		number += len(chain.Stamps)
	}
}

// until returns the time at which a time stamp is judged; 0 is the seal.
func (j *judge) until(number int) time.Time {
	if number < len(j.all) {
		return j.all[number].chain.Token.Latest()
	}
	return j.options.At
}

// newReport returns the report of a check at a time.
func newReport(at time.Time) *Report {
	return &Report{Schema: Schema, Verdict: outcome.Verified, NotExamined: []Limitation{}, At: form.FormatTime(at),
		Steps: []StepReport{}, Findings: []finding.InDocument{}, Notices: []finding.InDocument{},
		Limitations: []Limitation{}}
}

// Schema names the JSON form of a [Report].
const Schema = "svc-verify/archive-evidence/v1"

// Report is the result of judging a record.
type Report struct {
	Schema      string        `json:"schema"`
	Verdict     outcome.Class `json:"verdict"`
	NotExamined []Limitation  `json:"not_examined"`
	At          string        `json:"at"`         // the time of the check
	Algorithms  Table         `json:"algorithms"` // the table of the dates of algorithms; empty if none was asked
	// ExistedBefore is the latest time that the first token can mean: the object existed
	// before. "" without a token that counts.
	ExistedBefore string `json:"existed_before,omitempty"`
	// RenewBefore is the earliest end of anything that the newest token and the newest tree
	// rest on, and RenewBecause names it.
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
func Unread(f *timestamp.Fault, at time.Time) *Report {
	r := newReport(at)
	r.Verdict, r.NotExamined = outcome.Rejected, []Limitation{verify.LimitationOf(NotJudged)}
	r.Findings = append(r.Findings, finding.InDocument(*f))
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
