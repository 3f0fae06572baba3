package verify_test

import (
	"crypto/ed25519"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// stretched returns the issued scene's bundle as if the log had grown to n events after the
// issuance, and its trust file. The log's real events are kept; of the later events only those
// on the path get content, and the hashes next to the path are arbitrary: a proof shows no
// more of them either.
func stretched(t testing.TB, n uint64) (doc, trustFile []byte) {
	t.Helper()
	scene := must.Get(harness.Build("issued", 1, harness.Options{}))(t)
	b := seal.CloneObject(scene.Exports[0].Bundle)
	links := seal.List(seal.Member(b, "audit_path"), "links")
	event := seal.Member(links[len(links)-1].(seal.Object), "event")
	s := stretch{log: scene.TenantLog(), hashes: map[uint64]seal.Hash{}}
	b["audit_path"] = seal.Object{"links": s.path(n, event)}

	audit := scene.Keys.Audit[seal.Text(seal.Member(b, "checkpoint"), "key_id")]
	checkpoint := seal.CloneObject(seal.Member(seal.Member(b, "checkpoint"), "statement"))
	checkpoint["sequence"], checkpoint["head_hash"] = int64(n), s.hash(n).String()
	b["checkpoint"] = seal.Seal(checkpoint, audit)
	receipts := seal.List(b, "witness_receipts")
	for i := range receipts {
		w := seal.CloneObject(seal.Member(receipts[i].(seal.Object), "statement"))
		w["sequence"], w["head_hash"], w["checkpoint_sha256"] = int64(n), s.hash(n).String(), seal.Digest(checkpoint)
		receipts[i] = seal.Seal(w, scene.Keys.Node[seal.Text(w, "node_id")])
	}
	status := seal.CloneObject(seal.Member(seal.Member(b, "status"), "statement"))
	status["checkpoint_sha256"] = seal.Digest(checkpoint)
	b["status"] = seal.Seal(status, audit)
	return seal.Canonical(b), seal.Canonical(scene.Trust)
}

// stretch knows the hash of every sequence that a path to the head needs.
type stretch struct {
	log    *seal.Log
	hashes map[uint64]seal.Hash
}

// path makes the links from head n down to the event.
func (s stretch) path(n uint64, event seal.Object) []any {
	target := uint64(seal.Integer(seal.Member(event, "body"), "sequence"))
	way := append([]uint64{n}, seal.Way(n, target)[1:]...)
	links := make([]any, len(way))
	for i := len(way) - 1; i >= 0; i-- {
		l := s.link(way[i])
		s.hashes[way[i]] = l.Hash()
		links[i] = seal.Object{"sequence": int64(l.Sequence), "previous_hash": l.Previous.String(),
			"skip_hash": l.Skip.String(), "body_sha256": l.Body.String()}
	}
	links[len(links)-1] = seal.Object{"event": event}
	return links
}

func (s stretch) link(n uint64) seal.Link {
	if n <= s.log.Sequence() {
		return s.log.Link(n)
	}
	return seal.Link{Sequence: n, Previous: s.hash(n - 1), Skip: s.hash(seal.Skip(n)), Body: seal.Hash{1}}
}

// hash is the log's own where it has one, the computed one on the way, and
// otherwise arbitrary, but always the same.
func (s stretch) hash(n uint64) seal.Hash {
	if n <= s.log.Sequence() {
		return s.log.Hash(n)
	}
	if h, ok := s.hashes[n]; ok {
		return h
	}
	var h seal.Hash
	binary.BigEndian.PutUint64(h[:], n)
	return h
}

// sizes are the lengths of log for which a proof is measured.
var sizes = []uint64{1e3, 1e6, 1e9}

// TestProofStaysSmall: a proof's size does not depend on the log's to speak of.
func TestProofStaysSmall(t *testing.T) {
	for _, n := range sizes {
		doc, trustFile := stretched(t, n)
		root := must.Get(trust.Parse(trustFile))(t)
		if r := verify.Verify(bundle.Open(doc), root, verify.Policy{}); r.Verdict != verify.Verified {
			t.Fatalf("log of %d: %s, %v", n, r.Verdict, r.Findings())
		}
		check.That(t, len(doc) <= 64<<10, "a proof in a log of %d events has %d bytes", n, len(doc))
		t.Logf("a proof in a log of %d events has %d bytes", n, len(doc))
	}
}

// BenchmarkVerify measures the whole verification of a proof against the bare
// signature checks that it contains, turn by turn in one loop: x-bare is the
// ratio of the two.
func BenchmarkVerify(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("log=%.0e", float64(n)), func(b *testing.B) {
			doc, trustFile := stretched(b, n)
			root := must.Get(trust.Parse(trustFile))(b)
			bare := bareChecks(b, doc)
			var whole, checks time.Duration
			b.ReportAllocs()
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				start := time.Now()
				r := verify.Verify(bundle.Open(doc), root, verify.Policy{})
				must.That(b, r.Verdict == verify.Verified, "%v", r.Verdict)
				middle := time.Now()
				bare()
				whole += middle.Sub(start)
				checks += time.Since(middle)
			}
			b.ReportMetric(float64(whole.Nanoseconds())/float64(b.N), "ns/verify")
			b.ReportMetric(float64(whole)/float64(checks), "x-bare")
			b.ReportMetric(float64(len(doc)), "bytes/proof")
		})
	}
}

// bareChecks returns a function that makes exactly the signature checks of a
// bundle: Ed25519 for each envelope and event, and the certificate's own.
func bareChecks(b *testing.B, doc []byte) func() {
	in := bundle.Open(doc)
	signed := in.Bundle
	public, private, _ := ed25519.GenerateKey(nil)
	count := 5 + len(signed.Approvals) + len(signed.Capability) + len(signed.Witnesses)
	for _, l := range signed.Path {
		if l.Event != nil {
			count++
		}
	}
	message := trust.PAE("svc.approval.v1", signed.Receipt.Payload)
	signature := ed25519.Sign(private, message)
	b.ReportMetric(float64(count+1), "signatures")
	return func() {
		for range count {
			must.That(b, ed25519.Verify(public, message, signature), "a sound signature is refused")
		}
		must.That(b, signed.Leaf.SignedBy(signed.Issuer), "the leaf's signature is refused")
	}
}
