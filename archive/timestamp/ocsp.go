package timestamp

import (
	"bytes"
	"crypto/sha1" // #nosec G505 -- most OCSP answers name issuers by SHA-1
	"crypto/x509"
	"encoding/asn1"
	"math/big"
	"slices"
	"time"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"
)

var (
	oidBasicOCSP         = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 1}
	oidNonce             = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 2}
	oidNoCheck           = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 5}
	oidSHA1              = asn1.ObjectIdentifier{1, 3, 14, 3, 2, 26}
	oidReason            = asn1.ObjectIdentifier{2, 5, 29, 21}
	oidInvalidity        = asn1.ObjectIdentifier{2, 5, 29, 24}
	oidDelta             = asn1.ObjectIdentifier{2, 5, 29, 27}
	oidDistributionPoint = asn1.ObjectIdentifier{2, 5, 29, 28}
	oidEntryIssuer       = asn1.ObjectIdentifier{2, 5, 29, 29}
	oidCRLPoints         = asn1.ObjectIdentifier{2, 5, 29, 31}
)

// ocsp is a BasicOCSPResponse (RFC 6960, section 4.2.1).
type ocsp struct {
	signed
	certificates []*x509.Certificate // of a responder that is not the issuer
	answers      []answer
}

// answer is a SingleResponse.
type answer struct {
	algorithm       algorithm
	issuerName, key []byte // digests
	serial          *big.Int
	good            bool
	revoked         revoked // if not good; the zero value for unknown
	this, next      time.Time
}

// readOCSP reads the content of an OCSPResponse that is successful.
func readOCSP(s cryptobyte.String) (*ocsp, bool) {
	var status int
	var explicit, inner, rest cryptobyte.String
	var oid asn1.ObjectIdentifier
	var doc []byte
	if !s.ReadASN1Enum(&status) || status != 0 || !s.ReadASN1(&explicit, inner0) || !s.Empty() ||
		!explicit.ReadASN1(&inner, asn1tag.SEQUENCE) || !explicit.Empty() || !readOID(&inner, &oid) ||
		!oid.Equal(oidBasicOCSP) || !readBytes(&inner, &doc) || !inner.Empty() {
		return nil, false
	}
	o := &ocsp{}
	var ok bool
	if o.signed, ok = readSigned(doc, &rest); !ok {
		return nil, false
	}
	return o, readOptional(&rest, inner0, o.readCertificates) && rest.Empty() && o.readData()
}

// responseAround returns the OCSPResponse around a BasicOCSPResponse.
func responseAround(basic []byte) []byte {
	var b cryptobyte.Builder
	b.AddASN1(asn1tag.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1Enum(0)
		b.AddASN1(inner0, func(b *cryptobyte.Builder) {
			b.AddASN1(asn1tag.SEQUENCE, func(b *cryptobyte.Builder) {
				b.AddASN1ObjectIdentifier(oidBasicOCSP)
				b.AddASN1OctetString(basic)
			})
		})
	})
	return b.BytesOrPanic() // within MaxStored
}

// readCertificates reads at most MaxCertificates.
func (o *ocsp) readCertificates(s *cryptobyte.String) bool {
	elements, ok := readSet(s, asn1tag.SEQUENCE, MaxCertificates)
	for _, one := range elements {
		c, err := ParseCertificate(one)
		if err != nil {
			return false
		}
		o.certificates = append(o.certificates, c)
	}
	return ok && elements != nil
}

// mostAnswers bounds the answers in one document.
const mostAnswers = 64

// readData reads the ResponseData. The name of the responder and the time at which it
// answered decide nothing: its signature does, and the times of each answer.
func (o *ocsp) readData() bool {
	s := cryptobyte.String(o.content)
	var data, responder cryptobyte.String
	first := func(version *cryptobyte.String) bool {
		n := 0
		return version.ReadASN1Integer(&n) && n == 0
	}
	if !s.ReadASN1(&data, asn1tag.SEQUENCE) || !readOptional(&data, inner0, first) ||
		!data.ReadAnyASN1(&responder, nil) || !data.SkipASN1(asn1tag.GeneralizedTime) {
		return false
	}
	list, ok := readSet(&data, asn1tag.SEQUENCE, mostAnswers)
	if !ok || len(list) == 0 || !readOptional(&data, inner1, noneCritical) || !data.Empty() {
		return false
	}
	for _, one := range list {
		var a answer
		if !a.read(one) {
			return false
		}
		o.answers = append(o.answers, a)
	}
	return true
}

// noneCritical reports whether these are extensions, and none is critical but the nonce, which
// distinguishes answers where there is a request.
func noneCritical(s *cryptobyte.String) bool {
	all, ok := readExtensions(s)
	return ok && !slices.ContainsFunc(all, func(e extension) bool { return e.critical && !e.oid.Equal(oidNonce) })
}

