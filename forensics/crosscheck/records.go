package crosscheck

import (
	"context"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// subjectOf has the statements of a signed document about itself. A record that names its
// digest must agree (SPEC 13.3). Empty fields and 0 are not compared.
type subjectOf struct {
	kind          string // as people call it
	transactionID string
	node          string
	domain        string
	decision      string
	sequence      uint64     // of a checkpoint
	head          chain.Hash // of a checkpoint
	keyID         string     // of a checkpoint: the audit key that signed it
	issued        uint64     // in the tenant log, of a document that an issuance rests on
}

// The kinds of document that records name.
const (
	anApproval  = "an approval"
	aDecision   = "a decision"
	aCheckpoint = "a checkpoint"
	aCapability = "capability evidence"
	aManifest   = "a manifest"
)

// kindOf is the kind of document that the records of a type name.
var kindOf = map[string]string{
	event.ApprovalSigned: anApproval, event.ApprovalRecorded: anApproval, event.DecisionRecorded: aDecision,
	event.CheckpointWitness: aCheckpoint, event.CapabilityObserved: aCapability,
	event.IssuanceCompleted: aManifest, event.CertificateRevoked: aManifest,
}

// records compares the records of documents in logs with the documents.
type records struct {
	*exam
	subjects map[chain.Hash]subjectOf // the subjects of documents that records name
}

func newRecords(x *exam) *records {
	return &records{x, map[chain.Hash]subjectOf{}}
}

// keepSubjects keeps the subjects of the documents of a verified bundle.
func (r *records) keepSubjects(b *facts.BundleTestimony) {
	issued := uint64(0)
	for _, e := range b.Events {
		if e.Type == event.IssuanceCompleted {
			issued = e.Sequence
			r.subjects[e.Manifest] = subjectOf{kind: aManifest, transactionID: b.TransactionID}
		}
	}
	for _, p := range b.Approvals {
		r.subjects[p.SHA256] = subjectOf{kind: anApproval, transactionID: b.TransactionID, node: p.NodeID,
			decision: p.Decision, issued: issued}
	}
	for _, p := range b.Decisions {
		r.subjects[p.SHA256] = subjectOf{kind: aDecision, transactionID: b.TransactionID, domain: p.Domain,
			decision: p.Decision, issued: issued}
	}
	for _, p := range b.Capability {
		r.subjects[p.SHA256] = subjectOf{kind: aCapability, node: p.NodeID}
	}
}

// describeCheckpoint keeps the subject of a checkpoint.
func (r *records) describeCheckpoint(c *facts.SignedCheckpoint) {
	r.subjects[c.SHA256] = subjectOf{kind: aCheckpoint, sequence: c.Sequence, head: c.Head, keyID: c.KeyID}
}

// misplaced notes an event that is in the wrong kind of log, and reports
// whether it does (SPEC 13.3).
func (r *records) misplaced(ctx context.Context, s *statement) (bool, error) {
	_, ofNode := s.log.Node()
	switch {
	case ofNode && slices.Contains(event.TenantTypes, s.Type):
		return true, r.noteRecord(ctx, s, finding.WrongLog, "an event of a node's journal",
			s.Type+", which is the tenant log's")
	case !ofNode && slices.Contains(event.NodeTypes, s.Type):
		return true, r.noteRecord(ctx, s, finding.WrongLog, "an event of the tenant log", s.Type+", which is a node's")
	}
	return false, nil
}

// contradicts compares a statement with its document (SPEC 13.3), and reports whether the two
// contradict each other.
func (r *records) contradicts(ctx context.Context, s *statement) (bool, error) {
	if s.TransactionID == "" && (s.Type == event.IssuanceCompleted || s.Type == event.CertificateRevoked) {
		return false, r.noteRecord(ctx, s, finding.WithoutTransaction, "a transaction_id", s.Type+" without one")
	}
	known, ok := r.subjects[s.said.Digest]
	if !ok {
		return false, nil
	}
	if expected, found := known.against(s); expected != "" {
		return true, r.noteRecord(ctx, s, finding.RecordContradicts,
			expected+", as "+known.kind+" of digest "+s.said.Digest.String()+" says", found)
	}
	if late := s.Link.Sequence > known.issued; known.issued > 0 && s.TransactionID == "" && late &&
		slices.Contains(ofIssuance, s.Type) {
		return false, r.noteLate(ctx, s, known.transactionID, known.issued)
	}
	return false, nil
}

// against returns where a record and its subject part, nothing if they do not.
func (k subjectOf) against(s *statement) (expected, found string) {
	node, _ := s.log.Node()
	if s.Type == event.ApprovalRecorded {
		node = s.said.Node
	}
	for _, c := range []struct{ name, expected, found string }{
		{"", k.kind, kindOf[s.Type]},
		{"node_id", k.node, node},
		{"transaction_id", k.transactionID, s.TransactionID},
		{"trust_domain", k.domain, s.said.Domain},
		{"decision", k.decision, s.said.Decision},
		{"sequence", formatNumber(k.sequence), formatNumber(s.said.Sequence)},
		{"head_hash", formatHash(k.head), formatHash(s.said.Head)},
	} {
		denied := s.Type == event.ApprovalSigned && c.name == "decision" // which has a code of its own
		if c.expected != "" && c.found != "" && c.expected != c.found && !denied {
			return c.name + " " + c.expected, c.name + " " + c.found
		}
	}
	return "", ""
}

func formatNumber(n uint64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func formatHash(h chain.Hash) string {
	if h == (chain.Hash{}) {
		return ""
	}
	return h.String()
}

// noteRecord notes the faults of a record.
func (r *records) noteRecord(ctx context.Context, s *statement, code finding.Code, expected, found string) error {
	return r.addFinding(ctx, finding.Finding{Code: code,
		TenantID: s.log.TenantID, LogID: s.log.LogID, Sequence: s.Link.Sequence,
		LastSequence: s.Link.Sequence, Expected: expected, Found: found}, s.Ref)
}

func (r *records) noteLate(ctx context.Context, s *statement, transactionID string, issued uint64) error {
	return r.noteRecord(ctx, s, finding.RecordLate, fmt.Sprintf("no %s of transaction %s after event %d", s.Type,
		transactionID, issued), "one")
}

// lateRecords names the records of approvals and decisions that stand above the
// issuance of their transaction.
func (r *records) lateRecords(ctx context.Context) error {
	for _, log := range sortedLogs(r.logs) {
		if !log.IsTenant() {
			continue
		}
		for id, err := range r.in.Late(ctx, log, event.IssuanceCompleted, ofIssuance) {
			if err == nil {
				err = r.lateRecordsOf(ctx, log, id)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// ofIssuance are the types whose events come before the issuance of their transaction.
var ofIssuance = []string{event.ApprovalRecorded, event.DecisionRecorded}

// lateRecordsOf names the late records of one transaction. Only events that the owner of the log
// signed count.
func (r *records) lateRecordsOf(ctx context.Context, log facts.Log, transactionID string) error {
	issued := uint64(0)
	types := append([]string{event.IssuanceCompleted}, ofIssuance...)
	choice := evidence.Choice{Types: types, TransactionID: transactionID}
	for e, err := range r.in.Chosen(ctx, log, choice) {
		if err != nil {
			return err
		}
		s, ok, err := r.readStatement(ctx, log, e)
		switch {
		case err != nil:
			return err
		case !ok:
		case s.Type == event.IssuanceCompleted && issued == 0:
			issued = s.Link.Sequence
		case s.Type != event.IssuanceCompleted && issued > 0 && issued < s.Link.Sequence:
			if err := r.noteLate(ctx, &s, transactionID, issued); err != nil {
				return err
			}
		}
	}
	return nil
}
