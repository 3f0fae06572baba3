package timestamp

import (
	"bytes"
	"crypto/x509"
	"time"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/svc-edge/svc-verify/finding"
)

func unusable(name, expected, found string) *Fault {
	return &Fault{finding.EvidenceMalformed, name, expected, found}
}

// covers reports whether evidence of one update speaks for a time: until the next
// update, and for all time before. It does not speak after the certificate ended,
// as expired certificates are taken off lists.
func covers(this, next, at time.Time, c *x509.Certificate) bool {
	if this.After(c.NotAfter) {
		return false
	}
	return !at.After(next) && !next.IsZero() || !at.After(this)
}

// crl is a CertificateList (RFC 5280, section 5).
type crl struct {
	signed
	issuer     []byte
	this, next time.Time
	entries    []byte // the content of revokedCertificates
	scope      scope
}

// scope is which certificates a CRL is about.
type scope struct {
	users, authorities bool // only these
}

// readCRL reads a CRL with its form. Its entries are read when it is used.
func readCRL(der []byte) (*crl, bool) {
	l := &crl{}
	var ok bool
	if l.signed, ok = readSigned(der, nil); !ok {
		return nil, false
	}
	s := cryptobyte.String(l.content)
	var tbs, name, entries, explicit cryptobyte.String
	var version int
	var a algorithm
	if !s.ReadASN1(&tbs, asn1tag.SEQUENCE) || !tbs.ReadASN1Integer(&version) || version != 1 || // v2
		!readAlgorithm(&tbs, &a) || !a.oid.Equal(l.algorithm.oid) || !bytes.Equal(a.parameters, l.algorithm.parameters) ||
		!tbs.ReadASN1Element(&name, asn1tag.SEQUENCE) || !readEither(&tbs, &l.this) || !readEither(&tbs, &l.next) {
		return nil, false
	}
	l.issuer = name
	if tbs.PeekASN1Tag(asn1tag.SEQUENCE) {
		if !tbs.ReadASN1(&entries, asn1tag.SEQUENCE) {
			return nil, false
		}
		l.entries = entries
	}
	if !tbs.ReadASN1(&explicit, inner0) || !tbs.Empty() {
		return nil, false
	}
	extensions, ok := readExtensions(explicit)
	return l, ok && l.scope.read(extensions)
}

// read reads the extensions of a CRL. A CRL over a part of the certificates counts
// only if the part is those of users or of authorities; a delta or indirect one does
// not.
func (s *scope) read(all []extension) bool {
	for _, e := range all {
		switch {
		case e.oid.Equal(oidDistributionPoint):
			if !s.readPoint(e.value) {
				return false
			}
		case e.critical:
			return false
		}
	}
	return true
}

// readPoint reads an IssuingDistributionPoint. Its name is where the CRL is found,
// which may be one of several parts, so that one with a name says nothing.
func (s *scope) readPoint(value []byte) bool {
	in := cryptobyte.String(value)
	var point, flag cryptobyte.String
	if !in.ReadASN1(&point, asn1tag.SEQUENCE) || !in.Empty() {
		return false
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

// readEither reads a Time: UTCTime or GeneralizedTime.
func readEither(s *cryptobyte.String, to *time.Time) bool {
	if s.PeekASN1Tag(asn1tag.UTCTime) {
		return s.ReadASN1UTCTime(to)
	}
	return readTime(s, to, false)
}
