package timestamp

import (
	"bytes"
	"crypto/sha1" // #nosec G505 -- ESSCertID of RFC 2634 knows no other
	"crypto/x509"
	"math/big"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"
)

// certificateID is an ESSCertID or ESSCertIDv2 (RFC 5035): the digest of a
// certificate, and perhaps its issuer and serial.
type certificateID struct {
	sum    func(der []byte) []byte
	digest []byte
	issuer []byte   // DER of the issuer's name, nil if it is not named
	serial *big.Int // with issuer
}

// is reports whether the id is that of a certificate.
func (id certificateID) is(c *x509.Certificate) bool {
	if !bytes.Equal(id.digest, id.sum(c.Raw)) {
		return false
	}
	return id.issuer == nil || bytes.Equal(id.issuer, c.RawIssuer) && id.serial.Cmp(c.SerialNumber) == 0
}

// readNamed reads a SigningCertificate or SigningCertificateV2. Policies are not
// judged.
func (i *signerInfo) readNamed(value cryptobyte.String, read func(*cryptobyte.String, *certificateID) bool) bool {
	var s, list, policies cryptobyte.String
	if !value.ReadASN1(&s, asn1tag.SEQUENCE) || !value.Empty() || !s.ReadASN1(&list, asn1tag.SEQUENCE) {
		return false
	}
	if !s.Empty() && !s.ReadASN1(&policies, asn1tag.SEQUENCE) || !s.Empty() {
		return false
	}
	var named []certificateID
	for !list.Empty() {
		var one cryptobyte.String
		var id certificateID
		if len(named) == MaxCertificates || !list.ReadASN1(&one, asn1tag.SEQUENCE) || !read(&one, &id) ||
			!readIssuerSerial(&one, &id) || !one.Empty() {
			return false
		}
		named = append(named, id)
	}
	i.named = append(i.named, named)
	return len(named) > 0
}

// readCertificateID reads the digest of an ESSCertID, which is a SHA-1. It tells one
// certificate from another and proves nothing: the certificate must lead to a
// pinned authority by itself.
func readCertificateID(s *cryptobyte.String, id *certificateID) bool {
	id.sum = func(der []byte) []byte {
		sum := sha1.Sum(der) // #nosec G401 -- as above
		return sum[:]
	}
	return readBytes(s, &id.digest) && len(id.digest) == sha1.Size
}

// readCertificateIDv2 reads the digest of an ESSCertIDv2.
func readCertificateIDv2(s *cryptobyte.String, id *certificateID) bool {
	h := SHA256
	if s.PeekASN1Tag(asn1tag.SEQUENCE) && !readHash(s, &h) {
		return false
	}
	id.sum = h.Sum
	return readBytes(s, &id.digest) && len(id.digest) == h.Size()
}

// readIssuerSerial reads an IssuerSerial with one directory name, or nothing.
func readIssuerSerial(s *cryptobyte.String, id *certificateID) bool {
	if s.Empty() {
		return true
	}
	const directoryName = asn1tag.Tag(4 | 0xa0)
	var pair, names, explicit, name cryptobyte.String
	id.serial = new(big.Int)
	ok := s.ReadASN1(&pair, asn1tag.SEQUENCE) && pair.ReadASN1(&names, asn1tag.SEQUENCE) &&
		names.ReadASN1(&explicit, directoryName) && names.Empty() &&
		explicit.ReadASN1Element(&name, asn1tag.SEQUENCE) && explicit.Empty() &&
		readNumber(&pair, id.serial) && pair.Empty()
	id.issuer = name
	return ok
}

// nameAll reports whether the signing-certificate attributes name a way from the
// signer: its first certificate is the first that each names. One that names more
// names all below the authority.
func (i *signerInfo) nameAll(way []*x509.Certificate) bool {
	for _, named := range i.named {
		if !named[0].is(way[0]) {
			return false
		}
		if len(named) == 1 {
			continue
		}
		for _, c := range way[:len(way)-1] { // the authority is pinned
			if !anyIs(named, c) {
				return false
			}
		}
	}
	return true
}

// anyIs reports whether one of the ids is that of a certificate.
func anyIs(ids []certificateID, c *x509.Certificate) bool {
	for _, id := range ids {
		if id.is(c) {
			return true
		}
	}
	return false
}
