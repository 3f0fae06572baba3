package walk

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
)

// Report is what a node.reported event of a tenant log says: the head of the journal of
// a node, under the node's own signature (SPEC 4.4). The header is that of the head, as
// far as the report has it: without type and time.
type Report struct {
	Node string
	event.Header
}

// headReport is what a node.reported event of the tenant log says: the link of the
// head of a node's journal, and the node's own signature of it (SPEC 4.4).
type headReport struct {
	at     Event // in the tenant log
	node   string
	link   chain.Link
	head   chain.Hash
	keyID  string
	key    trust.Key // if there is no defect
	signed [event.SignatureSize]byte
	defect *defect // why it anchors nothing
}

// reports reads and verifies the reports among the copies of a tenant log.
func (g *judge) reports(ctx context.Context, copies []judged) ([]headReport, error) {
	if !g.log.IsTenant() {
		return nil, nil
	}
	var all []headReport
	for i := range copies {
		if !isReport(&copies[i]) {
			continue
		}
		r, err := g.readReport(ctx, copies[i].Event)
		if err != nil {
			return nil, err
		}
		g.checkReport(&r)
		all = append(all, r)
	}
	return all, g.verifyReports(ctx, all)
}

// readReport reads the data of a report out of the copy itself.
func (g *judge) readReport(ctx context.Context, e Event) (headReport, error) {
	doc, err := g.reader.Bytes(ctx, g.log, e)
	if err != nil {
		return headReport{}, err
	}
	v, fault := ijson.Parse(doc)
	if fault != nil {
		return headReport{}, fmt.Errorf("%s, event %d: %w", g.log.LogID, e.Sequence, fault)
	}
	var r form.Reader
	read := event.Read(&r, v)
	if len(r.Faults()) > 0 || read.Link != e.Link {
		return headReport{}, fmt.Errorf("%s, event %d: the source gives other bytes than it indexed", g.log.LogID, e.Sequence)
	}
	data := r.Object(read.Data, "node_id", "audit_sequence", "audit_head", "previous_hash", "skip_hash", "body_sha256",
		"key_id", "signature")
	link := chain.Link{
		Sequence: uint64(data.Counter("audit_sequence")),
		Previous: data.Digest("previous_hash"),
		Skip:     data.Digest("skip_hash"),
		Body:     data.Digest("body_sha256"),
	}
	out := headReport{at: e, node: data.Subject("node_id"), link: link, head: data.Digest("audit_head"),
		keyID: data.Identifier("key_id")}
	out.signed = [event.SignatureSize]byte(data.Bytes("signature", event.SignatureSize, event.SignatureSize))
	return out, nil
}

// checkReport checks all of a report but the signature.
func (g *judge) checkReport(r *headReport) {
	key, ok := g.root.Key(trust.Node, r.keyID)
	want := "a pinned key of node " + r.node
	switch hash := r.link.Hash(); {
	case r.head != hash:
		r.defect = &defect{finding.ReportHashMismatch, hash.String(), r.head.String(), ""}
	case !ok:
		r.defect = &defect{finding.ReportKeyUnknown, want, "key " + r.keyID, ""}
	case key.Node != r.node:
		r.defect = &defect{finding.ReportKeyOfOtherNode, want, "key " + r.keyID, ""}
	}
	r.key = key
}

// verifyReports verifies the nodes' signatures of the reports that have no
// other defect, unless they are known to hold.
func (g *judge) verifyReports(ctx context.Context, all []headReport) error {
	r := scratchMemory.Get().(*scratch)
	defer scratchMemory.Put(r)
	r.claims, r.at = r.claims[:0], r.at[:0]
	for i := range all {
		if all[i].defect == nil {
			r.claims, r.at = append(r.claims, claim{all[i].head, &all[i].key, &all[i].signed}), append(r.at, i)
		}
	}
	claims := claimsOfReports(r.claims)
	known, err := g.signatures.known(ctx, claims)
	if known || err != nil || len(r.claims) == 0 {
		return err
	}
	valid, err := g.signatures.verify(r)
	if err != nil {
		return err
	}
	for i, ok := range valid {
		if r := &all[r.at[i]]; !ok {
			r.defect = &defect{finding.ReportSignatureInvalid, "a signature by key " + r.keyID + " of " + r.head.String(),
				"one that does not verify", ""}
		}
	}
	if slices.Contains(valid, false) {
		return nil
	}
	return g.signatures.keep(ctx, claims)
}

// reportsDomain begins what the digest of reports' claims is of.
const reportsDomain = "svc-verify: heads and keys\n"

// claimsOfReports returns the claims together. All three parts of one have a
// fixed length.
func claimsOfReports(all []claim) Claims {
	h := sha256.New()
	h.Write([]byte(reportsDomain))
	for i := range all {
		h.Write(all[i].key.Public[:])
		h.Write(all[i].hash[:])
		h.Write(all[i].signature[:])
	}
	return Claims{sum(h), len(all)}
}

// pinning says how the node's signature stands to the trust file.
func (r *headReport) pinning() pinning {
	switch {
	case r.defect == nil:
		return keyHolds
	case r.defect.code == finding.ReportKeyUnknown:
		return keyUnpinned
	case r.defect.code == finding.ReportKeyOfOtherNode:
		return keyOfOther
	}
	return keyFails
}

// target is the journal that a report anchors.
func (r *headReport) target(log Log) Log { return JournalOf(log.TenantID, r.node) }

// anchor is what a sound report anchors its journal with.
func (r *headReport) anchor(log Log) Anchor {
	return Anchor{Sequence: r.link.Sequence, Hash: r.head, By: NodeReport, At: r.at.OccurredAt,
		Name: fmt.Sprintf("event %d of %s", r.at.Sequence, log.LogID), Event: r.at.Sequence,
		Previous: r.link.Previous, Skip: r.link.Skip}
}
