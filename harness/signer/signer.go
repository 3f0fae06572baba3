// Package signer is the protected signer. It issues certificates, and signs receipts for
// issuances and revocations.
//
// It trusts no one's word: before it signs, it opens every approval and both decisions with
// the keys it was given, and refuses requests that the terms, the registry in force or the
// clock do not allow, SPEC 7 and 8.
package signer

import (
	"crypto/x509"
	"fmt"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Signer is a protected signer.
type Signer struct {
	roster      *consent.Roster
	clock       chance.Clock
	serials     *chance.Stream
	key         seal.Key
	issuers     map[string]*pki.Issuer  // by the algorithm of the leaf's key
	authorities []*pki.Issuer           // every issuer that it ever had
	registry    seal.Object             // the generation in force
	issued      map[string]*Certificate // by transaction
}

// Issued is the signer's result for one issuance.
type Issued struct {
	Leaf, Issuer []byte // DER
	Receipt      seal.Object
	Registry     seal.Object
}

// Certificate is the state of a certificate that the signer must keep.
type Certificate struct {
	TransactionID string    `json:"transaction_id"`
	SHA256        string    `json:"sha256"`
	Serial        string    `json:"serial"` // as in SPEC 1.5
	IssuerKey     string    `json:"issuer"` // the digest of the issuer's SubjectPublicKeyInfo
	NotAfter      time.Time `json:"not_after"`
	RevokedAt     time.Time `json:"revoked_at,omitzero"` // zero while it is in force
	Reason        string    `json:"reason,omitempty"`    // of its revocation
}

// New returns a signer without a key and without a registry: it refuses to
// issue before [Signer.Rotate] and [Signer.Publish].
func New(roster *consent.Roster, clock chance.Clock, serials *chance.Stream) *Signer {
	return &Signer{
		roster: roster, clock: clock, serials: serials,
		issued: map[string]*Certificate{},
	}
}

// Rotate gives the signer a receipt key, and an issuer for each algorithm of a
// leaf's key. Issuers that it had before only count for revocations from now.
func (s *Signer) Rotate(key seal.Key, issuers map[string]*pki.Issuer) {
	s.key, s.issuers = key, issuers
	for _, issuer := range issuers {
		if s.authorityOf(issuer.KeyDigest()) == nil {
			s.authorities = append(s.authorities, issuer)
		}
	}
}

// Publish puts the next registry generation in force, in which the signer may
// issue for keys of these algorithms, and returns it.
func (s *Signer) Publish(algorithms []string) seal.Object {
	s.registry = s.nextRegistry(algorithms, s.clock.Next())
	return s.registry
}

// Issue issues the certificate of a case for a PKCS #10 request in DER.
func (s *Signer) Issue(c consent.Case, request []byte) (*Issued, error) {
	if s.issued[c.TransactionID] != nil {
		return nil, fmt.Errorf("transaction %s has its certificate already", c.TransactionID)
	}
	now := s.clock.Next()
	csr, err := s.admitCase(c, request, now)
	if err != nil {
		return nil, err
	}
	issuer, err := s.issuerFor(c.Terms)
	if err != nil {
		return nil, err
	}
	template, err := pki.Leaf(c.Terms, pki.Serial(s.serials), now)
	if err != nil {
		return nil, err
	}
	leaf, err := issuer.Sign(template, csr.PublicKey)
	if err != nil {
		return nil, err
	}
	issued := &Issued{
		Leaf: leaf, Issuer: issuer.Certificate.Raw, Registry: s.registry,
		Receipt: seal.Seal(s.signReceipt(c, template, leaf, now), s.key),
	}
	s.issued[c.TransactionID] = &Certificate{
		TransactionID: c.TransactionID, SHA256: seal.SHA256(leaf), Serial: template.SerialNumber.Text(16),
		IssuerKey: issuer.KeyDigest(), NotAfter: template.NotAfter,
	}
	return issued, nil
}

// admitCase checks everything about the case that does not depend on the signer.
func (s *Signer) admitCase(c consent.Case, request []byte, now time.Time) (*x509.CertificateRequest, error) {
	csr, err := pki.ReadRequest(request)
	if err != nil {
		return nil, err
	}
	if err := pki.CheckTerms(csr, c.Terms); err != nil {
		return nil, err
	}
	if err := s.roster.CheckApprovals(c); err != nil {
		return nil, err
	}
	if err := s.roster.CheckDecisions(c); err != nil {
		return nil, err
	}
	return csr, s.roster.CheckTimes(c, now)
}

// issuerFor picks the issuer for the terms, if the registry lets the signer
// use it for them.
func (s *Signer) issuerFor(terms seal.Object) (*pki.Issuer, error) {
	algorithm := seal.Text(terms, "algorithm")
	issuer := s.issuers[algorithm]
	if issuer == nil {
		return nil, fmt.Errorf("no issuer for keys of algorithm %q", algorithm)
	}
	entry, err := s.checkStanding(issuer.KeyDigest())
	if err != nil {
		return nil, err
	}
	if !slices.Contains(seal.Texts(entry, "algorithms"), algorithm) {
		return nil, fmt.Errorf("registry: %s may not issue for keys of algorithm %q", s.key.ID, algorithm)
	}
	return issuer, nil
}

func (s *Signer) signReceipt(c consent.Case, template *x509.Certificate, leaf []byte, now time.Time) seal.Object {
	return seal.Object{
		"protocol":                 "svc.signer-receipt.v1",
		"tenant_id":                s.roster.TenantID,
		"transaction_id":           c.TransactionID,
		"terms":                    c.Terms,
		"customer_decision_sha256": seal.StatementDigest(c.Customer),
		"service_decision_sha256":  seal.StatementDigest(c.Service),
		"registry_generation":      seal.Integer(s.registry, "generation"),
		"certificate_sha256":       seal.SHA256(leaf),
		"certificate_serial":       template.SerialNumber.Text(16),
		"not_before":               seal.Time(template.NotBefore),
		"not_after":                seal.Time(template.NotAfter),
		"issued_at":                seal.Time(now),
	}
}
