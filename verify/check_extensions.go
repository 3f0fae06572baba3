package verify

import (
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/bundle/certificate"
)

// The extensions that a leaf may have (SPEC 8.17.7): those that the check reads,
// which may be critical, and those that give no power.
var (
	readExtensions = []certificate.OID{
		certificate.OIDBasicConstraints, certificate.OIDKeyUsage, certificate.OIDExtKeyUsage, certificate.OIDSubjectAltName,
	}
	plainExtensions = []certificate.OID{
		certificate.OIDSubjectKeyID, certificate.OIDAuthorityKeyID, certificate.OIDAuthorityInfo,
		certificate.OIDCRLPoints, certificate.OIDCertificatePolicies, certificate.OIDTimestamps,
	}
)

// extensions is SPEC 8.17.7: every extension of the leaf is on the list. A
// relying party could read power from any other, critical or not.
func extensions(r *run, leaf *certificate.Certificate) {
	for _, e := range leaf.Extensions {
		plain := slices.Contains(plainExtensions, e.ID) && !e.Critical
		r.expect(plain || slices.Contains(readExtensions, e.ID), CertificateNotAsAgreed, atLeaf,
			"only the extensions of SPEC 8.17, and none of them critical that it does not read", shownExtension(e))
	}
}

func shownExtension(e certificate.Extension) string {
	if e.Critical {
		return "critical " + e.ID.Label()
	}
	return e.ID.Label()
}

// usesOfKeys lists the possible uses of a key of each family, usesOfUsages the needs of each
// extended key usage: the first table of SPEC 8.17.
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

// keyUses is SPEC 8.17.3: the leaf's key may be used as the terms need, and for nothing else.
// Without the extension nothing is said about its use.
func keyUses(r *run, leaf *certificate.Certificate, terms bundle.Terms) {
	const ca = certificate.CertSign | certificate.CRLSign
	r.expect(leaf.KeyUsage&ca == 0, CertificateIsCA, atLeaf,
		"a key usage without keyCertSign and cRLSign", leaf.KeyUsage.String())
	var needed certificate.KeyUsage
	for _, usage := range terms.ExtendedKeyUsages {
		needed |= usesOfUsages[usage]
	}
	family, _, _ := strings.Cut(terms.Algorithm, "-")
	needed &= usesOfKeys[family]
	r.expect(leaf.KeyUsage&^(needed|ca) == 0, CertificateNotAsAgreed, atLeaf,
		"no key usage, or no more than "+needed.String(), leaf.KeyUsage.String())
}
