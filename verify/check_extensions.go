package verify

import (
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/bundle/certificate"
)

// The extensions that a leaf may have (SPEC 8.17): those that the check reads,
// which may be critical, and those that nobody takes for power.
var (
	readExtensions = []certificate.OID{
		certificate.OIDBasicConstraints, certificate.OIDKeyUsage, certificate.OIDExtKeyUsage, certificate.OIDSubjectAltName,
	}
	plainExtensions = []certificate.OID{
		certificate.OIDSubjectKeyID, certificate.OIDAuthorityKeyID, certificate.OIDAuthorityInfo,
		certificate.OIDCRLPoints, certificate.OIDCertificatePolicies, certificate.OIDTimestamps,
	}
)

// extensions expects that every extension of the leaf is on the list. What is
// not could be read as power by somebody, critical or not.
func extensions(n *notes, leaf *certificate.Certificate) {
	for _, e := range leaf.Extensions {
		plain := slices.Contains(plainExtensions, e.ID) && !e.Critical
		n.expect(plain || slices.Contains(readExtensions, e.ID), CertificateExtension, "/certificates/0",
			"only the extensions of SPEC 8.17, and none of them critical that it does not read", shownExtension(e))
	}
}

func shownExtension(e certificate.Extension) string {
	if e.Critical {
		return "critical " + e.ID.Label()
	}
	return e.ID.Label()
}

// usesOfKeys are what a key of each family can be used for, and usesOfUsages
// what each extended key usage calls for (SPEC 8.17).
var (
	usesOfKeys = map[string]certificate.KeyUsage{
		"ecdsa":   certificate.DigitalSignature | certificate.NonRepudiation | certificate.KeyAgreement,
		"ed25519": certificate.DigitalSignature | certificate.NonRepudiation,
		"rsa":     certificate.DigitalSignature | certificate.NonRepudiation | certificate.KeyEncipherment,
	}
	usesOfUsages = map[string]certificate.KeyUsage{
		"clientAuth":  certificate.DigitalSignature | certificate.KeyAgreement,
		"codeSigning": certificate.DigitalSignature,
		"emailProtection": certificate.DigitalSignature | certificate.NonRepudiation |
			certificate.KeyEncipherment | certificate.KeyAgreement,
		"serverAuth":   certificate.DigitalSignature | certificate.KeyEncipherment | certificate.KeyAgreement,
		"timeStamping": certificate.DigitalSignature | certificate.NonRepudiation,
	}
)

// keyUses expects that the leaf's key may be used for what the terms call for,
// and for nothing else. Without the extension its use is not bounded by it.
func keyUses(n *notes, leaf *certificate.Certificate, terms bundle.Terms) {
	const at = "/certificates/0"
	const ca = certificate.CertSign | certificate.CRLSign
	n.expect(leaf.KeyUsage&ca == 0, CertificateIsCA, at,
		"a key usage without keyCertSign and cRLSign", leaf.KeyUsage.String())
	family, _, _ := strings.Cut(terms.Algorithm, "-")
	var called certificate.KeyUsage
	for _, usage := range terms.ExtendedKeyUsages {
		called |= usesOfUsages[usage]
	}
	called &= usesOfKeys[family]
	n.expect(leaf.KeyUsage&^(called|ca) == 0, CertificateKeyUsage, at,
		"no key usage, or no more than "+called.String(), leaf.KeyUsage.String())
}
