package crosscheck

import (
	"context"
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// wantKey is what a statement must be to be the one that is wanted.
type wantKey struct {
	log    walk.Log
	kind   string // the type of the event
	digest chain.Hash
}

// want is a statement that a log must hold if a bundle is right.
type want struct {
	Statement
	log      walk.Log
	evidence finding.Evidence
	at       int64        // when it was made, milliseconds since 1970
	issuance *want        // in a tenant log: the one that rests on it, and is younger
	sequence uint64       // of a disclosed event
	hash     chain.Hash   // of a disclosed event
	denied   uint64       // an event that says the opposite
	same     bool         // … of this very document
	ref      casefile.Ref // of that event, or of the one that is wanted
}

// subject is a transaction of a tenant.
type subject struct{ tenantID, transactionID string }

// bundles verifies the bundles that were given and those of the case, and writes
// down what they want to be found.
func (x *checker) bundles(ctx context.Context) error {
	seen := map[chain.Hash]bool{}
	for _, e := range x.evidence {
		x.bundle(e, finding.Evidence{Source: e.Name, Length: int64(len(e.Bytes))}, seen)
	}
	for d, err := range x.c.Documents(ctx) {
		if err != nil {
			return err
		}
		if len(d.Places) == 0 {
			continue
		}
		if d.Kind != "bundle" {
			x.records.envelope(d.Bytes)
			continue
		}
		p := d.Places[0]
		e := finding.Evidence{Source: x.names[p.Source], Container: p.Container, Offset: p.Offset, Length: p.Length}
		x.bundle(Evidence{Name: e.Source, Bytes: d.Bytes}, e, seen)
	}
	return nil
}

func (x *checker) bundle(e Evidence, place finding.Evidence, seen map[chain.Hash]bool) {
	in := bundle.Open(e.Bytes)
	if seen[in.SHA256] {
		return
	}
	seen[in.SHA256] = true
	if in.Bundle != nil {
		x.records.describeCheckpoint(in.Bundle.Checkpoint)
	}
	report := verify.Verify(in, x.root, verify.Policy{})
	row := Bundle{Name: e.Name, SHA256: report.BundleSHA256, Verdict: report.Verdict}
	if report.Result != nil {
		row.TenantID, row.TransactionID, row.Status = report.Result.TenantID, report.Result.TransactionID,
			report.Result.Status
	}
	x.result.Bundles = append(x.result.Bundles, row)
	if report.Verdict != verify.Verified {
		failure := report.Failure()
		f := finding.Finding{Code: finding.BundleRejected, Expected: "a bundle that verifies",
			Found:    fmt.Sprintf("%s at %s: %s", failure.Code, safetext.Quote(failure.Path), failure.Reason),
			Evidence: []finding.Evidence{place}}
		x.result.Findings = append(x.result.Findings, f.Complete())
		return
	}
	w := wanter{ws: x.wants, b: in.Bundle, row: row, place: place}
	w.signed()
	w.logged()
	x.records.describe(in.Bundle)
}

// wanter writes down what one verified bundle wants.
type wanter struct {
	ws    *wants
	b     *bundle.Bundle
	row   Bundle
	place finding.Evidence
}

// want writes one thing down; what two bundles want is wanted once.
func (w *wanter) want(log walk.Log, kind string, digest [32]byte, more want) *want {
	key := wantKey{log, kind, digest}
	if known := w.ws.byKey[key]; known != nil {
		return known
	}
	more.Statement = Statement{Bundle: w.row.Name, BundleSHA256: w.row.SHA256, TransactionID: w.b.Manifest.TransactionID,
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

// signed wants in the nodes' journals what nodes signed.
func (w *wanter) signed() {
	tenant := w.b.Manifest.TenantID
	for _, a := range w.b.Approvals {
		s := a.Unverified()
		w.want(walk.JournalOf(tenant, s.NodeID), event.ApprovalSigned, a.Digest(), by(s.NodeID, s.DecidedAt))
	}
	for _, c := range w.b.Capability {
		s := c.Unverified()
		w.want(walk.JournalOf(tenant, s.NodeID), event.CapabilityObserved, c.Digest(), by(s.NodeID, s.ObservedAt))
	}
	for _, r := range w.b.Witnesses {
		s := r.Unverified()
		w.want(walk.JournalOf(tenant, s.NodeID), event.CheckpointWitness, s.Checkpoint, by(s.NodeID, s.WitnessedAt))
	}
}

func by(node string, at time.Time) want {
	return want{Statement: Statement{NodeID: node}, at: at.UnixMilli()}
}

// logged wants in the tenant log what the service wrote down.
func (w *wanter) logged() {
	b := w.b
	log := walk.TenantLog(b.Manifest.TenantID)
	var issuance *want
	for _, l := range b.Path {
		if l.Event == nil {
			continue
		}
		e := l.Event.Unverified()
		wanted := w.want(log, e.Type, e.Manifest, want{sequence: e.Link.Sequence, hash: e.Recorded})
		if e.Type == event.IssuanceCompleted {
			issuance = wanted
		}
	}
	for _, a := range b.Approvals {
		w.want(log, event.ApprovalRecorded, a.Digest(), want{Statement: Statement{NodeID: a.Unverified().NodeID},
			issuance: issuance})
	}
	for _, d := range []trust.Sealed[bundle.Decision]{b.Customer, b.Service} {
		w.want(log, event.DecisionRecorded, d.Digest(), want{Statement: Statement{NodeID: d.Unverified().NodeID},
			issuance: issuance})
	}
	checkpoint := b.Checkpoint.Unverified()
	w.ws.checkpoints[log] = append(w.ws.checkpoints[log], anchor{sequence: checkpoint.Sequence, hash: checkpoint.Head})
	if b.Status.Unverified().Status == bundle.Issued {
		id := subject{b.Manifest.TenantID, b.Manifest.TransactionID}
		w.ws.issued[id] = append(w.ws.issued[id], notRevoked{checkpoint.Sequence, w.place})
	}
}
