package revocation

import (
	"bytes"
	"crypto"
	"encoding/asn1"
	"time"

	"golang.org/x/crypto/ocsp"
)

// answerKey identifies an answer, besides the certificate.
type answerKey crypto.Hash

// answer is a signed answer that is kept for a while.
type answer struct {
	der        []byte
	producedAt time.Time
}

// Answer answers an OCSP request in DER, for one certificate. A nonce is not
// repeated: answers are made ahead, RFC 6960 section 4.4.1. Whatever the request
// is, there is an answer to send.
func (p *Publisher) Answer(request []byte, now time.Time) []byte {
	asked, err := ocsp.ParseRequest(request)
	if err != nil {
		return ocsp.MalformedRequestErrorResponse
	}
	key, i := p.asked(asked)
	if i == nil {
		return ocsp.UnauthorizedErrorResponse
	}
	template := ocsp.Response{
		Status: ocsp.Unknown, SerialNumber: asked.SerialNumber, IssuerHash: asked.HashAlgorithm,
		ThisUpdate: now.UTC().Truncate(time.Second),
		NextUpdate: now.UTC().Truncate(time.Second).Add(p.config.AnswerLifetime),
	}
	e := i.certificates[asked.SerialNumber.Text(16)]
	if e == nil {
		return i.sign(p.config.Authority, key, template)
	}
	if kept := e.answers[answerKey(asked.HashAlgorithm)]; kept.der != nil &&
		now.Sub(kept.producedAt) < p.config.AnswerLifetime/2 {
		return kept.der
	}
	template.Status = ocsp.Good
	if !e.RevokedAt.IsZero() {
		template.Status, template.RevokedAt, template.RevocationReason = ocsp.Revoked,
			e.RevokedAt.UTC().Truncate(time.Second), reasonCode(e.Reason)
	}
	der := i.sign(p.config.Authority, key, template)
	if i.failed == nil {
		e.answers[answerKey(asked.HashAlgorithm)] = answer{der, now}
	}
	return der
}

// sign signs an answer; while the key does not sign, the answer is to try later.
func (i *issuer) sign(authority Authority, key string, template ocsp.Response) []byte {
	der, err := authority.SignOCSP(key, template)
	i.failed = err
	if err != nil {
		return ocsp.TryLaterErrorResponse
	}
	return der
}

// asked finds the issuer that a request names by the digests of its name and of
// its key, RFC 6960 section 4.1.1.
func (p *Publisher) asked(r *ocsp.Request) (string, *issuer) {
	if !r.HashAlgorithm.Available() {
		return "", nil
	}
	for key, i := range p.issuers {
		var spki struct {
			Algorithm asn1.RawValue
			Key       asn1.BitString
		}
		if _, err := asn1.Unmarshal(i.certificate.RawSubjectPublicKeyInfo, &spki); err != nil {
			continue
		}
		digest := func(b []byte) []byte {
			h := r.HashAlgorithm.New()
			h.Write(b)
			return h.Sum(nil)
		}
		if bytes.Equal(digest(spki.Key.RightAlign()), r.IssuerKeyHash) &&
			bytes.Equal(digest(i.certificate.RawSubject), r.IssuerNameHash) {
			return key, i
		}
	}
	return "", nil
}
