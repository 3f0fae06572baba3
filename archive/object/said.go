package object

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// Statuses counts genuine proofs by their statuses.
type Statuses struct {
	Issued     int64 `json:"issued"`
	Revoked    int64 `json:"revoked"`
	Superseded int64 `json:"superseded"` // their status does not count
}

func (s *Statuses) add(p *Proof) {
	switch {
	case p.Superseded:
		s.Superseded++
	case p.Status == bundle.Revoked:
		s.Revoked++
	default:
		s.Issued++
	}
}

func (s Statuses) all() int64 { return s.Issued + s.Revoked + s.Superseded }

// Tally contains the counted facts of an object.
type Tally struct {
	Statuses
	Logs      int64
	Unknown   []string // the keys that it rests on and the trust file lacks
	MayBeGood bool
}

// Tally returns the counted facts of an object.
func (f *Facts) Tally() Tally {
	t := Tally{f.Contains, f.AllLogs, f.UnknownKeys, f.MayBeGood}
	if f.TransactionID != "" {
		t.Statuses.add(&f.Proof)
	}
	return t
}

// All returns the proof that an object is, or the first proofs in it, and how many
// more there are.
func (f *Facts) All() (first []Proof, more int64) {
	first = append([]Proof{}, f.Proofs...)
	if f.TransactionID != "" {
		first = append(first, f.Proof)
	}
	for i := range first {
		first[i].CertificateNames = append([]string{}, first[i].CertificateNames...)
	}
	return first, f.Tally().all() - int64(len(first))
}

// Said collects the statuses of proofs in an archive, and up to where its logs are complete.
// Of each list it has the first.
type Said struct {
	UnknownKeys *verify.UnknownKeys `json:"unknown_keys,omitempty"` // set if the trust file lacks any

	Statuses   Statuses  `json:"statuses"`
	Proofs     []ProofOf `json:"proofs"` // the revoked first, the superseded last
	MoreProofs int64     `json:"more_proofs"`
	Logs       []LogOf   `json:"logs"`
	MoreLogs   int64     `json:"more_logs"`

	keys verify.KeyTally
	logs int64
	of   [3]int // how many proofs of each rank are listed
}

// ProofOf is a proof with the path of its object, as [PathText] writes it.
type ProofOf struct {
	Path  string `json:"path"`
	Proof Proof  `json:"proof"`
}

// LogOf is a log with the path of its object, as [PathText] writes it.
type LogOf struct {
	Path string `json:"path"`
	Log  Log    `json:"log"`
}

// mostSaid is how many proofs and how many logs a list has.
const mostSaid = 100

// NewSaid returns an empty Said.
func NewSaid() Said { return Said{Proofs: []ProofOf{}, Logs: []LogOf{}} }

// Add adds an object that is evidence. It calls facts if these are to be listed.
func (s *Said) Add(path string, t Tally, facts func() (*Facts, error)) error {
	s.keys.Total("object", 1)
	for _, name := range t.Unknown {
		s.keys.Add(name, "object", 1)
	}
	if len(t.Unknown) > 0 {
		s.keys.Good(t.MayBeGood)
	}
	s.Statuses.Issued += t.Issued
	s.Statuses.Revoked += t.Revoked
	s.Statuses.Superseded += t.Superseded
	s.logs += t.Logs
	lists := t.Logs > 0 && len(s.Logs) < mostSaid
	for rank, n := range []int64{t.Revoked, t.Issued, t.Superseded} {
		lists = lists || n > 0 && s.of[rank] < mostSaid
	}
	if !lists {
		return nil
	}
	f, err := facts()
	if err != nil {
		return err
	}
	s.list(PathText(path), f)
	return nil
}

func (s *Said) list(path string, f *Facts) {
	first, _ := f.All()
	for i := range first {
		if rank := rankOf(&first[i]); s.of[rank] < mostSaid {
			s.of[rank]++
			s.Proofs = append(s.Proofs, ProofOf{path, first[i]})
		}
	}
	for i := range f.Logs[:min(len(f.Logs), mostSaid-len(s.Logs))] {
		s.Logs = append(s.Logs, LogOf{path, f.Logs[i]})
	}
}

