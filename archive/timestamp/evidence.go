package timestamp

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"time"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"
)

// Evidence is a CRL or an OCSP answer that has its form. Nothing in it is verified
// before it is used for a certificate.
type Evidence struct {
	DER  []byte
	Name string // for people: the file that it is from

	crl  *crl
	ocsp *ocsp
}

// IsCRL reports whether the evidence is a CRL, and not an OCSP answer.
func (e Evidence) IsCRL() bool { return e.crl != nil }

// ParseEvidence reads a CRL, in DER or PEM, or an OCSP answer in DER. The name shows people
// where it is from.
func ParseEvidence(name string, doc []byte) (Evidence, *Fault) {
	if len(doc) <= MaxRevocation {
		if block, _ := pem.Decode(doc); block != nil && block.Type == "X509 CRL" {
			doc = block.Bytes
		}
	}
	return readEvidence(name, doc)
}

// readEvidence reads a CRL or an OCSP answer in DER.
func readEvidence(name string, doc []byte) (Evidence, *Fault) {
	if len(doc) > MaxRevocation {
		return Evidence{}, unusable(name, fmt.Sprintf("at most %d octets", MaxRevocation), fmt.Sprint(len(doc)))
	}
	e := Evidence{DER: bytes.Clone(doc), Name: name}
	s := cryptobyte.String(e.DER)
	var outer cryptobyte.String
	if !s.ReadASN1(&outer, asn1tag.SEQUENCE) || !s.Empty() {
		return Evidence{}, unusable(name, "a CRL or an OCSP answer", "something else")
	}
	var ok bool
	if outer.PeekASN1Tag(asn1tag.ENUM) {
		e.ocsp, ok = readOCSP(outer)
	} else {
		e.crl, ok = readCRL(e.DER)
	}
	if !ok {
		return Evidence{}, unusable(name, "a CRL or an OCSP answer, with extensions that are known", "something else")
	}
	return e, nil
}

func unusable(name, expected, found string) *Fault {
	return faultAt(EvidenceMalformed, name, expected, found)
}

// about returns the state of a certificate at a time, or why the evidence is not about it.
func (e Evidence) about(c, issuer *x509.Certificate, at time.Time) (state, *Fault) {
	if e.crl != nil {
		return e.crl.about(e.Name, c, issuer, at)
	}
	return e.ocsp.about(e.Name, c, issuer, at)
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
	extended   bool   // of version 2: entries can have extensions
	scope      scope
}

// readCRL reads a CRL with its form. Its entries are read when it is used.
func readCRL(der []byte) (*crl, bool) {
	l := &crl{}
	var ok bool
	if l.signed, ok = readSigned(der, nil); !ok {
		return nil, false
	}
	s := cryptobyte.String(l.content)
	var tbs, name, entries cryptobyte.String
	var version int
	var a algorithm
	if !s.ReadASN1(&tbs, asn1tag.SEQUENCE) {
		return nil, false
	}
	l.extended = tbs.PeekASN1Tag(asn1tag.INTEGER)
	if l.extended && (!tbs.ReadASN1Integer(&version) || version != 1) || // v2
		!readAlgorithm(&tbs, &a) || !a.oid.Equal(l.algorithm.oid) || !bytes.Equal(a.parameters, l.algorithm.parameters) ||
		!tbs.ReadASN1Element(&name, asn1tag.SEQUENCE) || !readEither(&tbs, &l.this) || !readEither(&tbs, &l.next) ||
		!tbs.ReadOptionalASN1(&entries, nil, asn1tag.SEQUENCE) {
		return nil, false
	}
	l.issuer, l.entries = name, entries
	ok = readOptional(&tbs, inner0, func(s *cryptobyte.String) bool {
		all, ok := readExtensions(s)
		return ok && l.extended && l.scope.read(all)
	})
	return l, ok && tbs.Empty()
}

// readEither reads a Time: UTCTime or GeneralizedTime.
func readEither(s *cryptobyte.String, to *time.Time) bool {
	if s.PeekASN1Tag(asn1tag.UTCTime) {
		return s.ReadASN1UTCTime(to)
	}
	return readTime(s, to, false)
}

// about is [Evidence.about] for a CRL. It must be by the issuer itself.
func (l *crl) about(name string, c, issuer *x509.Certificate, at time.Time) (state, *Fault) {
	if !bytes.Equal(l.issuer, issuer.RawSubject) {
		return state{}, unusable(name, "a CRL by "+issuer.Subject.String(), "one by another issuer")
	}
	if limited, _ := extensionOf(issuer, oidKeyUsage); limited && issuer.KeyUsage&x509.KeyUsageCRLSign == 0 {
		return state{}, unusable(name, "an issuer that may sign CRLs", "a key usage without cRLSign")
	}
	rests, err := l.by(issuer.RawSubjectPublicKeyInfo)
	if err != nil {
		return state{}, unusable(name, "a signature by "+issuer.Subject.String(), err.Error())
	}
	if !l.scope.covers(c) {
		return state{}, unusable(name, "a CRL about such certificates", "one about others")
	}
	r, ok := l.find(c.SerialNumber)
	if !ok {
		return state{}, unusable(name, "entries with extensions that are known", "something else")
	}
	return state{covers(l.this, l.next, at, c), r, rests}, nil
}

// find goes through all entries, and returns the ones with a serial.
func (l *crl) find(serial *big.Int) (found []revoked, ok bool) {
	list := cryptobyte.String(l.entries)
	own := new(big.Int)
	for !list.Empty() {
		var entry cryptobyte.String
		var r revoked
		if !list.ReadASN1(&entry, asn1tag.SEQUENCE) || !entry.ReadASN1Integer(own) || !readEither(&entry, &r.at) {
			return nil, false
		}
		if !entry.Empty() {
			all, ok := readExtensions(&entry)
			if !ok || !entry.Empty() || !l.extended || !r.read(all) {
				return nil, false
			}
		}
		if own.Cmp(serial) == 0 && r.reason != removed {
			found = append(found, r)
		}
	}
	return found, true
}

// removed is the reason of a certificate that is on a list no more.
const removed reason = 8

// read reads the extensions of an entry. A key is bad from the time on when it was
// compromised, if that is named.
func (r *revoked) read(all []extension) bool {
	for _, e := range all {
		value := cryptobyte.String(e.value)
		switch {
		case e.oid.Equal(oidReason):
			var n int
			if !value.ReadASN1Enum(&n) || !value.Empty() {
				return false
			}
			r.reason = reason(n)
		case e.oid.Equal(oidInvalidity):
			var from time.Time
			if !readTime(&value, &from, false) || !value.Empty() {
				return false
			}
			if from.Before(r.at) {
				r.at = from
			}
		case e.critical || e.oid.Equal(oidEntryIssuer):
			return false
		}
	}
	return true
}
