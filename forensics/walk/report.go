package walk

import (
	"context"
	"fmt"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/internal/event"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
)

// report is what a node.reported event of the tenant log says: the link of the
// head of a node's journal, and the node's own signature of it (SPEC 4.4).
type report struct {
	at     Event // in the tenant log
	node   string
	link   chain.Link
	head   chain.Hash
	keyID  string
	claim  Claim
	defect *defect // why it anchors nothing
}

// reports reads and verifies the reports among the copies of a tenant log.
func (w *walker) reports(ctx context.Context, log Log, copies []judged) ([]report, error) {
	if log.LogID != "tenant/"+log.TenantID {
		return nil, nil
	}
	var all []report
	var claims []Claim
	for i := range copies {
		if !isReport(&copies[i]) {
			continue
		}
		r, err := w.readReport(ctx, log, copies[i].Event)
		if err != nil {
			return nil, err
		}
		w.checkReport(&r)
		all, claims = append(all, r), append(claims, r.claim)
	}
	return all, w.verifyReports(ctx, all, claims)
}

// readReport reads the data of a report out of the copy itself.
func (w *walker) readReport(ctx context.Context, log Log, e Event) (report, error) {
	doc, err := w.source.Bytes(ctx, log, e)
	if err != nil {
		return report{}, err
	}
	v, fault := ijson.Parse(doc)
	if fault != nil {
		return report{}, fmt.Errorf("%s, event %d: %w", log.LogID, e.Sequence, fault)
	}
	var r form.Reader
	read := event.Read(&r, v)
	if len(r.Faults()) > 0 || read.Link != e.Link {
		return report{}, fmt.Errorf("%s, event %d: the source gives other bytes than it indexed", log.LogID, e.Sequence)
	}
	data := r.Object(read.Data, "node_id", "audit_sequence", "audit_head", "previous_hash", "skip_hash", "body_sha256", "key_id", "signature")
	link := chain.Link{
		Sequence: uint64(data.Counter("audit_sequence")),
		Previous: data.Digest("previous_hash"),
		Skip:     data.Digest("skip_hash"),
		Body:     data.Digest("body_sha256"),
	}
	out := report{at: e, node: data.Subject("node_id"), link: link, head: data.Digest("audit_head"), keyID: data.Identifier("key_id")}
	out.claim = Claim{Hash: link.Hash(), Signature: [event.SignatureSize]byte(data.Bytes("signature", event.SignatureSize, event.SignatureSize))}
	return out, nil
}

// checkReport checks all of a report but the signature.
func (w *walker) checkReport(r *report) {
	key, ok := w.root.Key(trust.Node, r.keyID)
	want := "a pinned key of node " + r.node
	switch {
	case r.head != r.claim.Hash:
		r.defect = &defect{finding.ReportHashMismatch, r.claim.Hash.String(), r.head.String(), ""}
	case !ok:
		r.defect = &defect{finding.ReportKeyUnknown, want, "key " + r.keyID, ""}
	case key.Node != r.node:
		r.defect = &defect{finding.ReportKeyOfOtherNode, want, "key " + r.keyID, ""}
	}
	r.claim.Key = key.Public
}

// verifyReports verifies the nodes' signatures of the reports that have no
// other defect.
func (w *walker) verifyReports(ctx context.Context, all []report, claims []Claim) error {
	if len(all) == 0 {
		return nil
	}
	valid := make([]bool, len(claims))
	if err := w.signatures.verify(ctx, claims, valid); err != nil {
		return err
	}
	for i := range all {
		if r := &all[i]; r.defect == nil && !valid[i] {
			r.defect = &defect{finding.ReportSignatureInvalid, "a signature by key " + r.keyID + " of " + r.head.String(), "one that does not verify", ""}
		}
	}
	return nil
}

// target is the journal that a report anchors.
func (r *report) target(log Log) Log { return Log{log.TenantID, "node/" + r.node} }

// anchor is what a sound report anchors its journal with.
func (r *report) anchor(log Log) Anchor {
	return Anchor{Sequence: r.link.Sequence, Hash: r.head, By: NodeReport, At: r.at.OccurredAt,
		Name: fmt.Sprintf("event %d of %s", r.at.Sequence, log.LogID), Event: r.at.Sequence}
}
