package verify

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/exact"
)

// The window of not_before around issued_at (SPEC 8.16).
const (
	maxBackdated  = time.Hour
	maxPostdated  = 5 * time.Minute
	minIssuerBits = 2048
)

// certificateIdentified is SPEC 8.16.
func (r *run) certificateIdentified(n *notes, b *bundle.Bundle) struct{} {
	receipt, at := b.Receipt.Unverified(), b.Receipt.Pointer+"/statement"
	leaf := digestOf(b.Leaf.Raw)
	n.expect(receipt.Certificate == leaf, CertificateDiffers, at+"/certificate_sha256", leaf.String(), receipt.Certificate.String())
	n.expect(receipt.Serial == serial(b), SerialDiffers, at+"/certificate_serial", serial(b), receipt.Serial)
	n.expect(b.Manifest.Serial == serial(b), SerialDiffers, "/manifest/certificate/serial", serial(b), b.Manifest.Serial)
	r.validity(n, b)
	terms := b.Manifest.Terms
	spki := digestOf(b.Leaf.RawSubjectPublicKeyInfo)
	n.expect(terms.PublicKeySHA256 == spki, SubjectKeyDiffers, "/manifest/terms/public_key_sha256", spki.String(), terms.PublicKeySHA256.String())
	n.expect(terms.Algorithm == algorithm(b.Leaf.PublicKey), AlgorithmDiffers, "/manifest/terms/algorithm", algorithm(b.Leaf.PublicKey), terms.Algorithm)
	return struct{}{}
}

// validity compares the leaf's validity with the receipt and the terms.
func (r *run) validity(n *notes, b *bundle.Bundle) {
	receipt, at := b.Receipt.Unverified(), b.Receipt.Pointer+"/statement"
	n.expect(b.Leaf.NotBefore.Equal(receipt.NotBefore), ValidityDiffers, at+"/not_before", exact.FormatTime(b.Leaf.NotBefore), exact.FormatTime(receipt.NotBefore))
	n.expect(b.Leaf.NotAfter.Equal(receipt.NotAfter), ValidityDiffers, at+"/not_after", exact.FormatTime(b.Leaf.NotAfter), exact.FormatTime(receipt.NotAfter))
	got := receipt.NotAfter.Unix() - receipt.NotBefore.Unix()
	want := b.Manifest.Terms.LifetimeSeconds
	n.expect(got == want, LifetimeDiffers, at+"/not_after", number(want)+" s after not_before", number(got)+" s after it")
	earliest, latest := receipt.IssuedAt.Add(-maxBackdated), receipt.IssuedAt.Add(maxPostdated)
	n.expect(!receipt.NotBefore.Before(earliest) && !receipt.NotBefore.After(latest), NotBeforeOutOfWindow, at+"/not_before",
		exact.FormatTime(earliest)+" to "+exact.FormatTime(latest), exact.FormatTime(receipt.NotBefore))
}

// serial returns the leaf's serial as the formats write it. A serial that is
// not positive has no such form and equals none.
func serial(b *bundle.Bundle) string { return b.Leaf.SerialNumber.Text(16) }

// algorithm names the kind of a subject key (SPEC 7.2), "" if it has no name.
func algorithm(key any) string {
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		switch k.Curve {
		case elliptic.P256():
			return "ecdsa-p256"
		case elliptic.P384():
			return "ecdsa-p384"
		}
	case *rsa.PublicKey:
		if k.E != 65537 {
			return ""
		}
		switch k.N.BitLen() {
		case 2048, 3072, 4096:
			return "rsa-" + number(k.N.BitLen())
		}
	case ed25519.PublicKey:
		return "ed25519"
	}
	return ""
}

// certificateIssued is SPEC 8.18.
func (r *run) certificateIssued(n *notes, b *bundle.Bundle) struct{} {
	const at = "/certificates/1"
	issuer, leaf := b.Issuer, b.Leaf
	n.expect(string(issuer.RawSubject) == string(leaf.RawIssuer), IssuerNameDiffers, at, "the subject "+leaf.Issuer.String(), issuer.Subject.String())
	n.expect(issuer.BasicConstraintsValid && issuer.IsCA, IssuerNotCA, at, "basic constraints with cA true", "a certificate without it")
	_, limited := extension(issuer, oidKeyUsage)
	n.expect(!limited || issuer.KeyUsage&x509.KeyUsageCertSign != 0, IssuerNotCA, at, "a key usage with keyCertSign, or none", "a key usage without it")
	n.expect(strongIssuer(issuer.PublicKey), IssuerKeyWeak, at, "an issuer key of SPEC 8.18", issuer.PublicKeyAlgorithm.String())
	if n.expect(slices.Contains(signatureAlgorithms, leaf.SignatureAlgorithm), IssuerSignature, "/certificates/0",
		"a signature algorithm of SPEC 8.18", leaf.SignatureAlgorithm.String()) {
		err := issuer.CheckSignature(leaf.SignatureAlgorithm, leaf.RawTBSCertificate, leaf.Signature)
		n.expect(err == nil, IssuerSignature, "/certificates/0", "a signature by the issuer's key", "one that does not verify")
	}
	return struct{}{}
}

// signatureAlgorithms are those that may sign a leaf.
var signatureAlgorithms = []x509.SignatureAlgorithm{
	x509.ECDSAWithSHA256, x509.ECDSAWithSHA384, x509.ECDSAWithSHA512,
	x509.SHA256WithRSA, x509.SHA384WithRSA, x509.SHA512WithRSA,
	x509.PureEd25519,
}

// strongIssuer decides by itself which issuer keys count, so that no setting of
// the Go runtime widens it.
func strongIssuer(key any) bool {
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		return k.Curve == elliptic.P256() || k.Curve == elliptic.P384() || k.Curve == elliptic.P521()
	case *rsa.PublicKey:
		return k.N.BitLen() >= minIssuerBits
	case ed25519.PublicKey:
		return true
	}
	return false
}