// read reads a SingleResponse.
func (a *answer) read(element cryptobyte.String) bool {
	var s, id, part cryptobyte.String
	a.serial = new(big.Int)
	if !element.ReadASN1(&s, asn1tag.SEQUENCE) || !s.ReadASN1(&id, asn1tag.SEQUENCE) ||
		!readAlgorithm(&id, &a.algorithm) || !readBytes(&id, &a.issuerName) ||
		!readBytes(&id, &a.key) || !readNumber(&id, a.serial) || !id.Empty() {
		return false
	}
	switch {
	case s.PeekASN1Tag(context0):
		if a.good = true; !s.ReadASN1(&part, context0) || len(part) > 0 {
			return false
		}
	case s.PeekASN1Tag(inner1):
		if !s.ReadASN1(&part, inner1) || !a.readRevoked(part) {
			return false
		}
	case !s.ReadASN1(&part, context2) || len(part) > 0:
		return false
	}
	next := func(s *cryptobyte.String) bool { return readTime(s, &a.next, false) }
	return readTime(&s, &a.this, false) && readOptional(&s, inner0, next) && readOptional(&s, inner1, noneCritical) &&
		s.Empty()
}

func (a *answer) readRevoked(s cryptobyte.String) bool {
	n := 0
	ok := readTime(&s, &a.revoked.at, false) &&
		readOptional(&s, inner0, func(s *cryptobyte.String) bool { return s.ReadASN1Enum(&n) }) && s.Empty()
	a.revoked.reason = reason(n)
	return ok
}

// about is [Evidence.about] for an OCSP answer. It must be by the issuer, or by a
// responder whom the issuer named.
func (o *ocsp) about(name string, c, issuer *x509.Certificate, at time.Time) (state, *Fault) {
	i := slices.IndexFunc(o.answers, func(a answer) bool { return a.names(c, issuer) })
	if i < 0 {
		return state{}, unusable(name, "an answer about "+nameOf(c), "one about another certificate")
	}
	a := o.answers[i]
	rests, fault := o.signer(name, issuer, at)
	if fault != nil {
		return state{}, fault
	}
	covered := covers(a.this, a.next, at, c) && (a.good || !a.revoked.at.IsZero())
	return state{covered, []revoked{a.revoked}, rests}, nil
}

// names reports whether an answer is about a certificate: serial, and name and key
// of the issuer.
func (a answer) names(c, issuer *x509.Certificate) bool {
	var key struct {
		Algorithm asn1.RawValue
		Key       asn1.BitString
	}
	if _, err := asn1.Unmarshal(issuer.RawSubjectPublicKeyInfo, &key); err != nil || a.serial.Cmp(c.SerialNumber) != 0 {
		return false
	}
	h := a.algorithm.hash()
	sum := h.Sum
	switch {
	case a.algorithm.plain(oidSHA1):
		sum = sha1Of
	case !h.Known():
		return false
	}
	return bytes.Equal(a.issuerName, sum(issuer.RawSubject)) && bytes.Equal(a.key, sum(key.Key.Bytes)) && len(a.key) > 0
}

// sha1Of is the digest by which answers name an issuer, and tokens a certificate. It proves
// nothing.
func sha1Of(octets []byte) []byte {
	sum := sha1.Sum(octets) // #nosec G401 -- a signature binds the name
	return sum[:]
}

// signer returns the algorithms that the signature of the answer rests on. A responder that is
// not the issuer has a certificate by the issuer for this use, which states that it need not
// be checked for revocation (RFC 6960, section 4.2.2.2.1).
func (o *ocsp) signer(name string, issuer *x509.Certificate, at time.Time) ([]Algorithm, *Fault) {
	rests, err := o.by(issuer.RawSubjectPublicKeyInfo)
	if err == nil {
		return rests, nil
	}
	for _, c := range o.certificates {
		used, held := certified(c, issuer)
		if held != nil || !bytes.Equal(c.RawIssuer, issuer.RawSubject) {
			continue
		}
		unchecked, _ := extensionOf(c, oidNoCheck)
		may := unchecked && slices.Contains(c.ExtKeyUsage, x509.ExtKeyUsageOCSPSigning)
		if !may || len(c.UnhandledCriticalExtensions) > 0 || validAt(c, at) != nil {
			continue
		}
		if rests, err = o.by(c.RawSubjectPublicKeyInfo); err == nil {
			return append(rests, used...), nil
		}
	}
	return nil, unusable(name, "an answer by "+issuer.Subject.String()+" or its responder", "one by another")
}
