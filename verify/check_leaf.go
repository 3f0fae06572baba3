package verify

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"net/netip"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// The extensions that the profile of a leaf knows (SPEC 8.17).
var (
	oidKeyUsage         = asn1.ObjectIdentifier{2, 5, 29, 15}
	oidSubjectAltName   = asn1.ObjectIdentifier{2, 5, 29, 17}
	oidBasicConstraints = asn1.ObjectIdentifier{2, 5, 29, 19}
	oidExtKeyUsage      = asn1.ObjectIdentifier{2, 5, 29, 37}
	oidCommonName       = asn1.ObjectIdentifier{2, 5, 4, 3}
)

// usageNames are the names of RFC 5280 for the extended key usages.
var usageNames = map[x509.ExtKeyUsage]string{
	x509.ExtKeyUsageServerAuth:      "serverAuth",
	x509.ExtKeyUsageClientAuth:      "clientAuth",
	x509.ExtKeyUsageCodeSigning:     "codeSigning",
	x509.ExtKeyUsageEmailProtection: "emailProtection",
	x509.ExtKeyUsageTimeStamping:    "timeStamping",
}

// certificateConstrained is SPEC 8.17: the leaf can do what the terms say and
// nothing else.
func (r *run) certificateConstrained(n *notes, b *bundle.Bundle) struct{} {
	const at = "/certificates/0"
	leaf, terms := b.Leaf, b.Manifest.Terms
	n.expect(leaf.Version == 3, CertificateVersion, at, "version 3", number(leaf.Version))
	n.expect(!leaf.IsCA, CertificateIsCA, at, "basic constraints absent, or cA false", "a CA certificate")
	n.expect(leaf.KeyUsage&(x509.KeyUsageCertSign|x509.KeyUsageCRLSign) == 0, CertificateIsCA, at, "a key usage without keyCertSign and cRLSign", "one with it")
	got, ok := usagesOf(leaf)
	n.expect(ok && slices.Equal(got, slices.Sorted(slices.Values(terms.ExtendedKeyUsages))), CertificateUsages, at, strings.Join(terms.ExtendedKeyUsages, ", "), strings.Join(got, ", "))
	r.leafNames(n, leaf, terms)
	for _, e := range leaf.Extensions {
		known := slices.ContainsFunc([]asn1.ObjectIdentifier{oidKeyUsage, oidSubjectAltName, oidBasicConstraints, oidExtKeyUsage}, e.Id.Equal)
		n.expect(known || !e.Critical, CertificateExtension, at, "only critical extensions of SPEC 8.17", e.Id.String())
	}
	return struct{}{}
}

// leafNames compares the subject and the subject alternative names.
func (r *run) leafNames(n *notes, leaf *x509.Certificate, terms bundle.Terms) {
	const at = "/certificates/0"
	names, problem := namesOf(leaf)
	if n.expect(problem == "", CertificateNames, at, "subject alternative names of SPEC 7.3, each once", problem) {
		slices.Sort(names)
		n.expect(slices.Equal(names, slices.Sorted(slices.Values(terms.Names))), CertificateNames, at, strings.Join(terms.Names, ", "), strings.Join(names, ", "))
	}
	n.expect(subjectAllowed(leaf, terms.Names), CertificateSubject, at, "an empty subject, or one common name that is among the dns names", leaf.Subject.String())
}

// usagesOf returns the extended key usages by name, ascending. Not ok: one has
// no name here, or stands twice.
func usagesOf(leaf *x509.Certificate) (names []string, ok bool) {
	ok = len(leaf.UnknownExtKeyUsage) == 0
	for _, u := range leaf.ExtKeyUsage {
		name, known := usageNames[u]
		if !known || slices.Contains(names, name) {
			ok = false
		}
		names = append(names, name)
	}
	for _, u := range leaf.UnknownExtKeyUsage {
		names = append(names, u.String())
	}
	slices.Sort(names)
	return names, ok
}

// extension returns the value of an extension.
func extension(c *x509.Certificate, oid asn1.ObjectIdentifier) ([]byte, bool) {
	i := slices.IndexFunc(c.Extensions, func(e pkix.Extension) bool { return e.Id.Equal(oid) })
	if i < 0 {
		return nil, false
	}
	return c.Extensions[i].Value, true
}

// namesOf reads the subject alternative names from the DER, each as the
// formats write it: prefix and the bytes of the extension.
func namesOf(leaf *x509.Certificate) (names []string, problem string) {
	der, ok := extension(leaf, oidSubjectAltName)
	if !ok {
		return nil, "no such extension"
	}
	input, list := cryptobyte.String(der), cryptobyte.String(nil)
	if !input.ReadASN1(&list, cbasn1.SEQUENCE) || !input.Empty() {
		return nil, "an extension that is not DER"
	}
	for !list.Empty() {
		var value cryptobyte.String
		var tag cbasn1.Tag
		if !list.ReadAnyASN1(&value, &tag) {
			return nil, "an extension that is not DER"
		}
		name := generalName(tag, value)
		switch {
		case name == "":
			return nil, "a name of another kind"
		case slices.Contains(names, name):
			return nil, "a name that stands twice"
		}
		names = append(names, name)
	}
	return names, ""
}

// generalName writes one GeneralName of RFC 5280, "" for a kind that the
// formats do not have.
func generalName(tag cbasn1.Tag, value []byte) string {
	switch tag {
	case cbasn1.Tag(1).ContextSpecific():
		return "email:" + string(value)
	case cbasn1.Tag(2).ContextSpecific():
		return "dns:" + string(value)
	case cbasn1.Tag(6).ContextSpecific():
		return "uri:" + string(value)
	case cbasn1.Tag(7).ContextSpecific():
		if addr, ok := netip.AddrFromSlice(value); ok && !addr.Is4In6() {
			return "ip:" + addr.String()
		}
	}
	return ""
}

// subjectAllowed: no name at all, or exactly one common name among the dns
// names. It reads the DER, since only that shows how many attributes there are
// and of which string type.
func subjectAllowed(leaf *x509.Certificate, names []string) bool {
	der := cryptobyte.String(leaf.RawSubject)
	var name, set, attribute, value cryptobyte.String
	if !der.ReadASN1(&name, cbasn1.SEQUENCE) || name.Empty() {
		return len(leaf.RawSubject) == 2
	}
	var oid asn1.ObjectIdentifier
	var tag cbasn1.Tag
	return name.ReadASN1(&set, cbasn1.SET) && name.Empty() &&
		set.ReadASN1(&attribute, cbasn1.SEQUENCE) && set.Empty() &&
		attribute.ReadASN1ObjectIdentifier(&oid) && attribute.ReadAnyASN1(&value, &tag) &&
		oid.Equal(oidCommonName) && (tag == cbasn1.PrintableString || tag == cbasn1.UTF8String) &&
		slices.Contains(names, "dns:"+string(value))
}
