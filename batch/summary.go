package batch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/batch/entry"
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// SummarySchema names the JSON form of a [Summary].
const SummarySchema = "svc-verify/verify/v1"

// Summary contains the results for all entries together.
type Summary struct {
	Schema      string        `json:"schema"`
	Verdict     outcome.Class `json:"verdict"`
	Genuine     bool          `json:"genuine"`           // every entry is a genuine proof, and none contradicts another
	Accepted    bool          `json:"accepted"`          // it is verified: genuine, and every demand is met
	Decides     *Decision     `json:"decides,omitempty"` // why not; set if and only if it is not accepted
	NotExamined []string      `json:"not_examined"`      // sentences
	TrustSHA256 string        `json:"trust_sha256"`

	TrustWithin bool                `json:"trust_within_evidence,omitempty"` // the same person can have made both
	Policy      verify.PolicyReport `json:"policy"`                          // the demands

	UnknownKeys *verify.UnknownKeys `json:"unknown_keys,omitempty"` // set if the trust file lacks any

	Entries   Entries              `json:"entries"`
	Compared  Compared             `json:"compared"`
	Freshness string               `json:"freshness"` // the requested age, in words
	Findings  []finding.InDocument `json:"findings"`  // about the set, the worst first

	// The first of each list, the worst first, and how many more there are.
	NotVerified        []Record        `json:"not_verified"`
	MoreNotVerified    int64           `json:"more_not_verified"`
	Proofs             []Record        `json:"proofs"` // those that are verified: revoked, issued, superseded
	MoreProofs         int64           `json:"more_proofs"`
	Contradictions     []Contradiction `json:"contradictions"`
	MoreContradictions int64           `json:"more_contradictions"`

	Limitations []verify.Limitation `json:"limitations"`
}

// most is how many entries of a kind, and how many contradictions, a summary lists.
const most = 100

// Compared describes how much of the logs the bundles show in common. Where two do not
// meet, nothing is compared.
type Compared struct {
	Bundles   int64 `json:"bundles"`          // that are proven
	Sequences int64 `json:"sequences"`        // of all logs together, that at least one bundle reaches
	Shared    int64 `json:"shared_sequences"` // that at least two reach
	Pairs     int64 `json:"pairs"`            // of statements about one sequence
}

// Decision is the reason why a run is not accepted.
type Decision struct {
	Name   string       `json:"name,omitempty"` // of the entry, if it is one
	Code   finding.Code `json:"code,omitempty"`
	Reason string       `json:"reason"`
}

// Unaccepted counts the entries of each kind that is not accepted, the worst first. The records in
// [Summary.NotVerified] are in this order.
func (s *Summary) Unaccepted() []answer.Count {
	e := s.Entries
	return []answer.Count{{What: "rejected", N: e.Rejected - e.Refused},
		{What: "genuine, but not as requested", N: e.Refused}, {What: "no proof", N: e.NotABundle},
		{What: "unreadable", N: e.Unreadable},
		{What: "open", N: e.Inconclusive - e.Stale}, {What: "genuine, but not recent enough", N: e.Stale}}
}

// kind is equal for the entries of one kind.
type kind struct {
	class  outcome.Class
	proven bool
}

var kinds = []kind{{outcome.Rejected, false}, {outcome.Rejected, true}, {outcome.NotABundle, false},
	{outcome.Unreadable, false}, {outcome.Inconclusive, false}, {outcome.Inconclusive, true}}

// Kind returns the place of the record's kind in [Summary.Unaccepted], -1 for a verified one.
func (r *Record) Kind() int { return slices.Index(kinds, kind{r.Verdict, r.Proven()}) }

// WrongEntries counts the entries that speak against the run, "" if none does.
func (s *Summary) WrongEntries() string {
	wrong := answer.JoinCounts(append(s.Unaccepted(), answer.CountOf(s.Entries.Contradicted, "contradicted"),
		answer.CountOf(s.Entries.Unexpected, "unexpected"))...)
	if wrong == "" {
		return ""
	}
	return "of " + safetext.Count(s.Entries.Seen, "entry") + ", " + wrong
}

// Reason explains in one sentence why the proofs are not accepted: the wrong entries, and the worst
// finding about the set.
func (s *Summary) Reason() string {
	reason := s.WrongEntries()
	if len(s.Findings) > 0 {
		reason = strings.TrimPrefix(reason+"; "+s.Findings[0].Message, "; ")
	}
	return cmp.Or(reason, "not every entry was examined")
}

// findDecision returns the reason why a run is not accepted: the worst entry, a contradiction,
// or a finding about the set, in the order of the verdicts.
func (s *Summary) findDecision() *Decision {
	if s.Accepted {
		return nil
	}
	for i := range s.NotVerified {
		if r := &s.NotVerified[i]; outcome.Worst(r.Verdict, s.Verdict) == r.Verdict {
			return &Decision{r.Name, r.Code, r.Reason}
		}
	}
	if len(s.Contradictions) > 0 {
		c := &s.Contradictions[0]
		return &Decision{c.First, c.Finding.Code, c.Finding.Sentences[0]}
	}
	for _, f := range s.Findings {
		if outcome.ClassOf(f.Code) == s.Verdict {
			return &Decision{"", f.Code, f.Message}
		}
	}
	if s.Entries.Unexpected > 0 {
		return &Decision{"", SetUnexpected, SetUnexpected.Sentence()}
	}
	return &Decision{Reason: s.Reason()} // the run was stopped
}

