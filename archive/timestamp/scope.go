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
	var point cryptobyte.String
	truth := func(to *bool) func(*cryptobyte.String) bool {
		return func(s *cryptobyte.String) bool {
			var octet byte
			*to = s.ReadUint8(&octet) && octet == 0xff
			return *to
		}
	}
	return in.ReadASN1(&point, asn1tag.SEQUENCE) && in.Empty() && readOptional(&point, inner0, readNames(&s.names)) &&
		readOptional(&point, context1, truth(&s.users)) && readOptional(&point, context2, truth(&s.authorities)) &&
		point.Empty()
}

// readNames reads a DistributionPointName of full names, as elements.
func readNames(names *[][]byte) func(*cryptobyte.String) bool {
	return func(s *cryptobyte.String) (ok bool) {
		*names, ok = readSet(s, inner0, mostNames)
		return ok && len(*names) > 0
	}
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
		var names [][]byte
		if !readOptional(&point, inner0, readNames(&names)) || !point.Empty() {
			continue // a point for some reasons, or of another issuer
		}
		for _, n := range names {
			if slices.ContainsFunc(s.names, func(own []byte) bool { return bytes.Equal(own, n) }) {
				return true
			}
		}
	}
	return false
}
