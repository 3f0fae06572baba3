package verify

import (
	"encoding/asn1"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/bundle/certificate"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

var oidCommonName = asn1.ObjectIdentifier{2, 5, 4, 3}

// usageNames are the names of RFC 5280 for the extended key usages
// 1.3.6.1.5.5.7.3.n.
var usageNames = map[certificate.OID]string{
	"\x2b\x06\x01\x05\x05\x07\x03\x01": "serverAuth",
	"\x2b\x06\x01\x05\x05\x07\x03\x02": "clientAuth",
	"\x2b\x06\x01\x05\x05\x07\x03\x03": "codeSigning",
	"\x2b\x06\x01\x05\x05\x07\x03\x04": "emailProtection",
	"\x2b\x06\x01\x05\x05\x07\x03\x08": "timeStamping",
}

// leafConstrained is SPEC 8.17: the leaf allows exactly the uses in the terms.
func leafConstrained(r *run, b *bundle.Bundle) {
	leaf, terms := b.Leaf, b.Manifest.Terms
	// 8.17.1
	r.expect(leaf.Version == 3, CertificateNotAsAgreed, atLeaf, "version 3", number(leaf.Version))
	// 8.17.2
	r.expect(!leaf.IsCA, CertificateIsCA, atLeaf, "basic constraints absent, or cA false", "a CA certificate")
	keyUses(r, leaf, terms)
	// 8.17.4
	got := usagesOf(leaf)
	r.expect(slices.Equal(got, wordSet(terms.ExtendedKeyUsages)), CertificateNotAsAgreed, atLeaf,
		"the extended key usages "+strings.Join(terms.ExtendedKeyUsages, ", "), strings.Join(got, ", "))
	leafNames(r, leaf, terms)
	extensions(r, leaf)
}

// atLeaf is the place of the leaf certificate in the bundle.
const atLeaf = "/certificates/0"

// leafNames is SPEC 8.17.5 and 8.17.6.
func leafNames(r *run, leaf *certificate.Certificate, terms bundle.Terms) {
	// 8.17.5
	names, problem := namesOf(leaf)
	const form = "subject alternative names of SPEC 7.3, each once"
	if r.expect(problem == "", CertificateNotAsAgreed, atLeaf, form, problem) {
		r.expect(slices.Equal(names, wordSet(terms.Names)), CertificateNotAsAgreed, atLeaf,
			"the names "+strings.Join(terms.Names, ", "), strings.Join(names, ", "))
	}
	// 8.17.6
	r.expect(subjectAllowed(leaf, terms.Names), CertificateNotAsAgreed, atLeaf,
		"an empty subject, or one common name that is among the dns names", certificate.NameText(leaf.Subject))
}

// usagesOf returns the extended key usages in ascending order, repeated ones
// included: each by its name or, if terms have no name for it, by its
// identifier.
func usagesOf(leaf *certificate.Certificate) []string {
	var names []string
	for _, oid := range leaf.Usages {
		name, known := usageNames[oid]
		if !known {
			name = oid.String()
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// namesOf returns the subject alternative names in ascending order, as the formats write them:
// a prefix and the bytes of the extension (SPEC 7.3). The problem is the reason why a
// certificate has none that could be compared.
func namesOf(leaf *certificate.Certificate) (names []string, problem string) {
	if len(leaf.AltNames) == 0 {
		return nil, "no such extension"
	}
	for _, alt := range leaf.AltNames {
		name := alt.Text()
		if name == "" {
			return nil, "a name of another kind"
		}
		names = append(names, name)
	}
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != len(names) {
		return nil, "a name that occurs twice"
	}
	return names, ""
}

// subjectAllowed reports whether the subject is empty, or exactly one common name that is
// among the dns names. It reads the DER, which alone shows the number of attributes and their
// string types.
func subjectAllowed(leaf *certificate.Certificate, names []string) bool {
	der := cryptobyte.String(leaf.Subject)
	var name, set, attribute, value cryptobyte.String
	if !der.ReadASN1(&name, cbasn1.SEQUENCE) || name.Empty() {
		return len(leaf.Subject) == 2
	}
	var oid asn1.ObjectIdentifier
	var tag cbasn1.Tag
	return name.ReadASN1(&set, cbasn1.SET) && name.Empty() &&
		set.ReadASN1(&attribute, cbasn1.SEQUENCE) && set.Empty() &&
		attribute.ReadASN1ObjectIdentifier(&oid) && attribute.ReadAnyASN1(&value, &tag) && attribute.Empty() &&
		oid.Equal(oidCommonName) && (tag == cbasn1.PrintableString || tag == cbasn1.UTF8String) &&
		slices.Contains(names, "dns:"+string(value))
}
