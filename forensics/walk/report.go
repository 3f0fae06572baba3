package walk

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/trust"
)

// Report is the statement of a node.reported event of a tenant log: the head of the journal of
// a node, under the node's own signature (SPEC 4.4). The header belongs to the head, as far as
// the report has it: without type and time.
type Report struct {
	Node string
	event.Header
}

// headReport is a report in a copy of an event of the tenant log.
type headReport struct {
	at facts.Event
	Report
	key    trust.Key // if there is no defect
	defect *defect   // why it anchors nothing
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
		said, err := g.reader.Report(ctx, g.log, copies[i].Event)
		if err != nil {
			return nil, err
		}
		all = append(all, headReport{at: copies[i].Event, Report: said})
	}
	return all, g.judgeReports(ctx, all)
}

// Reports judges those reports that were not judged: whether the head gives its own
// hash, under a signature by a pinned key of the node.
func (g *Judge) Reports(ctx context.Context, reports []*Report) error {
	all := make([]headReport, len(reports))
	for i, r := range reports {
		all[i].Report = *r
	}
	err := g.judgeReports(ctx, all)
	for i := range all {
		reports[i].Judgement = all[i].Judgement
	}
	return err
}

// judgeReports verifies the nodes' signatures of the reports that have no other defect, unless
// they were judged or are known to hold, and returns the faults.
func (g *Judge) judgeReports(ctx context.Context, all []headReport) error {
	for i := range all {
		all[i].defect = g.defectOf(&all[i])
	}
	if err := g.verifyReports(ctx, all); err != nil {
		return err
	}
	for i := range all {
		r := &all[i]
		if !r.Judged() {
			r.Judgement = event.Judgement{Computed: r.ContentHash(), Signed: event.Neither}
		}
		if r.defect == nil && r.Signed != event.OverContent {
			r.defect = &defect{finding.ReportSignatureInvalid, "a signature by key " + r.KeyID + " of " + r.Recorded.String(),
				"one that does not verify", ""}
		}
	}
	return nil
}

// defectOf returns the fault of a report, except its signature.
func (g *Judge) defectOf(r *headReport) *defect {
	key, ok := g.root.Key(trust.Node, r.KeyID)
	r.key = key
	want := "a pinned key of node " + r.Node
	switch {
	case !r.Intact():
		return &defect{finding.ReportSignatureInvalid, r.ContentHash().String(), r.Recorded.String(), ""}
	case !ok:
		return &defect{finding.ReportKeyUnknown, want, "key " + r.KeyID, ""}
	case key.Node != r.Node:
		return &defect{finding.ReportSignatureInvalid, want, "key " + r.KeyID, ""}
	}
	return nil
}

// verifyReports judges the reports that are valid, of those without a defect.
func (g *Judge) verifyReports(ctx context.Context, all []headReport) error {
	r := scratchMemory.Get().(*scratch)
	defer scratchMemory.Put(r)
	r.claims, r.at = r.claims[:0], r.at[:0]
	for i := range all {
		if all[i].defect == nil && !all[i].Judged() {
			r.claims = append(r.claims, claim{all[i].Recorded, &all[i].key, &all[i].Signature})
			r.at = append(r.at, i)
		}
	}
	if len(r.claims) == 0 {
		return nil
	}
	claims := claimsTogether(r.claims)
	known, err := g.signatures.areKnown(ctx, claims)
	if err != nil {
		return err
	}
	valid := []bool(nil)
	if !known {
		if valid, err = g.signatures.verifyClaims(r); err != nil {
			return err
		}
	}
	for i, at := range r.at {
		if known || valid[i] {
			all[at].Judgement = event.Judgement{Computed: all[at].Recorded, Signed: event.OverContent}
		}
	}
	if known || slices.Contains(valid, false) {
		return nil
	}
	return g.signatures.keepClaims(ctx, claims)
}

// togetherDomain begins the input of the digest of claims.
const togetherDomain = "svc-verify: heads and keys\n"

// claimsTogether returns the claims together. All three parts of one have a
// fixed length.
func claimsTogether(all []claim) Claims {
	h := sha256.New()
	h.Write([]byte(togetherDomain))
	for i := range all {
		h.Write(all[i].key.Public[:])
		h.Write(all[i].hash[:])
		h.Write(all[i].signature[:])
	}
	return Claims{chain.Hash(h.Sum(nil)), len(all)}
}

// pinning returns the pinning of the node's signature by the trust file.
func (r *headReport) pinning() facts.Pinning {
	switch {
	case r.defect == nil:
		return facts.KeyHolds
	case r.defect.code == finding.ReportKeyUnknown:
		return facts.KeyUnpinned
	case r.key.Node != r.Node:
		return facts.KeyOfOther
	}
	return facts.KeyFails
}

// target is the journal that a report anchors.
func (r *headReport) target(log facts.Log) facts.Log { return facts.JournalOf(log.TenantID, r.Node) }

// anchor returns the anchor of a journal in a sound report.
func (r *headReport) anchor(log facts.Log) Anchor {
	return Anchor{Sequence: r.Link.Sequence, Hash: r.Recorded, By: facts.NodeReport, At: r.at.OccurredAt,
		Name: fmt.Sprintf("event %d of %s", r.at.Sequence, log.LogID), Event: r.at.Sequence,
		Previous: r.Link.Previous, Skip: r.Link.Skip}
}
