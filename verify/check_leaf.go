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

// certificateConstrained is SPEC 8.17: the leaf can do what the terms say and
// nothing else.
func (r *run) certificateConstrained(n *notes, b *bundle.Bundle) struct{} {
	const at = "/certificates/0"
	leaf, terms := b.Leaf, b.Manifest.Terms
	n.expect(leaf.Version == 3, CertificateVersion, at, "version 3", number(leaf.Version))
	n.expect(!leaf.IsCA, CertificateIsCA, at, "basic constraints absent, or cA false", "a CA certificate")
	keyUses(n, leaf, terms)
	got := usagesOf(leaf)
	n.expect(slices.Equal(got, set(terms.ExtendedKeyUsages)), CertificateUsages, at, strings.Join(terms.ExtendedKeyUsages, ", "), strings.Join(got, ", "))
	r.leafNames(n, leaf, terms)
	extensions(n, leaf)
	return struct{}{}
}

// leafNames compares the subject and the subject alternative names.
func (r *run) leafNames(n *notes, leaf *certificate.Certificate, terms bundle.Terms) {
	const at = "/certificates/0"
	names, problem := namesOf(leaf)
	if n.expect(problem == "", CertificateNames, at, "subject alternative names of SPEC 7.3, each once", problem) {
		n.expect(slices.Equal(names, set(terms.Names)), CertificateNames, at, strings.Join(terms.Names, ", "), strings.Join(names, ", "))
	}
	n.expect(subjectAllowed(leaf, terms.Names), CertificateSubject, at, "an empty subject, or one common name that is among the dns names", certificate.NameText(leaf.Subject))
}

// set returns the distinct words, ascending.
func set(words []string) []string { return slices.Compact(slices.Sorted(slices.Values(words))) }

// usagesOf returns the extended key usages, ascending, each as often as it
// stands there: by name, or by its identifier, which no terms can name.
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

// namesOf returns the subject alternative names as the formats write them,
// prefix and the octets of the extension, ascending.
func namesOf(leaf *certificate.Certificate) (names []string, problem string) {
	if !leaf.HasNames {
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
		return nil, "a name that stands twice"
	}
	return names, ""
}

// subjectAllowed: no name at all, or exactly one common name among the dns
// names. It reads the DER, since only that shows how many attributes there are
// and of which string type.
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
