package timestamp

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/internal/form"
)

// Authority is a time-stamping authority that the caller trusts. Each of its certificates is
// the end of a way; one can be a signer's own.
type Authority struct {
	Name         string
	Certificates []*x509.Certificate
	From, Until  time.Time // Until is zero for no end
}

// Chain is a token whose signatures hold, with the way from its signer to a pinned
// authority.
type Chain struct {
	Token     *Token
	Authority Authority
	// Way begins with the signer and ends with a certificate of the authority. It is
	// one certificate if the signer itself is pinned.
	Way []*x509.Certificate
	// RestsOn are the algorithms of the signatures and digests that make the token,
	// each once. The hash of the imprint is not among them.
	RestsOn []Algorithm
}

// Bounds on the search: the certificates of a way, and the ways that are tried.
const (
	longestWay = 8
	mostWays   = 256
)

// Trace verifies the signature of the token and finds the shortest way from its
// signer to one of the authorities, over certificates of the token and further ones.
// All certificates on it are valid at the time of the token. Of several ways it is
// the first by the order of authorities and certificates.
func (t *Token) Trace(authorities []Authority, further []*x509.Certificate) (*Chain, *Fault) {
	if len(further) > MaxCertificates {
		return nil, malformed("certificates", fmt.Sprintf("at most %d in addition to the token", MaxCertificates), "more")
	}
	s := search{token: t, authorities: authorities, checked: map[[2]*x509.Certificate][]Algorithm{}}
	for _, a := range authorities {
		s.add(a.Certificates)
	}
	s.add(t.Certificates)
	s.add(further)
	signer := slices.IndexFunc(s.candidates, t.isSigner)
	if signer < 0 {
		return nil, faultAt(TokenAuthority, "token/signerInfos/0/sid", "the certificate of the signer",
			"none that fits")
	}
	rests, fault := t.verifySignature(s.candidates[signer])
	if fault != nil {
		return nil, fault
	}
	chain, fault := s.from(s.candidates[signer])
	if fault != nil {
		return nil, fault
	}
	chain.RestsOn = rests
	for i, c := range chain.Way[:len(chain.Way)-1] {
		chain.RestsOn = append(chain.RestsOn, s.checked[[2]*x509.Certificate{c, chain.Way[i+1]}]...)
	}
	chain.RestsOn = Distinct(chain.RestsOn)
	return chain, nil
}

// isSigner reports whether a certificate is the one that the token names.
func (t *Token) isSigner(c *x509.Certificate) bool {
	return t.signer.names(c) && !slices.ContainsFunc(t.signer.named,
		func(ids []certificateID) bool { return !ids[0].is(c) })
}

// verifySignature verifies the signature of the token, by a certificate that may make
// tokens.
func (t *Token) verifySignature(c *x509.Certificate) ([]Algorithm, *Fault) {
	if fault := forStamping(c); fault != nil {
		return nil, fault
	}
	how, ok := schemeOf(t.signer.algorithm, t.signer.digest)
	const path = "token/signerInfos/0/signature"
	if !ok || how.hash != "" && how.hash != t.signer.digest {
		return nil, faultAt(TokenSignature, path,
			"a signature algorithm that is believed, with the hash of the digest", t.signer.algorithm.oid.String())
	}
	rests, err := how.verify(c.RawSubjectPublicKeyInfo, t.signer.signed, t.signer.signature)
	if err != nil {
		return nil, faultAt(TokenSignature, path, "a signature by "+nameOf(c), err.Error())
	}
	return append(rests, Algorithm{Name: string(t.signer.digest)}), nil
}

// Distinct returns the algorithms in their order, each once.
func Distinct(all []Algorithm) (some []Algorithm) {
	for _, a := range all {
		if !slices.Contains(some, a) {
			some = append(some, a)
		}
	}
	return some
}

// search finds a way. Each pair of certificates is checked once.
type search struct {
	token       *Token
	authorities []Authority
	candidates  []*x509.Certificate
	checked     map[[2]*x509.Certificate][]Algorithm // on which the first is by the second, nil if it is not
	fault       *Fault                               // why the best of the ways does not count
}

// add appends certificates that are not there yet.
func (s *search) add(all []*x509.Certificate) {
	for _, c := range all {
		if !slices.ContainsFunc(s.candidates, c.Equal) {
			s.candidates = append(s.candidates, c)
		}
	}
}

// from returns the shortest way from a signer, breadth first.
func (s *search) from(signer *x509.Certificate) (*Chain, *Fault) {
	ways := [][]*x509.Certificate{{signer}}
	for i := 0; i < len(ways) && i < mostWays; i++ {
		way := ways[i]
		last := way[len(way)-1]
		if a, pinned := s.pinned(last); pinned {
			if fault := s.valid(way, a); fault == nil {
				return &Chain{Token: s.token, Authority: a, Way: way}, nil
			} else if s.fault == nil {
				s.fault = fault
			}
		}
		if len(way) == longestWay {
			continue
		}
		for _, c := range s.candidates {
			if !slices.ContainsFunc(way, c.Equal) && s.issued(c, last) {
				ways = append(ways, append(slices.Clip(way), c))
			}
		}
	}
	if s.fault == nil {
		s.fault = faultAt(TokenAuthority, "token/certificates", "a way to a pinned authority",
			"none from "+nameOf(signer))
	}
	return nil, s.fault
}

// issued reports whether an issuer made a certificate: the names fit and the
// signature holds.
func (s *search) issued(issuer, c *x509.Certificate) bool {
	if !bytes.Equal(issuer.RawSubject, c.RawIssuer) || issuer.Equal(c) {
		return false
	}
	pair := [2]*x509.Certificate{c, issuer}
	if _, known := s.checked[pair]; !known {
		s.checked[pair], _ = certified(c, issuer)
	}
	return s.checked[pair] != nil
}

