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
)

var (
	oidBasicOCSP         = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 1}
	oidNoCheck           = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 5}
	oidSHA1              = asn1.ObjectIdentifier{1, 3, 14, 3, 2, 26}
	oidReason            = asn1.ObjectIdentifier{2, 5, 29, 21}
	oidInvalidity        = asn1.ObjectIdentifier{2, 5, 29, 24}
	oidDistributionPoint = asn1.ObjectIdentifier{2, 5, 29, 28}
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

func (a *answer) readRevoked(s cryptobyte.String) bool {
	var explicit cryptobyte.String
	var n int
	if !readTime(&s, &a.revoked.at, false) {
		return false
	}
	if s.PeekASN1Tag(inner0) && (!s.ReadASN1(&explicit, inner0) || !explicit.ReadASN1Enum(&n) || !explicit.Empty()) {
		return false
	}
	a.revoked.reason = reason(n)
	return s.Empty()
}

// about says what the answer says of a certificate. It is by the issuer, or by a
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
	sum := a.algorithm.hash().sumOrNil
	if a.algorithm.plain(oidSHA1) {
		sum = func(octets []byte) []byte {
			sum := sha1.Sum(octets) // #nosec G401 -- a name, which the signature binds
			return sum[:]
		}
	}
	return bytes.Equal(a.issuerName, sum(issuer.RawSubject)) && bytes.Equal(a.key, sum(key.Key.Bytes)) && len(a.key) > 0
}

// sumOrNil is Sum for any name.
func (h Hash) sumOrNil(octets []byte) []byte {
	if !h.Known() {
		return nil
	}
	return h.Sum(octets)
}

// signer returns what the signature of the answer rests on. A responder that is not
// the issuer has a certificate by the issuer for this use, which says that it need
// not be checked for revocation (RFC 6960, section 4.2.2.2.1).
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
