package timestamp

import (
	"bytes"
	"crypto/rand"
	"math/big"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"
)

// Request is a TimeStampReq (RFC 3161, section 2.4.1) as this package makes it: with
// a nonce, without a policy or extensions, asking for the signer's certificate.
type Request struct {
	Hash    Hash
	Imprint []byte // the digest of the data to be stamped
	Nonce   *big.Int
}

// NewRequest returns a request for a time-stamp over a digest, with a new nonce of
// 128 bits.
func NewRequest(h Hash, imprint []byte) Request {
	var nonce [16]byte
	rand.Read(nonce[:]) // never fails
	nonce[0] |= 0x40    // the same length for all
	nonce[0] &= 0x7f
	return Request{Hash: h, Imprint: imprint, Nonce: new(big.Int).SetBytes(nonce[:])}
}

// Marshal returns the DER of the request.
func (r Request) Marshal() []byte {
	var b cryptobyte.Builder
	b.AddASN1(asn1tag.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1Int64(1)
		addImprint(b, r.Hash, r.Imprint)
		b.AddASN1BigInt(r.Nonce)
		b.AddASN1Boolean(true)
	})
	return b.BytesOrPanic() // nothing in it can fail: its parts are ours
}

// addImprint appends a MessageImprint.
func addImprint(b *cryptobyte.Builder, h Hash, digest []byte) {
	b.AddASN1(asn1tag.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1(asn1tag.SEQUENCE, func(b *cryptobyte.Builder) { b.AddASN1ObjectIdentifier(h.oid()) })
		b.AddASN1OctetString(digest)
	})
}

// ParseRequest reads a request that Marshal wrote, and no other.
func ParseRequest(der []byte) (Request, *Fault) {
	var r Request
	var body cryptobyte.String
	var version int
	bad := malformed("request", "a time-stamp request of this program", "something else")
	s := cryptobyte.String(der)
	if len(der) > MaxRequest || !s.ReadASN1(&body, asn1tag.SEQUENCE) || !body.ReadASN1Integer(&version) ||
		!readImprint(&body, &r.Hash, &r.Imprint) {
		return Request{}, bad
	}
	r.Nonce = new(big.Int)
	if !readNumber(&body, r.Nonce) || r.Nonce.Sign() <= 0 || !bytes.Equal(r.Marshal(), der) {
		return Request{}, bad
	}
	return r, nil
}

// readImprint reads a MessageImprint whose digest has the length of its hash.
func readImprint(s *cryptobyte.String, h *Hash, digest *[]byte) bool {
	var imprint cryptobyte.String
	return s.ReadASN1(&imprint, asn1tag.SEQUENCE) && readHash(&imprint, h) && readBytes(&imprint, digest) &&
		imprint.Empty() && len(*digest) == h.Size()
}
