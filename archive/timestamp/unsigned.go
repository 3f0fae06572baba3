package timestamp

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"slices"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"
)

// layout is a SignedData in parts. The signature covers nothing of certificates, crls and version,
// so that evidence can be added to a token.
type layout struct {
	version            int
	head               []byte   // the elements digestAlgorithms and encapContentInfo
	certificates, crls [][]byte // elements in the order of the token; nil if the field is absent
	signers            []byte   // the element signerInfos
}

// der returns the ContentInfo with both sets in the order of DER.
func (l layout) der() []byte {
	var b cryptobyte.Builder
	b.AddASN1(asn1tag.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1ObjectIdentifier(oidSignedData)
		b.AddASN1(inner0, func(b *cryptobyte.Builder) {
			b.AddASN1(asn1tag.SEQUENCE, func(b *cryptobyte.Builder) {
				b.AddASN1Int64(int64(l.version))
				b.AddBytes(l.head)
				addSet(b, inner0, l.certificates)
				addSet(b, inner1, l.crls)
				b.AddBytes(l.signers)
			})
		})
	})
	return b.BytesOrPanic() // its parts were read, and are far below the limits of lengths
}

// addSet appends an optional SET OF in the order of DER. No element is a prefix of another, so
// that byte order is DER order.
func addSet(b *cryptobyte.Builder, tag asn1tag.Tag, elements [][]byte) {
	if elements == nil {
		return
	}
	b.AddASN1(tag, func(b *cryptobyte.Builder) {
		for _, e := range slices.SortedFunc(slices.Values(elements), bytes.Compare) {
			b.AddBytes(e)
		}
	})
}

// readSet reads an optional SET OF of so many elements at most.
func readSet(s *cryptobyte.String, tag asn1tag.Tag, most int) (elements [][]byte, ok bool) {
	if !s.PeekASN1Tag(tag) {
		return nil, true
	}
	var set, one cryptobyte.String
	if !s.ReadASN1(&set, tag) {
		return nil, false
	}
	elements = [][]byte{}
	for !set.Empty() {
		if len(elements) == most || !set.ReadAnyASN1Element(&one, nil) {
			return nil, false
		}
		elements = append(elements, one)
	}
	return elements, true
}

// The formats of OCSP answers in crls: id-ri-ocsp-response of RFC 5940, and two that authorities use,
// id-pkix-ocsp for the same and id-pkix-ocsp-basic for the BasicOCSPResponse in it.
var (
	oidOCSPResponse = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 16, 2}
	oidOCSP         = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1}
)

// readRevocation reads the crls of the token. An element whose content is not understood is kept
// aside: it shows nothing, and does not hide the others.
func (t *Token) readRevocation() *Fault {
	count := map[string]int{}
	for _, element := range t.parts.crls {
		kind, doc := revocationInfo(element)
		if kind == "" {
			return malformed("token/crls", "CRLs and OCSP answers", "something else")
		}
		count[kind]++
		e, fault := readEvidence(fmt.Sprintf("%s %d", kind, count[kind]), doc)
		if fault == nil && e.IsCRL() != (kind == kindCRL) {
			fault = unusable(e.Name, "evidence of this kind", "evidence of the other")
		}
		if fault != nil {
			t.Unusable = append(t.Unusable, fault)
			continue
		}
		t.Revocation = append(t.Revocation, e)
	}
	return nil
}

// The kinds of RevocationInfoChoice.
const (
	kindCRL  = "crl"
	kindOCSP = "ocsp"
)

// revocationInfo returns the kind of a RevocationInfoChoice, or "", and its content, which is
// nothing if the format is not known.
func revocationInfo(element cryptobyte.String) (kind string, doc []byte) {
	if element.PeekASN1Tag(asn1tag.SEQUENCE) {
		return kindCRL, element
	}
	var info cryptobyte.String
	var oid asn1.ObjectIdentifier
	if !element.ReadASN1(&info, inner1) {
		return "", nil
	}
	readable := readOID(&info, &oid)
	switch {
	case readable && oid.Equal(oidBasicOCSP):
		doc = responseAround(info)
	case readable && (oid.Equal(oidOCSPResponse) || oid.Equal(oidOCSP)):
		doc = info
	}
	return kindOCSP, doc
}

// revocationInfo returns the evidence as an element of crls.
func (e Evidence) revocationInfo() []byte {
	if e.IsCRL() {
		return e.DER
	}
	var b cryptobyte.Builder
	b.AddASN1(inner1, func(b *cryptobyte.Builder) {
		b.AddASN1ObjectIdentifier(oidOCSPResponse)
		b.AddBytes(e.DER)
	})
	return b.BytesOrPanic() // within MaxRevocation
}

// With returns the token with certificates and evidence added that it has not yet, both sets in the
// order of DER, and the version that RFC 5652 wants. Nothing that is signed changes. It is a fault if
// the result is larger than [ParseStored] reads.
func (t *Token) With(certificates []*x509.Certificate, evidence []Evidence) (*Token, *Fault) {
	l := t.parts
	for _, c := range certificates {
		l.certificates = withElement(l.certificates, c.Raw)
	}
	for _, e := range evidence {
		if !slices.ContainsFunc(t.Revocation, func(own Evidence) bool { return bytes.Equal(own.DER, e.DER) }) {
			l.crls = withElement(l.crls, e.revocationInfo())
		}
	}
	has := func(set [][]byte, tag asn1tag.Tag) bool {
		return slices.ContainsFunc(set, func(e []byte) bool { return e[0] == byte(tag) })
	}
	switch l.version = 3; {
	case has(l.crls, inner1):
		l.version = 5
	case has(l.certificates, inner2): // attribute certificates of version 2
		l.version = 4
	}
	return ParseStored(l.der())
}

// withElement returns the elements and one more, if it is not there.
func withElement(elements [][]byte, one []byte) [][]byte {
	if slices.ContainsFunc(elements, func(e []byte) bool { return bytes.Equal(e, one) }) {
		return elements
	}
	return append(slices.Clip(elements), one)
}

// Hashed returns the digest of the token as a later token covers it (RFC 4998, 5.2): of its DER form,
// in which both sets are sorted.
func (t *Token) Hashed(h Hash) []byte { return h.Sum(t.parts.der()) }
