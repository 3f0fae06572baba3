package object

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// Say returns what an object says as sentences and as facts: its logs and its proofs,
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

// Say returns what an object says, as one text and as facts.
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
func (s *Statuses) Counts() []outcome.Count {
	return []outcome.Count{{What: "issued", N: s.Issued}, {What: "revoked", N: s.Revoked},
		{What: "superseded", N: s.Superseded}}
}

// KeyProblem is what a report says first, nil if the trust file lacks nothing.
func (s *Said) KeyProblem() []outcome.Problem {
	u := s.UnknownKeys
	if u == nil {
		return nil
	}
	return []outcome.Problem{{Code: u.Code, Class: outcome.Inconclusive, Message: u.Sentence}}
}
