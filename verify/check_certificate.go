package verify

import (
	"bytes"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/bundle/certificate"
	"github.com/svc-edge/svc-verify/internal/form"
)

// The window of not_before around issued_at (SPEC 8.16).
const (
	maxBackdated = time.Hour
	maxPostdated = 5 * time.Minute
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
	spki := digestOf(b.Leaf.KeyInfo)
	n.expect(terms.PublicKeySHA256 == spki, SubjectKeyDiffers, "/manifest/terms/public_key_sha256", spki.String(), terms.PublicKeySHA256.String())
	key := b.Leaf.Algorithm()
	n.expect(terms.Algorithm == key, AlgorithmDiffers, "/manifest/terms/algorithm", shownAlgorithm(key), terms.Algorithm)
	return struct{}{}
}

// validity compares the leaf's validity with the receipt and the terms.
func (r *run) validity(n *notes, b *bundle.Bundle) {
	receipt, at := b.Receipt.Unverified(), b.Receipt.Pointer+"/statement"
	n.expect(b.Leaf.NotBefore.Equal(receipt.NotBefore), ValidityDiffers, at+"/not_before", form.FormatTime(b.Leaf.NotBefore), form.FormatTime(receipt.NotBefore))
	n.expect(b.Leaf.NotAfter.Equal(receipt.NotAfter), ValidityDiffers, at+"/not_after", form.FormatTime(b.Leaf.NotAfter), form.FormatTime(receipt.NotAfter))
	got := receipt.NotAfter.Unix() - receipt.NotBefore.Unix()
	want := b.Manifest.Terms.LifetimeSeconds
	n.expect(got == want, LifetimeDiffers, at+"/not_after", number(want)+" s after not_before", number(got)+" s after it")
	earliest, latest := receipt.IssuedAt.Add(-maxBackdated), receipt.IssuedAt.Add(maxPostdated)
	window := form.FormatTime(earliest) + " to " + form.FormatTime(latest)
	n.expect(!receipt.NotBefore.Before(earliest), NotBeforeOutOfWindow, at+"/not_before", window, form.FormatTime(receipt.NotBefore))
	n.expect(!receipt.NotBefore.After(latest), NotBeforeOutOfWindow, at+"/not_before", window, form.FormatTime(receipt.NotBefore))
}

// serial returns the leaf's serial as the formats write it. A serial that is
// not positive has no such form and equals none.
func serial(b *bundle.Bundle) string { return b.Leaf.Serial.Text(16) }

// shownAlgorithm names the kind of a key for a finding.
func shownAlgorithm(name string) string {
	if name == "" {
		return "a key of another kind"
	}
	return name
}

// certificateIssued is SPEC 8.18.
func (r *run) certificateIssued(n *notes, b *bundle.Bundle) struct{} {
	const at = "/certificates/1"
	issuer, leaf := b.Issuer, b.Leaf
	n.expect(bytes.Equal(issuer.Subject, leaf.Issuer), IssuerNameDiffers, at, "the subject "+certificate.NameText(leaf.Issuer), certificate.NameText(issuer.Subject))
	n.expect(issuer.IsCA, IssuerNotCA, at, "basic constraints with cA true", "a certificate without it")
	n.expect(issuer.KeyUsage == 0 || issuer.KeyUsage&certificate.CertSign != 0, IssuerNotCA, at, "a key usage with keyCertSign, or none", "a key usage without it")
	n.expect(issuer.Strong(), IssuerKeyWeak, at, "an issuer key of SPEC 8.18", "another")
	n.expect(leaf.SignedBy(issuer), IssuerSignature, "/certificates/0", "a signature by the issuer's key", "one that does not verify")
	return struct{}{}
}
