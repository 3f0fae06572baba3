package affected

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/verify"
)

// certificate returns the certificate of a manifest, which it adds if there is none. The digest is ""
// if it is unknown.
func (t *reached) certificate(s Subject, manifest string) *Certificate {
	if c := t.certificates[manifest]; c != nil {
		return c
	}
	c := &Certificate{Subject: s, manifest: manifest, WithoutQuorum: Unknown, OtherApprovals: int64(len(t.nodes)),
		Names: []string{}, Status: status.Unknown}
	t.certificates[manifest] = c
	return c
}

// isDoubtful reports whether a node is one of those that do not count.
func (x *finder) isDoubtful(tenant, node string) bool {
	return x.doubts[facts.JournalOf(tenant, node)] != nil
}

// countApprovals finds the other nodes that approved each transaction by the word of its tenant log.
func (x *finder) countApprovals(ctx context.Context) error {
	for tenant := range x.ofNodes {
		log := facts.TenantLog(tenant)
		wants := func(id string) bool { return x.found[Subject{tenant, id}] != nil }
		for e, err := range crosscheck.ReadRecords(ctx, x.c, x.root, log, []string{event.ApprovalRecorded}, wants) {
			if err != nil {
				return err
			}
			if e.Signed && !x.isDoubtful(tenant, e.Node) {
				x.found[Subject{tenant, e.TransactionID}].nodes[e.Node] = true
			}
		}
	}
	return nil
}

// readProofs adds the facts that genuine proofs show: the quorums, the certificate and its
// status. Of several proofs of one certificate, a revoked one counts, and else the newest.
func (x *finder) readProofs(ctx context.Context) error {
	proofs := map[string]*crosscheck.Bundle{}
	for i := range x.examined.Proofs {
		proofs[x.examined.Proofs[i].SHA256] = &x.examined.Proofs[i]
	}
	for p, err := range status.Proofs(ctx, x.c, x.examined) {
		if err != nil {
			return err
		}
		said := proofs[p.Digest()]
		if said == nil {
			continue
		}
		s := Subject{said.TenantID, said.TransactionID}
		t := x.found[s]
		if t == nil {
			continue
		}
		c := t.certificate(s, p.Bundle.Manifest.Digest.String())
		revoked := said.Status == bundle.Revoked
		if c.Serial != "" && (revoked == (c.Status == status.Revoked) && said.Checkpoint <= c.checkpoint ||
			!revoked && c.Status == status.Revoked) {
			continue
		}
		x.countQuorums(c, p.Bundle)
		about := said.About
		c.Serial, c.Status, c.AsOf = about.CertificateSerial, status.Status(about.Status), about.AsOf
		c.Names, c.NotBefore, c.NotAfter = about.CertificateNames, about.NotBefore, about.NotAfter
		c.checkpoint = said.Checkpoint
	}
	return nil
}

// countQuorums compares the approvals and the witnesses of a proof with how many it requires.
func (x *finder) countQuorums(c *Certificate, b *bundle.Bundle) {
	c.OtherApprovals, c.OtherWitnesses = 0, 0
	for _, a := range b.Manifest.Approvals {
		if !x.isDoubtful(c.TenantID, a.NodeID) {
			c.OtherApprovals++
		}
	}
	for _, w := range b.Witnesses {
		if !x.isDoubtful(c.TenantID, w.Unverified().NodeID) {
			c.OtherWitnesses++
		}
	}
	c.RequiredApprovals = b.Manifest.Terms.RequiredApprovals
	c.RequiredWitnesses = max(int64(x.root.MinimumWitnesses()), b.Checkpoint.Unverified().RequiredWitnesses)
	c.WithoutQuorum = Has
	if c.OtherApprovals < c.RequiredApprovals || c.OtherWitnesses < c.RequiredWitnesses {
		c.WithoutQuorum = Lacks
	}
}

// readStatus adds the statuses in the tenant logs.
func (x *finder) readStatus(ctx context.Context) error {
	q := status.Question{Of: map[string][]string{}}
	for s := range x.found {
		q.Of[s.TenantID] = append(q.Of[s.TenantID], s.TransactionID)
	}
	for tenant := range q.Of {
		slices.Sort(q.Of[tenant])
	}
	search, err := status.New(ctx, x.c, x.root, x.examined, q)
	if err != nil {
		return err
	}
	asOf := map[string]string{}
	for _, l := range search.Logs {
		asOf[l.TenantID] = cmp.Or(l.CompleteByOthers.At, l.CompleteByOwn.At)
	}
	_, err = search.Rows(ctx, func(r status.Row) error {
		x.addStatus(r, asOf[r.TenantID])
		return nil
	})
	return err
}

// addStatus adds the status of one transaction in its tenant log, if that is definite and the log not
// itself doubtful. A complete log without any approval by a node that counts shows that there is no
// quorum: terms require at least one (SPEC 1.4).
func (x *finder) addStatus(r status.Row, asOf string) {
	s := Subject{r.TenantID, r.TransactionID}
	t := x.found[s]
	of := slices.Collect(maps.Values(t.certificates))
	if r.ManifestSHA256 != "" || len(of) == 0 {
		of = []*Certificate{t.certificate(s, r.ManifestSHA256)}
	}
	if x.doubts[facts.TenantLog(r.TenantID)] != nil || r.Verdict != verify.Verified && r.Status != status.NotIssued {
		return
	}
	for _, c := range of {
		c.Status, c.AsOf = r.Status, cmp.Or(asOf, c.AsOf)
		if c.Serial == "" && r.Status != status.NotIssued && c.OtherApprovals == 0 && x.ofNodes[s.TenantID] {
			c.WithoutQuorum = Lacks
		}
	}
}

// orderAnswer orders and counts the certificates.
func (x *finder) orderAnswer() {
	a := x.answer
	lacks, unknown := map[Subject]bool{}, map[Subject]bool{}
	for s, t := range x.found {
		for _, c := range t.certificates {
			a.Certificates = append(a.Certificates, *c)
			if c.WithoutQuorum == Lacks {
				lacks[s] = true
			}
			if !c.Known() {
				unknown[s] = true
			}
		}
	}
	slices.SortFunc(a.Certificates, func(b, c Certificate) int {
		return cmp.Or(b.urgency()-c.urgency(), compareSubjects(b.Subject, c.Subject), strings.Compare(b.Serial, c.Serial),
			strings.Compare(b.manifest, c.manifest))
	})
	a.Export = slices.AppendSeq(a.Export, maps.Keys(unknown))
	slices.SortFunc(a.Export, compareSubjects)
	a.Counts = Counts{Transactions: len(x.found), WithoutQuorum: len(lacks), Unknown: len(unknown)}
}

func compareSubjects(a, b Subject) int {
	return cmp.Or(strings.Compare(a.TenantID, b.TenantID), strings.Compare(a.TransactionID, b.TransactionID))
}