// rankOf orders proofs by their statuses.
func rankOf(p *Proof) int {
	switch {
	case p.Superseded:
		return 2
	case p.Status == bundle.Revoked:
		return 0
	}
	return 1
}

// Conclude orders the lists, when every object was added.
func (s *Said) Conclude() {
	slices.SortStableFunc(s.Proofs, func(a, b ProofOf) int {
		return cmp.Or(rankOf(&a.Proof)-rankOf(&b.Proof), cmp.Compare(a.Path, b.Path))
	})
	slices.SortStableFunc(s.Logs, func(a, b LogOf) int { return cmp.Compare(a.Path, b.Path) })
	s.Proofs = s.Proofs[:min(len(s.Proofs), mostSaid)]
	s.MoreProofs, s.MoreLogs = s.Statuses.all()-int64(len(s.Proofs)), s.logs-int64(len(s.Logs))
	s.UnknownKeys = s.keys.Unknown("these objects")
}

// Say returns the statements of an object as sentences and as facts: its logs and its proofs,
// and how many more there are of each.
func Say(proofs []Proof, moreProofs int64, logs []Log, moreLogs int64) (said []string, facts []outcome.Fact) {
	for i := range logs {
		l := &logs[i]
		said = append(said, l.Said())
		facts = append(facts, outcome.Fact{What: "complete by others", Value: l.LogID + ": " + l.CompleteByOthers.Says},
			outcome.Fact{What: "complete by own word", Value: l.LogID + ": " + l.CompleteByOwn.Says})
	}
	if moreLogs > 0 {
		said = append(said, safetext.Count(moreLogs, "more log"))
	}
	for i := range proofs {
		p := &proofs[i]
		said = append(said, p.Said())
		if len(proofs) > 1 || p.Name != "" {
			facts = append(facts, outcome.Fact{What: "proof", Value: p.Said()})
			continue
		}
		facts = append(facts, p.facts()...)
	}
	if moreProofs > 0 {
		said = append(said, safetext.Count(moreProofs, "more proof"))
	}
	return said, facts
}

// Say returns the statements of an object, as one text and as facts.
func (f *Facts) Say() (string, []outcome.Fact) {
	first, more := f.All()
	said, facts := Say(first, more, f.Logs, f.AllLogs-int64(len(f.Logs)))
	return strings.Join(said, "; "), facts
}

// facts are the members of a proof.
func (p *Proof) facts() []outcome.Fact {
	status := p.Outcome()
	if p.Superseded {
		status += ", superseded"
	}
	facts := []outcome.Fact{
		{What: "tenant", Value: p.TenantID},
		{What: "transaction", Value: p.TransactionID},
		{What: "status", Value: status},
		{What: "as of", Value: fmt.Sprintf("%s, sequence %d", p.AsOf, p.CheckpointSequence)},
		{What: "age", Value: p.Freshness},
	}
	if p.NotBefore != "" {
		facts = append(facts, outcome.Fact{What: "certificate", Value: strings.Join(p.FirstNames(), ", ")},
			outcome.Fact{What: "valid", Value: p.Validity()}, outcome.Fact{What: "serial", Value: p.CertificateSerial})
	}
	return facts
}

// Counts are the counts that reports show.
func (s *Statuses) Counts() []answer.Count {
	return []answer.Count{{What: "issued", N: s.Issued}, {What: "revoked", N: s.Revoked},
		{What: "superseded", N: s.Superseded}}
}

// KeyProblem returns the problem that a report lists first, nil if the trust file lacks
// nothing.
func (s *Said) KeyProblem() []outcome.Problem {
	u := s.UnknownKeys
	if u == nil {
		return nil
	}
	return []outcome.Problem{{Code: u.Code, Class: outcome.Inconclusive, Message: u.Sentence}}
}