// pinned returns the authority that has a certificate.
func (s *search) pinned(c *x509.Certificate) (Authority, bool) {
	i := slices.IndexFunc(s.authorities, func(a Authority) bool { return slices.ContainsFunc(a.Certificates, c.Equal) })
	if i < 0 {
		return Authority{}, false
	}
	return s.authorities[i], true
}

// certified verifies the signature of a certificate.
func certified(c, issuer *x509.Certificate) ([]Algorithm, error) {
	doc, ok := readSigned(c.Raw, nil)
	if !ok {
		return nil, fmt.Errorf("no certificate")
	}
	return doc.by(issuer.RawSubjectPublicKeyInfo)
}

// valid returns a fault unless a way may be used, at the time of the token.
func (s *search) valid(way []*x509.Certificate, a Authority) *Fault {
	if !s.token.signer.nameAll(way) {
		return faultAt(TokenCertificate, "token/signerInfos/0/signedAttrs/signing-certificate",
			"the certificates of the way", "others")
	}
	for i, c := range way[1:] {
		if fault := forIssuing(c, i); fault != nil {
			return fault
		}
	}
	if s.token.Time.Before(a.From) {
		return faultAt(TokenNotValid, "token/genTime", "a time from "+form.FormatTime(a.From)+
			" on, when the authority "+
			a.Name+" is pinned", form.FormatTime(s.token.Time))
	}
	for _, c := range way {
		if fault := validAt(c, s.token.Time); fault != nil {
			return fault
		}
	}
	return nil
}

// validAt returns a fault unless a certificate is valid at a time.
func validAt(c *x509.Certificate, at time.Time) *Fault {
	if at.Before(c.NotBefore) || at.After(c.NotAfter) {
		return faultAt(TokenNotValid, nameOf(c), "a certificate that is valid at "+form.FormatTime(at),
			"one from "+form.FormatTime(c.NotBefore)+" to "+form.FormatTime(c.NotAfter))
	}
	return nil
}

var (
	oidKeyUsage        = asn1.ObjectIdentifier{2, 5, 29, 15}
	oidExtKeyUsage     = asn1.ObjectIdentifier{2, 5, 29, 37}
	oidNameConstraints = asn1.ObjectIdentifier{2, 5, 29, 30}
)

// extensionOf returns whether a certificate has an extension, and whether it is
// critical.
func extensionOf(c *x509.Certificate, oid asn1.ObjectIdentifier) (there, critical bool) {
	for _, e := range c.Extensions {
		if e.Id.Equal(oid) {
			return true, e.Critical
		}
	}
	return false, false
}

// forStamping returns a fault unless a certificate may make tokens (RFC 3161,
// section 2.3).
func forStamping(c *x509.Certificate) *Fault {
	_, critical := extensionOf(c, oidExtKeyUsage)
	limited, _ := extensionOf(c, oidKeyUsage)
	bad := func(expected, found string) *Fault {
		return faultAt(TokenCertificate, nameOf(c), expected, found)
	}
	switch {
	case len(c.ExtKeyUsage) != 1 || c.ExtKeyUsage[0] != x509.ExtKeyUsageTimeStamping || len(c.UnknownExtKeyUsage) > 0:
		return bad("the extended key usage timeStamping and no other", "none, another, or several")
	case !critical:
		return bad("a critical extended key usage", "one that is not critical")
	case limited && c.KeyUsage&(x509.KeyUsageDigitalSignature|x509.KeyUsageContentCommitment) == 0:
		return bad("a key for signatures", "a key usage without digitalSignature and nonRepudiation")
	case c.IsCA:
		return bad("a certificate that issues none", "one of an authority")
	case len(c.UnhandledCriticalExtensions) > 0:
		return bad("critical extensions that are known", c.UnhandledCriticalExtensions[0].String())
	}
	return nil
}

// forIssuing returns a fault unless a certificate may issue the ones below it. Below is the
// number of authorities among them.
func forIssuing(c *x509.Certificate, below int) *Fault {
	constrained, _ := extensionOf(c, oidNameConstraints)
	limited, _ := extensionOf(c, oidKeyUsage)
	bad := func(expected, found string) *Fault {
		return faultAt(TokenCertificate, nameOf(c), expected, found)
	}
	purposes := slices.Contains(c.ExtKeyUsage, x509.ExtKeyUsageTimeStamping) ||
		slices.Contains(c.ExtKeyUsage, x509.ExtKeyUsageAny) || len(c.ExtKeyUsage)+len(c.UnknownExtKeyUsage) == 0
	switch {
	case !c.BasicConstraintsValid || !c.IsCA:
		return bad("a certificate of an authority", "one that may issue none")
	case limited && c.KeyUsage&x509.KeyUsageCertSign == 0:
		return bad("a key for certificates", "a key usage without keyCertSign")
	case (c.MaxPathLen > 0 || c.MaxPathLenZero) && below > c.MaxPathLen:
		return bad(fmt.Sprintf("at most %d authorities below", c.MaxPathLen), fmt.Sprint(below))
	case !purposes:
		return bad("an authority for time-stamping", "extended key usages without timeStamping")
	case constrained:
		return bad("no name constraints, which are not judged", "some")
	case len(c.UnhandledCriticalExtensions) > 0:
		return bad("critical extensions that are known", c.UnhandledCriticalExtensions[0].String())
	}
	return nil
}

// nameOf names a certificate for people, by its subject and serial.
func nameOf(c *x509.Certificate) string {
	return fmt.Sprintf("%s (serial %x)", c.Subject, c.SerialNumber)
}
