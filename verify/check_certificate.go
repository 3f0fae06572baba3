package verify

import (
	"bytes"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/bundle/certificate"
	"github.com/svc-edge/svc-verify/internal/form"
)

// The window of not_before around issued_at (SPEC 8.16.5).
const (
	maxBackdated = time.Hour
	maxPostdated = 5 * time.Minute
)

// leafIdentified is SPEC 8.16.
func leafIdentified(r *run, b *bundle.Bundle) {
	receipt, at := b.Receipt.Unverified(), b.Receipt.Pointer+"/statement"
	// 8.16.1
	equal(r, CertificateDiffers, at+"/certificate_sha256", digestOf(b.Leaf.Raw), receipt.Certificate)
	// 8.16.2
	equal(r, CertificateDiffers, at+"/certificate_serial", serial(b), receipt.Serial)
	equal(r, CertificateDiffers, "/manifest/certificate/serial", serial(b), b.Manifest.Serial)
	validity(r, b)
	// 8.16.6
	terms := b.Manifest.Terms
	equal(r, CertificateDiffers, "/manifest/terms/public_key_sha256", digestOf(b.Leaf.KeyInfo), terms.PublicKeySHA256)
	equal(r, CertificateDiffers, "/manifest/terms/algorithm", algorithm(b.Leaf), terms.Algorithm)
}

// validity is SPEC 8.16.3 to 8.16.5.
func validity(r *run, b *bundle.Bundle) {
	receipt, at := b.Receipt.Unverified(), b.Receipt.Pointer+"/statement"
	// 8.16.3
	same := func(member string, want, got time.Time) {
		r.expect(want.Equal(got), CertificateDiffers, at+member, form.FormatTime(want), form.FormatTime(got))
	}
	same("/not_before", b.Leaf.NotBefore, receipt.NotBefore)
	same("/not_after", b.Leaf.NotAfter, receipt.NotAfter)
	// 8.16.4
	want, got := b.Manifest.Terms.LifetimeSeconds, receipt.NotAfter.Unix()-receipt.NotBefore.Unix()
	r.expect(got == want, CertificateDiffers, at+"/not_after",
		number(want)+" s after not_before", number(got)+" s after it")
	// 8.16.5
	earliest, latest := receipt.IssuedAt.Add(-maxBackdated), receipt.IssuedAt.Add(maxPostdated)
	window, found := form.FormatTime(earliest)+" to "+form.FormatTime(latest), form.FormatTime(receipt.NotBefore)
	r.expect(!receipt.NotBefore.Before(earliest), CertificateDiffers, at+"/not_before", window, found)
	r.expect(!receipt.NotBefore.After(latest), CertificateDiffers, at+"/not_before", window, found)
}

// serial returns the leaf's serial as the formats write it (SPEC 1.5). A serial
// that is not positive has no such form and equals none.
func serial(b *bundle.Bundle) string { return b.Leaf.Serial.Text(16) }

// algorithm names the kind of the leaf's key (SPEC 7.2). No terms have the name
// that it returns for other kinds.
func algorithm(leaf *certificate.Certificate) string {
	if name := leaf.Algorithm(); name != "" {
		return name
	}
	return "a key of another kind"
}

// leafIssued is SPEC 8.18.
func leafIssued(r *run, b *bundle.Bundle) {
	const at = "/certificates/1"
	issuer, leaf := b.Issuer, b.Leaf
	// 8.18.1
	r.expect(bytes.Equal(issuer.Subject, leaf.Issuer), LinkDiffers, at,
		"the subject "+certificate.NameText(leaf.Issuer), certificate.NameText(issuer.Subject))
	// 8.18.2
	r.expect(issuer.IsCA, IssuerNotAccepted, at, "basic constraints with cA true", "a certificate without it")
	r.expect(issuer.KeyUsage == 0 || issuer.KeyUsage&certificate.CertSign != 0, IssuerNotAccepted, at,
		"a key usage with keyCertSign, or none", "a key usage without it")
	// 8.18.3
	r.expect(issuer.Strong(), IssuerNotAccepted, at, "an issuer key of SPEC 8.18", "another")
	// 8.18.4
	r.expect(leaf.SignedBy(issuer), IssuerSignature, "/certificates/0",
		"a signature by the issuer's key", "one that does not verify")
}
