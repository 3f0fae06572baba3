package crosscheck

import (
	"context"
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// disagree reports whether two records of an approval that is not here say that it is
// another one's, or of another transaction. If it is here, each was compared with it.
func (p *pairs) disagree(a, b approval) bool {
	_, here := p.records.subjects[a.digest]
	return !here && (a.journal != b.journal ||
		a.transactionID != b.transactionID && a.transactionID != "" && b.transactionID != "")
}

// compareAgain compares two statements of one log on an approval.
func (p *pairs) compareAgain(ctx context.Context, a, b approval) error {
	if !p.disagree(a, b) {
		return nil
	}
	return p.disputed(ctx, b, a)
}

// compareApprovals compares the statements of two logs on an approval. Each is signed by its
// owner, so nothing shows which of them is right.
func (p *pairs) compareApprovals(ctx context.Context, a, b approval) error {
	if !p.disagree(a, b) {
		return nil
	}
	return p.dispute(ctx, a, b)
}

// compareThird compares a journal's statement on an approval with the tenant log's statement
// on another node. If the journal of that node agrees, the first one is contradicted.
func (p *pairs) compareThird(ctx context.Context, a, b approval, third *approval) error {
	if third == nil || p.disagree(b, *third) {
		return p.dispute(ctx, a, b)
	}
	log := a.ownLog()
	return p.x.addFinding(ctx, finding.Finding{Code: finding.RecordContradicts, TenantID: log.TenantID, LogID: log.LogID,
		Sequence: a.sequence, LastSequence: a.sequence, Expected: b.told() + ", and " + third.told(), Found: a.told()},
		a.ref, b.ref, third.ref)
}

// dispute notes that two logs contradict each other about an approval.
func (p *pairs) dispute(ctx context.Context, a, b approval) error {
	if err := p.disputed(ctx, a, b); err != nil {
		return err
	}
	return p.disputed(ctx, b, a)
}

// disputed notes one log's statement on an approval against the other one's.
func (p *pairs) disputed(ctx context.Context, of, other approval) error {
	log, refs := of.ownLog(), []facts.Ref{}
	for _, a := range []approval{of, other} {
		if a.sequence > 0 {
			refs = append(refs, a.ref)
		}
	}
	return p.x.addFinding(ctx, finding.Finding{Code: finding.RecordDisputed, TenantID: log.TenantID, LogID: log.LogID,
		Sequence: of.sequence, LastSequence: of.sequence, Expected: other.told(), Found: of.told()}, refs...)
}

// unsigned is the side of an approval that the node's journal does not hold, under the
// keys that may have signed the journal.
func (p *pairs) unsigned(recorded approval) approval {
	var ids []string
	node, _ := recorded.journal.Node()
	for _, key := range p.x.root.NodeKeys(node) {
		ids = append(ids, key.ID)
	}
	return approval{approvalKey: recorded.approvalKey, kind: event.ApprovalSigned, keyID: strings.Join(ids, ", ")}
}

// told returns a log's statement on an approval, and its key.
func (a *approval) told() string {
	log := a.ownLog().LogID
	node, _ := a.journal.Node()
	if a.sequence == 0 {
		return fmt.Sprintf("no %s of approval %s in %s, which is whole around that time, under key %s", a.kind, a.digest,
			log, a.keyID)
	}
	return fmt.Sprintf("approval %s of %s for transaction_id %s, as event %d of %s says, under key %s", a.digest, node,
		a.transactionID, a.sequence, log, a.keyID)
}

// missing returns the record that the other log lacks.
func (a *approval) missing() string {
	if a.kind == event.ApprovalSigned {
		return fmt.Sprintf("%s of %s in %s", event.ApprovalRecorded, a.digest, a.otherLog().LogID)
	}
	return fmt.Sprintf("%s of %s, as event %d of %s says", event.ApprovalSigned, a.digest, a.sequence, a.ownLog().LogID)
}
