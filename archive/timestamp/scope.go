package timestamp

import (
	"bytes"
	"crypto/x509"
	"crypto/x509/pkix"
	"slices"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"
)

// scope is which certificates a CRL is about.
type scope struct {
	users, authorities bool     // only these
	names              [][]byte // of its distribution point: only certificates that have one of them
}

// read reads the extensions of a CRL. A CRL over a part of the certificates counts
// only for those that the part has for certain; a delta or indirect one does not.
func (s *scope) read(all []extension) bool {
	for _, e := range all {
		switch {
		case e.oid.Equal(oidDistributionPoint):
			if !s.readPoint(e.value) {
				return false
			}
		case e.critical || e.oid.Equal(oidDelta):
			return false
		}
	}
	return true
}

// readPoint reads an IssuingDistributionPoint.
func (s *scope) readPoint(value []byte) bool {
	in := cryptobyte.String(value)
	var point, flag cryptobyte.String
	if !in.ReadASN1(&point, asn1tag.SEQUENCE) || !in.Empty() {
		return false
	}
	if point.PeekASN1Tag(inner0) {
		var ok bool
		if s.names, ok = readPointName(&point); !ok {
			return false
		}
	}
	for _, part := range []struct {
		tag asn1tag.Tag
		to  *bool
	}{{context1, &s.users}, {context2, &s.authorities}} {
		if point.PeekASN1Tag(part.tag) {
			if !point.ReadASN1(&flag, part.tag) || !bytes.Equal(flag, []byte{0xff}) {
				return false
			}
			*part.to = true
		}
	}
	return point.Empty()
}

// readPointName reads a DistributionPointName of full names, as elements.
func readPointName(s *cryptobyte.String) (names [][]byte, ok bool) {
	var name cryptobyte.String
	if !s.ReadASN1(&name, inner0) {
		return nil, false
	}
	names, ok = readSet(&name, inner0, mostNames)
	return names, ok && len(names) > 0 && name.Empty()
}

// mostNames bounds the names of a distribution point.
const mostNames = 32

// covers reports whether a certificate belongs to the part of a CRL. The names of a CRL are where it is
// found, and the certificate has them if the CRL is about it (RFC 5280, 6.3.3).
func (s scope) covers(c *x509.Certificate) bool {
	if s.users && c.IsCA || s.authorities && !c.IsCA {
		return false
	}
	if s.names == nil {
		return true
	}
	i := slices.IndexFunc(c.Extensions, func(e pkix.Extension) bool { return e.Id.Equal(oidCRLPoints) })
	if i < 0 {
		return false
	}
	in := cryptobyte.String(c.Extensions[i].Value)
	var list, point cryptobyte.String
	if !in.ReadASN1(&list, asn1tag.SEQUENCE) {
		return false
	}
	for list.ReadASN1(&point, asn1tag.SEQUENCE) {
		names, ok := readPointName(&point)
		if !ok || !point.Empty() { // a point for some reasons, or of another issuer
			continue
		}
		for _, n := range names {
			if slices.ContainsFunc(s.names, func(own []byte) bool { return bytes.Equal(own, n) }) {
				return true
			}
		}
	}
	return false
}
