package signer

import (
	"crypto/rand"
	"crypto/x509"
	"fmt"

	"golang.org/x/crypto/ocsp"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Certificate returns the signer's record of the certificate of a transaction, and whether
// there is one.
func (s *Signer) Certificate(transactionID string) (Certificate, bool) {
	if issued := s.issued[transactionID]; issued != nil {
		return *issued, true
	}
	return Certificate{}, false
}

// Resume brings a signer that was given its keys to where another one left
// off: the registry in force, nil if there was none, and every certificate.
func (s *Signer) Resume(registry seal.Object, certificates []Certificate) {
	s.registry = registry
	for _, certificate := range certificates {
		s.issued[certificate.TransactionID] = &certificate
	}
}

// Issuers are the certificates of every issuer that the signer ever had.
func (s *Signer) Issuers() []*x509.Certificate {
	list := make([]*x509.Certificate, len(s.authorities))
	for i, issuer := range s.authorities {
		list[i] = issuer.Certificate
	}
	return list
}

// SignCRL signs a revocation list by the issuer with this key, which may be a
// retired one, and returns it in DER.
func (s *Signer) SignCRL(issuerKey string, template *x509.RevocationList) ([]byte, error) {
	issuer := s.authorityOf(issuerKey)
	if issuer == nil {
		return nil, fmt.Errorf("no issuer with the key %s", issuerKey)
	}
	return x509.CreateRevocationList(rand.Reader, template, issuer.Certificate, issuer.Key)
}

// SignOCSP signs an answer about a certificate by the issuer with this key,
// which may be a retired one, and returns it in DER.
func (s *Signer) SignOCSP(issuerKey string, template ocsp.Response) ([]byte, error) {
	issuer := s.authorityOf(issuerKey)
	if issuer == nil {
		return nil, fmt.Errorf("no issuer with the key %s", issuerKey)
	}
	return ocsp.CreateResponse(issuer.Certificate, issuer.Certificate, template, issuer.Key)
}

// authorityOf is the issuer with this key, or nil.
func (s *Signer) authorityOf(issuerKey string) *pki.Issuer {
	for _, issuer := range s.authorities {
		if issuer.KeyDigest() == issuerKey {
			return issuer
		}
	}
	return nil
}
