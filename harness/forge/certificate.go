package forge

import (
	"bytes"
	"crypto/x509"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// The places of the two certificates in a bundle's list.
const (
	LeafIndex   = 0
	IssuerIndex = 1
)

// Certificate parses one of the bundle's certificates, which must be there and be one.
func (b *Bundle) Certificate(index int) *x509.Certificate {
	text := seal.Texts(b.Document, "certificates")[index]
	return seal.Must(x509.ParseCertificate(seal.Must(seal.Unbase64(text))))
}

// SetCertificate replaces one of the bundle's certificates by DER.
func (b *Bundle) SetCertificate(index int, der []byte) {
	list := seal.List(b.Document, "certificates")
	list[index] = seal.Base64(der)
}

// Issuer returns the issuer of the bundle's leaf, with its key, or nil if the scene has none.
func (b *Bundle) Issuer() *pki.Issuer {
	certificate := b.Certificate(IssuerIndex)
	for _, issuer := range b.Scene.Keys.Issuer {
		if issuer.Certificate.Equal(certificate) {
			return issuer
		}
	}
	return nil
}

// Leaf has an issuer sign another leaf: the one that the terms ask for, but for
// a change. A change of the template's PublicKey changes the key.
func (b *Bundle) Leaf(issuer *pki.Issuer, change func(*x509.Certificate)) ([]byte, error) {
	old := b.Certificate(LeafIndex)
	terms := seal.Member(seal.Member(b.Document, "manifest"), "terms")
	template, err := pki.Leaf(terms, old.SerialNumber, old.NotBefore)
	if err != nil {
		return nil, err
	}
	template.PublicKey = old.PublicKey
	change(template)
	return issuer.Sign(template, template.PublicKey)
}

// Adopt replaces the leaf, and its serial and validity wherever the bundle
// repeats them.
func (b *Bundle) Adopt(der []byte) {
	b.SetCertificate(LeafIndex, der)
	leaf := b.Certificate(LeafIndex)
	serial := leaf.SerialNumber.Text(16)
	seal.Member(seal.Member(b.Document, "manifest"), "certificate")["serial"] = serial
	receipt := seal.Member(seal.Member(b.Document, "signer_receipt"), "statement")
	receipt["certificate_serial"] = serial
	receipt["not_before"], receipt["not_after"] = seal.Time(leaf.NotBefore), seal.Time(leaf.NotAfter)
	if revocation := seal.Member(b.Document, "revocation_receipt"); revocation != nil {
		seal.Member(revocation, "statement")["certificate_serial"] = serial
	}
}

// ReissueIssuer makes another certificate for the issuer's own key.
func (b *Bundle) ReissueIssuer(change func(*x509.Certificate)) error {
	issuer := b.Issuer()
	template := templateLike(issuer.Certificate)
	change(template)
	der, err := x509.CreateCertificate(nil, template, template, issuer.Key.Public(), issuer.Key)
	if err == nil {
		b.SetCertificate(IssuerIndex, der)
	}
	return err
}

// Present replaces the issuer's certificate, and the leaf by one that it signed.
func (b *Bundle) Present(issuer *pki.Issuer) {
	b.SetCertificate(IssuerIndex, issuer.Certificate.Raw)
	b.Adopt(seal.Must(b.Leaf(issuer, func(*x509.Certificate) {})))
}

// StrangeIssuer is an issuer of the same name that no registry knows.
func (b *Bundle) StrangeIssuer() *pki.Issuer {
	old, stream := b.Certificate(IssuerIndex), chance.New(99).Stream("strange issuer")
	return pki.NewIssuer(old.Subject.CommonName, "ecdsa-p256", old.NotBefore.Add(24*time.Hour), stream)
}

// templateLike is the template of an issuer's certificate like another one.
func templateLike(old *x509.Certificate) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: old.SerialNumber, Subject: old.Subject, NotBefore: old.NotBefore, NotAfter: old.NotAfter,
		BasicConstraintsValid: true, IsCA: true, KeyUsage: old.KeyUsage,
	}
}

// Recast has the issuer sign the leaf again after a change of its DER that no
// library would make. No other part follows.
func (b *Bundle) Recast(change func(*Parts) error) error {
	parts, err := parseParts(b.Certificate(LeafIndex).Raw)
	if err != nil {
		return err
	}
	if err := change(parts); err != nil {
		return err
	}
	b.SetCertificate(LeafIndex, seal.Must(parts.Signed(b.Issuer().Key)))
	return nil
}

// Recompose changes the bytes of the leaf's signature, and appends others to
// the members of the certificate.
func (b *Bundle) Recompose(change func(signature []byte) ([]byte, error), behind []byte) error {
	leaf := b.Certificate(LeafIndex)
	members := seal.Must(splitChildren(leaf.Raw))
	signature, err := change(bytes.Clone(leaf.Signature))
	if err != nil {
		return err
	}
	b.SetCertificate(LeafIndex, encodeSequence(members[0], members[1], bitString(signature), behind))
	return nil
}
