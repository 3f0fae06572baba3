package crosscheck

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/event"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
)

// The types of which the events are read, by kind of log: those that something is
// compared with, and those that stand in the other kind of log only.
var (
	ofNodes  = append([]string{event.ApprovalSigned, event.CheckpointWitness, event.CapabilityObserved}, event.TenantTypes...)
	ofTenant = append([]string{event.ApprovalRecorded, event.DecisionRecorded, event.IssuanceCompleted, event.CertificateRevoked, event.NodeReported,
		event.IssuancePaused, event.IssuanceResumed, event.ResumeRequested, event.ResumeExpired}, event.NodeTypes...)
)

// statement is an event that its log's owner signed, and what it says.
type statement struct {
	store.Event
	log      logName
	digest   chain.Hash // of the document that it is about
	node     string     // of approval.recorded
	domain   string     // of decision.recorded
	decision string     // of approval.signed and decision.recorded
	sequence uint64     // of checkpoint.witnessed
	head     chain.Hash // of checkpoint.witnessed
	report   report     // of node.reported
}

// read reads a copy of an event; ok is false if it is no statement.
func (x *checker) read(ctx context.Context, b *store.Bodies, log logName, e store.Event) (s statement, ok bool, err error) {
	if !x.holds(log, e) {
		return s, false, nil
	}
	doc, err := b.Line(ctx, e)
	if err != nil {
		return s, false, fmt.Errorf("event %d of %s: %w", e.Link.Sequence, log.logID, err)
	}
	var line event.Line
	if !event.Scan(doc, &line) || line.Link != e.Link {
		return s, false, fmt.Errorf("event %d of %s: the case holds other bytes than it indexes", e.Link.Sequence, log.logID)
	}
	v, fault := ijson.Parse(line.Data)
	if fault != nil {
		return s, false, fmt.Errorf("event %d of %s: %w", e.Link.Sequence, log.logID, fault)
	}
	s = statement{Event: e, log: log}
	s.readData(v)
	return s, true, nil
}

// holds reports whether an event gives its own hash, under a signature by a key
// of its log's owner (SPEC 3.3, 4.2).
func (x *checker) holds(log logName, e store.Event) bool {
	hash := e.Link.Hash()
	key, ok := x.owner(log, e.KeyID)
	return ok && hash == e.Recorded && ed25519.Verify(key[:], trust.PAE(event.Protocol, hash[:]), e.Signature[:])
}

// owner returns the pinned key of a log's owner.
func (x *checker) owner(log logName, keyID string) (trust.PublicKey, bool) {
	node, ofNode := log.node()
	if ofNode {
		return x.nodeKey(node, keyID)
	}
	key, ok := x.root.Key(trust.Audit, keyID)
	return key.Public, ok && log.isTenant()
}

func (x *checker) nodeKey(node, keyID string) (trust.PublicKey, bool) {
	key, ok := x.root.Key(trust.Node, keyID)
	return key.Public, ok && key.Node == node
}

// readData reads what an event's type fixes of its data, which the scan has
// found to be of that form.
func (s *statement) readData(v *ijson.Value) {
	var r form.Reader
	digests := map[string]string{
		event.ApprovalSigned: "approval_sha256", event.ApprovalRecorded: "approval_sha256", event.DecisionRecorded: "decision_sha256",
		event.CheckpointWitness: "checkpoint_sha256", event.CapabilityObserved: "capability_evidence_sha256",
		event.IssuanceCompleted: "manifest_sha256", event.CertificateRevoked: "manifest_sha256",
	}
	var names []string
	for _, m := range v.Members() {
		names = append(names, m.Name)
	}
	o := r.Object(v, names...)
	if name, ok := digests[s.Type]; ok {
		s.digest = o.Digest(name)
	}
	switch s.Type {
	case event.ApprovalSigned:
		s.decision = o.OneOf("decision", "allow", "deny")
	case event.ApprovalRecorded:
		s.node = o.Subject("node_id")
	case event.DecisionRecorded:
		s.domain, s.decision = o.OneOf("trust_domain", "customer", "service"), o.OneOf("decision", "allow", "deny")
	case event.CheckpointWitness:
		s.sequence, s.head = uint64(o.Counter("sequence")), o.Digest("head_hash")
	case event.NodeReported:
		s.report = readReport(o)
	}
}

// chosen yields the statements of a log.
func (x *checker) chosen(ctx context.Context, log logName) iter.Seq2[statement, error] {
	return func(yield func(statement, error) bool) {
		types := ofTenant
		if _, ok := log.node(); ok {
			types = ofNodes
		}
		b, err := x.c.Bodies()
		if err != nil {
			yield(statement{}, err)
			return
		}
		defer b.Close()
		for e, err := range x.c.Chosen(ctx, x.logs[log], store.Choice{Types: types}) {
			s, ok := statement{}, false
			if err == nil {
				s, ok, err = x.read(ctx, b, log, e)
			}
			if err != nil || ok {
				if !yield(s, err) || err != nil {
					return
				}
			}
		}
	}
}

// readStatements reads the statements of all logs of each tenant, by their
// times as far as each log keeps to its own, so that what belongs together comes
// close together.
func (x *checker) readStatements(ctx context.Context) error {
	byTenant := map[string][]logName{}
	var tenants []string
	nodes := x.root.Nodes()
	for _, log := range sorted(x.logs) {
		// The owners of all other logs have no pinned key. So there are never
		// more logs of one tenant than the trust file has nodes, and one.
		if node, ofNode := log.node(); !log.isTenant() && !(ofNode && slices.Contains(nodes, node)) {
			continue
		}
		if len(byTenant[log.tenantID]) == 0 {
			tenants = append(tenants, log.tenantID)
		}
		byTenant[log.tenantID] = append(byTenant[log.tenantID], log)
	}
	for _, t := range tenants {
		if err := x.readTenant(ctx, byTenant[t]); err != nil {
			return err
		}
	}
	return nil
}

// feed is one log that is read beside others.
type feed struct {
	next func() (statement, error, bool)
	head statement
	err  error
	more bool
}

func (x *checker) readTenant(ctx context.Context, logs []logName) error {
	var feeds []*feed
	for _, log := range logs {
		next, stop := iter.Pull2(x.chosen(ctx, log))
		defer stop()
		f := &feed{next: next}
		f.head, f.err, f.more = next()
		feeds = append(feeds, f)
	}
	for {
		var first *feed
		for _, f := range feeds {
			if f.err != nil {
				return f.err
			}
			if f.more && (first == nil || f.head.OccurredAt < first.head.OccurredAt) {
				first = f
			}
		}
		if first == nil {
			return nil
		}
		if err := x.take(ctx, first.head); err != nil {
			return err
		}
		first.head, first.err, first.more = first.next()
	}
}

// take hands a statement on to everything that wants it.
func (x *checker) take(ctx context.Context, s statement) error {
	if misplaced, err := x.misplaced(ctx, s); misplaced || err != nil {
		return err
	}
	x.answer(s)
	contradicts, err := x.record(ctx, s)
	if err != nil {
		return err
	}
	switch s.Type {
	case event.ApprovalSigned, event.ApprovalRecorded:
		return x.pairs.take(ctx, s)
	case event.NodeReported:
		x.takeReport(s)
	case event.CheckpointWitness:
		if !contradicts {
			return x.takeWitness(ctx, s)
		}
	case event.IssuancePaused, event.IssuanceResumed, event.ResumeRequested, event.ResumeExpired, event.IssuanceCompleted:
		x.takePause(s)
	}
	return nil
}