// makeSummary makes the summary, when every entry is done.
func (r *Result) makeSummary(stopped bool, passed entry.Counts, o Options) error {
	s := &r.Summary
	s.Policy, s.Freshness = o.Policy.Report(o.Root), verify.FreshnessOf(o.Policy)
	s.Schema, s.TrustSHA256 = SummarySchema, fmt.Sprintf("%x", o.Root.SHA256())
	s.NotExamined = []string{}
	if stopped {
		s.NotExamined = append(s.NotExamined, "The run was stopped: what comes after the last record was not examined.")
	}
	if passed.LeftOut > 0 {
		s.NotExamined = append(s.NotExamined, fmt.Sprintf("--only left out %s.", safetext.Count(passed.LeftOut, "entry")))
	}
	if o.OwnTrust != nil {
		n := o.OwnTrust()
		passed.Own, s.TrustWithin = passed.Own-n, s.TrustWithin || n > 0
	}
	if passed.Own > 0 {
		s.NotExamined = append(s.NotExamined, fmt.Sprintf("%s of this run.", safetext.Count(passed.Own, "report")))
	}
	s.UnknownKeys = r.keys.Unknown("these proofs")
	s.Entries.LeftOut, s.Entries.Contradicted = passed.LeftOut, int64(len(r.named))
	for i := range r.copies {
		if _, ok := r.contradicted(i); ok {
			s.Entries.Contradicted++
		}
	}
	s.Findings = []finding.InDocument{}
	if !stopped {
		s.Findings = r.setFindings(o)
	}
	s.Limitations = append(r.limitations, verify.LimitationOf(ConsistencyNotProved))
	s.Verdict = s.summaryVerdict(stopped)
	e := s.Entries
	s.Accepted = s.Verdict == outcome.Verified
	s.Genuine = e.Seen > 0 && e.Genuine == e.Seen && e.Contradicted == 0 && !stopped
	err := r.listFirst()
	s.Decides = s.findDecision()
	return err
}

// listFirst enters the first records and contradictions.
func (r *Result) listFirst() error {
	s := &r.Summary
	worst, err := r.worst()
	if err != nil {
		return err
	}
	if s.Proofs, err = r.proofs(); err != nil {
		return err
	}
	s.NotVerified, s.Contradictions = worst, []Contradiction{}
	for c, err := range r.Contradictions() {
		if err != nil {
			return err
		}
		if len(s.Contradictions) == most {
			break
		}
		s.Contradictions = append(s.Contradictions, c)
	}
	s.MoreNotVerified = s.Entries.Seen - s.Entries.Verified - int64(len(s.NotVerified))
	s.MoreProofs = s.Entries.Verified - int64(len(s.Proofs))
	s.MoreContradictions = int64(r.found.Len() - len(s.Contradictions))
	return nil
}

// worst returns the first records of each kind that is not accepted, the worst kind first.
func (r *Result) worst() ([]Record, error) {
	var counts []int64
	for _, kind := range r.Summary.Unaccepted() {
		counts = append(counts, kind.N)
	}
	return r.firstRecords(counts, (*Record).Kind)
}

// proofs returns the first verified records: the revoked, the issued and the
// superseded ones.
func (r *Result) proofs() ([]Record, error) {
	e := r.Summary.Entries
	counts := []int64{e.Revoked, e.Issued, e.Superseded}
	return r.firstRecords(counts, func(record *Record) int {
		switch {
		case record.Verdict != outcome.Verified:
			return -1
		case record.SupersededBy != "":
			return 2
		case record.Status == bundle.Issued:
			return 1
		}
		return 0
	})
}

// firstRecords returns the first records of each group, by group. There are at most so many
// records of each; records of a group below 0 are left out. It goes through the records once,
// and only as far as it must.
func (r *Result) firstRecords(counts []int64, group func(*Record) int) ([]Record, error) {
	groups, left := make([][]Record, len(counts)), int64(0)
	for _, n := range counts {
		left += min(most, n)
	}
	all := []Record{}
	if left == 0 {
		return all, nil
	}
	for record, err := range r.Records() {
		if err != nil {
			return nil, err
		}
		if g := group(&record); g >= 0 && len(groups[g]) < most {
			groups[g] = append(groups[g], record)
			if left--; left == 0 {
				break
			}
		}
	}
	return append(all, slices.Concat(groups...)...), nil
}

// summaryVerdict decides the exit code. Entries left out on request leave nothing open: they
// are counted and reported.
func (s *Summary) summaryVerdict(stopped bool) outcome.Class {
	e := s.Entries
	rejects := e.Rejected+e.NotABundle+e.Contradicted+e.Unexpected > 0
	for _, f := range s.Findings {
		rejects = rejects || f.Code.Entry().Effect == finding.Rejects
	}
	switch {
	case rejects:
		return outcome.Rejected
	case e.Unreadable > 0:
		return outcome.Unreadable
	case e.Inconclusive > 0 || e.Verified == 0 || stopped:
		return outcome.Inconclusive
	}
	return outcome.Verified
}

// limit enters the limitations of a proven bundle, each once.
func (r *Result) limit(more []verify.Limitation) {
	for _, l := range more {
		if !slices.ContainsFunc(r.limitations, func(k verify.Limitation) bool { return k.Code == l.Code }) {
			r.limitations = append(r.limitations, l)
		}
	}
}
