package status

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/verify"
)

// ParseSerial reads the serial of a certificate as programs print it: hex digits of
// either case, which may have leading zeros and colons between bytes.
func ParseSerial(text string) (serial string, ok bool) {
	serial = strings.TrimLeft(strings.ToLower(strings.ReplaceAll(text, ":", "")), "0")
	return serial, form.Serial(serial)
}

// subject is a transaction of a tenant.
type subject struct{ tenantID, transactionID string }

func (s subject) key() key { return keyOf(s.tenantID, s.transactionID) }

// certificate contains the facts in one verified bundle.
type certificate struct {
	of       key // the subject
	manifest key
	serial   string
	sha256   chain.Hash
	bundle   chain.Hash
	revoked  uint64 // the revocation that it discloses; 0: none
}

func (c certificate) compareKey(k key) int { return bytes.Compare(c.of[:], k[:]) }

// certificates are sorted by subject and digest of the bundle.
type certificates []certificate

// ofSubject returns the certificates of a subject.
func (all certificates) ofSubject(s subject) certificates {
	return equalTo(all, s.key(), certificate.compareKey)
}

// Proof is a bundle of a case. Bundle is not nil if an examination verified it.
type Proof struct {
	*bundle.Input
	Verified bool
}

// Digest is the SHA-256 of the document, as examinations name it.
func (p Proof) Digest() string { return chain.Hash(p.SHA256).String() }

// Proofs yields the bundles of a case, ascending by digest, with the verdict of an examination.
func Proofs(ctx context.Context, c *store.Case, r *verdict.Result) iter.Seq2[Proof, error] {
	verified := map[string]bool{}
	if r.Comparison != nil {
		for _, b := range r.Comparison.Bundles {
			verified[b.SHA256] = b.Verdict == verify.Verified
		}
	}
	return func(yield func(Proof, error) bool) {
		for d, err := range c.Documents(ctx) {
			if err != nil {
				yield(Proof{}, err)
				return
			}
			if d.Kind != facts.KindBundle {
				continue
			}
			p := Proof{Input: bundle.Open(d.Bytes)}
			if p.Verified = p.Bundle != nil && verified[p.Digest()]; !yield(p, nil) {
				return
			}
		}
	}
}

// readBundles reads the bundles of a case that the examination verified. It returns their
// requested certificates, and the subjects that have the serial of the question.
func readBundles(ctx context.Context, c *store.Case, r *verdict.Result, q Question) (certificates, []subject,
	error) {
	var all certificates
	named := map[subject]bool{}
	for in, err := range Proofs(ctx, c, r) {
		if err != nil {
			return nil, nil, err
		}
		if !in.Verified {
			continue
		}
		m := &in.Bundle.Manifest
		s := subject{m.TenantID, m.TransactionID}
		if q.TenantID != "" && q.TenantID != s.tenantID {
			continue
		}
		if q.Serial != "" && q.Serial == m.Serial {
			named[s] = true
		}
		if q.TransactionID == "" || q.TransactionID == s.transactionID {
			all = append(all, certificateOf(s, in.Input))
		}
	}
	slices.SortFunc(all, func(a, b certificate) int {
		return cmp.Or(bytes.Compare(a.of[:], b.of[:]), bytes.Compare(a.bundle[:], b.bundle[:]))
	})
	subjects := slices.SortedFunc(maps.Keys(named), func(a, b subject) int {
		return cmp.Or(strings.Compare(a.tenantID, b.tenantID), strings.Compare(a.transactionID, b.transactionID))
	})
	return all, subjects, nil
}

func certificateOf(s subject, in *bundle.Input) certificate {
	b := in.Bundle
	c := certificate{of: s.key(), manifest: keyOfManifest(b.Manifest.Digest),
		serial: strings.Clone(b.Manifest.Serial), sha256: b.Manifest.Certificate,
		bundle: chain.Hash(in.SHA256)}
	for _, l := range b.Path { // has a revocation if and only if the status is revoked (SPEC 8.20)
		if l.Event != nil && l.Event.Unverified().Type == event.CertificateRevoked {
			c.revoked = l.Link.Sequence
		}
	}
	return c
}
