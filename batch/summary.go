package batch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/batch/entry"
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// SummarySchema names the JSON form of a [Summary].
const SummarySchema = "svc-verify/batch/v1"

// Summary is what is true of all entries together.
type Summary struct {
	Schema      string        `json:"schema"`
	Verdict     outcome.Class `json:"verdict"`
	NotExamined []string      `json:"not_examined"` // sentences
	TrustSHA256 string        `json:"trust_sha256"`

	UnknownKeys *verify.UnknownKeys `json:"unknown_keys,omitempty"` // set if the trust file lacks any

	Entries   Entries      `json:"entries"`
	Compared  Compared     `json:"compared"`
	Status    string       `json:"status"`    // that was asked for, "" for any
	Freshness string       `json:"freshness"` // the age that was asked for, in words
	Findings  []SetFinding `json:"findings"`  // about the set, the worst first

	// The first of each list, the worst first, and how many more there are.
	NotVerified        []Record        `json:"not_verified"`
	MoreNotVerified    int64           `json:"more_not_verified"`
	Proofs             []Record        `json:"proofs"` // those that are verified: revoked, issued, superseded
	MoreProofs         int64           `json:"more_proofs"`
	Contradictions     []Contradiction `json:"contradictions"`
	MoreContradictions int64           `json:"more_contradictions"`

	Limitations []Limitation `json:"limitations"`
}

// most is how many entries of a class, and how many contradictions, a summary lists.
const most = 100

// Entries counts them. Seen is the sum of the five after it. The others are parts
// of it, but for LeftOut, which were not looked at.
type Entries struct {
	Seen         int64 `json:"seen"`
	Verified     int64 `json:"verified"`
	Rejected     int64 `json:"rejected"`
	NotABundle   int64 `json:"not_a_bundle"`
	Unreadable   int64 `json:"unreadable"`
	Inconclusive int64 `json:"inconclusive"`
	Contradicted int64 `json:"contradicted"`
	Doubled      int64 `json:"doubled"` // with the octets of an earlier one
	Unexpected   int64 `json:"unexpected"`
	LeftOut      int64 `json:"left_out"` // by --only

	// The proven bundles, whatever their class, by what they say.
	Issued     int64 `json:"issued"`
	Revoked    int64 `json:"revoked"`
	Superseded int64 `json:"superseded"` // their status does not count
}

// Compared says how much of the logs the bundles show in common. Where two do not
// meet, nothing is compared.
type Compared struct {
	Bundles   int64 `json:"bundles"`          // that are proven
	Sequences int64 `json:"sequences"`        // of all logs together, that at least one bundle reaches
	Shared    int64 `json:"shared_sequences"` // that at least two reach
	Pairs     int64 `json:"pairs"`            // of statements about one sequence
}

// SetFinding is something that is wrong with the set.
type SetFinding struct {
	Code     finding.Code `json:"code"`
	Expected string       `json:"expected"`
	Found    string       `json:"found"`
	Message  string       `json:"message"`
}

// Limitation is something that the run does not prove.
type Limitation = verify.Limitation

// Reason says in one sentence why a batch is not verified: how many entries there
// are of each kind that speaks against it.
func (s *Summary) Reason() string {
	var all []string
	for _, class := range outcome.Classes() {
		if n := s.Entries.Of(class); n > 0 && class != outcome.Verified {
			all = append(all, fmt.Sprintf("%d %s", n, class))
		}
	}
	for _, more := range []struct {
		n    int64
		what string
	}{{s.Entries.Contradicted, "contradicted"}, {s.Entries.Unexpected, "unexpected"}} {
		if more.n > 0 {
			all = append(all, fmt.Sprintf("%d %s", more.n, more.what))
		}
	}
	if unwanted := s.Entries.status(otherStatus[s.Status]); unwanted != nil && *unwanted > 0 {
		all = append(all, fmt.Sprintf("%d genuine, but %s", *unwanted, otherStatus[s.Status]))
	}
	reason := "of " + safetext.Count(s.Entries.Seen, "entry") + ", " + cmp.Or(strings.Join(all, ", "), "none is wrong")
	if len(s.Findings) > 0 {
		reason += "; " + s.Findings[0].Message
	}
	return reason
}

// otherStatus is the status that a caller does not want.
var otherStatus = map[string]string{bundle.Issued: bundle.Revoked, bundle.Revoked: bundle.Issued}

// conclude makes the summary, when every entry is done.
func (r *Result) conclude(stopped bool, passed entry.Counts, o Options) error {
	s := &r.Summary
	s.Status, s.Freshness = o.Policy.Status, verify.FreshnessOf(o.Policy)
	s.Schema, s.TrustSHA256 = SummarySchema, fmt.Sprintf("%x", o.Root.SHA256())
	s.NotExamined = []string{}
	if stopped {
		s.NotExamined = append(s.NotExamined, "The run was stopped: what comes after the last record was not examined.")
	}
	if passed.LeftOut > 0 {
		s.NotExamined = append(s.NotExamined, fmt.Sprintf("--only left out %s.", safetext.Count(passed.LeftOut, "entry")))
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
	s.Findings = []SetFinding{}
	if !stopped {
		s.Findings = r.setFindings(o)
	}
	entry, _ := finding.Lookup(ConsistencyNotProved)
	s.Limitations = append(r.limitations, Limitation{Code: ConsistencyNotProved, Sentence: entry.Sentence})
	s.Verdict = s.verdict(stopped)
	return r.list()
}

// list enters the first records and contradictions.
func (r *Result) list() error {
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

// worst returns the first records of each class that is not verified, the worst
// class first.
func (r *Result) worst() ([]Record, error) {
	var classes []outcome.Class
	var counts []int64
	for _, class := range outcome.Classes() {
		if class != outcome.Verified {
			classes, counts = append(classes, class), append(counts, r.Summary.Entries.Of(class))
		}
	}
	return r.first(counts, func(record *Record) int { return slices.Index(classes, record.Verdict) })
}

// proofs returns the first verified records: the revoked, the issued and the
// superseded ones.
func (r *Result) proofs() ([]Record, error) {
	e := r.Summary.Entries
	if unwanted := e.status(otherStatus[r.Summary.Status]); unwanted != nil {
		*unwanted = 0 // they are not verified
	}
	counts := []int64{e.Revoked, e.Issued, e.Superseded}
	return r.first(counts, func(record *Record) int {
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

// first returns the first records of each group, by group. There are at most so many
// records of each; those of a group below 0 are left out. It goes through the records
// once, and only as far as it must.
func (r *Result) first(counts []int64, group func(*Record) int) ([]Record, error) {
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

// verdict decides the exit code. What was left out on request leaves nothing open:
// it is counted and said.
func (s *Summary) verdict(stopped bool) outcome.Class {
	e := s.Entries
	rejects := e.Rejected+e.NotABundle+e.Contradicted+e.Unexpected > 0
	for _, f := range s.Findings {
		entry, _ := finding.Lookup(f.Code)
		rejects = rejects || entry.Effect == finding.Rejects
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

// limit enters what a proven bundle does not prove, each limitation once.
func (r *Result) limit(more []Limitation) {
	for _, l := range more {
		known := func(k Limitation) bool { return k.Code == l.Code }
		if !slices.ContainsFunc(r.limitations, known) {
			r.limitations = append(r.limitations, l)
		}
	}
}
