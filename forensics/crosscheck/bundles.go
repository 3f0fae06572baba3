package crosscheck

import (
	"context"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/verify"
)

// wantKey contains the properties that a wanted statement must have.
type wantKey struct {
	log    facts.Log
	kind   string // the type of the event
	digest chain.Hash
}

// want is a statement that a log must hold if a bundle is right.
type want struct {
	Statement
	log      facts.Log
	evidence finding.Evidence
	at       int64      // when it was made, milliseconds since 1970
	issuance *want      // in a tenant log: the one that rests on it, and is younger
	sequence uint64     // of a disclosed event
	hash     chain.Hash // of a disclosed event
	denied   uint64     // an event with the opposite statement
	same     bool       // … of this very document
	ref      facts.Ref  // of that event, or of the one that is wanted
}

// subject is a transaction of a tenant.
type subject struct{ tenantID, transactionID string }

// bundles reads the given bundles and the documents of the case, and collects the records that
// the bundles want to be found.
func (x *checker) bundles(ctx context.Context) error {
	seen := map[chain.Hash]bool{}
	for _, e := range x.evidence {
		x.testimony(facts.TestimonyOf(facts.KindBundle, e.Bytes, x.root, facts.ForComparison), e.Name,
			finding.Evidence{Source: e.Name, Length: int64(len(e.Bytes))}, seen)
	}
	for d, err := range x.in.Documents(ctx) {
		if err != nil {
			return err
		}
		if len(d.Places) == 0 {
			continue
		}
		t, err := d.Testimony(x.root, facts.ForComparison)
		if err != nil {
			return err
		}
		p := d.Places[0]
		e := finding.Evidence{Source: x.names[p.Source], Container: p.Container, Offset: p.Offset, Length: p.Length}
		x.testimony(t, e.Source, e, seen)
	}
	x.result.supersede()
	return nil
}

// testimony adds the statements of a document; the same bundle is added once.
func (x *checker) testimony(t *facts.Testimony, name string, place finding.Evidence, seen map[chain.Hash]bool) {
	b := t.Bundle
	if b != nil && seen[b.SHA256] {
		return
	}
	if t.Checkpoint != nil {
		x.records.describeCheckpoint(t.Checkpoint)
	}
	if b == nil {
		return
	}
	seen[b.SHA256] = true
	of := Bundle{Name: name, SHA256: b.SHA256.String(), Verdict: b.Verdict, TenantID: b.TenantID,
		TransactionID: b.TransactionID, Status: b.Status, UnknownKeys: b.UnknownKeys, Place: place}
	if b.Verdict == verify.Verified {
		of.About, of.Checkpoint = b.About(), t.Checkpoint.Sequence
	}
	x.result.Bundles = append(x.result.Bundles, of)
	if b.Verdict != verify.Verified {
		f := finding.Finding{Code: finding.BundleRejected, Expected: "a bundle that verifies", Found: b.Failure,
			Evidence: []finding.Evidence{place}}
		if len(b.UnknownKeys) > 0 && b.Verdict == verify.Inconclusive {
			f.Code = finding.BundleKeyUnknown
		}
		x.result.Findings = append(x.result.Findings, f.Complete())
		return
	}
	w := wanter{ws: x.wants, b: b, name: name, place: place}
	w.wantSigned()
	w.logged(t.Checkpoint)
	x.records.keepSubjects(b)
}

// wanter records the statements that one verified bundle wants.
type wanter struct {
	ws    *wants
	b     *facts.BundleTestimony
	name  string
	place finding.Evidence
}

// want records one wanted statement; one that two bundles want is wanted once.
func (w *wanter) want(log facts.Log, kind string, digest chain.Hash, more want) *want {
	key := wantKey{log, kind, digest}
	if known := w.ws.byKey[key]; known != nil {
		return known
	}
	more.Statement = Statement{Bundle: w.name, BundleSHA256: w.b.SHA256.String(), TransactionID: w.b.TransactionID,
		Kind: kind, NodeID: more.NodeID, SHA256: key.digest.String(), LogID: log.LogID}
	more.log, more.evidence = log, w.place
	w.ws.byKey[key] = &more
	w.ws.list = append(w.ws.list, &more)
	if kind == event.ApprovalSigned {
		id := subject{log.TenantID, more.TransactionID}
		w.ws.approvals[id] = append(w.ws.approvals[id], &more)
	}
	return &more
}

// wantSigned wants, in the nodes' journals, the parts that nodes signed.
func (w *wanter) wantSigned() {
	for _, kind := range []struct {
		name  string
		parts []facts.Part
	}{
		{event.ApprovalSigned, w.b.Approvals},
		{event.CapabilityObserved, w.b.Capability},
		{event.CheckpointWitness, w.b.Witnesses},
	} {
		for _, p := range kind.parts {
			w.want(facts.JournalOf(w.b.TenantID, p.NodeID), kind.name, p.SHA256,
				want{Statement: Statement{NodeID: p.NodeID}, at: int64(p.At)})
		}
	}
}

// logged wants in the tenant log the records of the service.
func (w *wanter) logged(checkpoint *facts.SignedCheckpoint) {
	log := facts.TenantLog(w.b.TenantID)
	var issuance *want
	for _, e := range w.b.Events {
		wanted := w.want(log, e.Type, e.Manifest, want{sequence: e.Sequence, hash: e.Hash})
		if e.Type == event.IssuanceCompleted {
			issuance = wanted
		}
	}
	for _, p := range w.b.Approvals {
		w.want(log, event.ApprovalRecorded, p.SHA256, want{Statement: Statement{NodeID: p.NodeID}, issuance: issuance})
	}
	for _, p := range w.b.Decisions {
		w.want(log, event.DecisionRecorded, p.SHA256, want{Statement: Statement{NodeID: p.NodeID}, issuance: issuance})
	}
	w.ws.checkpoints[log] = append(w.ws.checkpoints[log], anchor{sequence: checkpoint.Sequence, hash: checkpoint.Head})
	if w.b.Status == bundle.Issued {
		id := subject{w.b.TenantID, w.b.TransactionID}
		w.ws.issued[id] = append(w.ws.issued[id], notRevoked{checkpoint.Sequence, w.place})
	}
}
