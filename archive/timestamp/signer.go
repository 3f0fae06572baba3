package timestamp

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"math/big"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"
)

// signerInfo is the one SignerInfo of a token (RFC 5652, section 5.3).
type signerInfo struct {
	issuer    []byte   // DER of the issuer's name, with serial; or
	serial    *big.Int //
	keyID     []byte   // the subject key identifier
	digest    Hash
	signed    []byte // what is signed: the attributes as a SET
	algorithm algorithm
	signature []byte

	contentType   []byte
	messageDigest []byte
	named         [][]certificateID // of the attributes signing-certificate, one or both
}

var (
	oidContentType   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 3}
	oidMessageDigest = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 4}
	oidSigningCert   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 12}
	oidSigningCertV2 = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 47}
)

// read reads a set of signers, which is one. Its unsigned attributes say nothing here: as they cannot
// be believed, whatever they are.
func (i *signerInfo) read(set cryptobyte.String) *Fault {
	const path = "token/signerInfos/0"
	var s, attributes cryptobyte.String
	var version int
	if !set.ReadASN1(&s, asn1tag.SEQUENCE) || !set.Empty() || !s.ReadASN1Integer(&version) {
		return malformed("token/signerInfos", "exactly one signer", "another number, or something else")
	}
	if !i.readID(&s, version) {
		return malformed(path+"/sid", "issuer and serial in version 1, or a key identifier in version 3", "something else")
	}
	if !readHash(&s, &i.digest) {
		return malformed(path+"/digestAlgorithm", "one of the SHA-2 or SHA-3 functions", "something else")
	}
	if !s.ReadASN1(&attributes, inner0) {
		return malformed(path+"/signedAttrs", "signed attributes", "none")
	}
	var b cryptobyte.Builder
	b.AddASN1(asn1tag.SET, func(b *cryptobyte.Builder) { b.AddBytes(attributes) })
	i.signed = b.BytesOrPanic() // within MaxToken
	if fault := i.readAttributes(attributes); fault != nil {
		return fault
	}
	if !readAlgorithm(&s, &i.algorithm) || !readBytes(&s, &i.signature) {
		return malformed(path+"/signature", "an algorithm and a signature", "something else")
	}
	if !readUnsigned(s) {
		return malformed(path+"/unsignedAttrs", "attributes in the order of DER, or none", "something else")
	}
	return nil
}

// readUnsigned reads unsigned attributes up to the end. They are in the order of DER, as a token is
// hashed in it.
func readUnsigned(s cryptobyte.String) bool {
	var attributes, element cryptobyte.String
	if !s.Empty() && !s.ReadASN1(&attributes, inner1) || !s.Empty() {
		return false
	}
	for !attributes.Empty() {
		before := element
		var values cryptobyte.String
		var oid asn1.ObjectIdentifier
		if !attributes.ReadASN1Element(&element, asn1tag.SEQUENCE) || bytes.Compare(before, element) >= 0 ||
			!readAttribute(element, &oid, &values) {
			return false
		}
	}
	return true
}

// readAttribute reads an attribute, which is all there is.
func readAttribute(s cryptobyte.String, oid *asn1.ObjectIdentifier, values *cryptobyte.String) bool {
	var one cryptobyte.String
	return s.ReadASN1(&one, asn1tag.SEQUENCE) && readOID(&one, oid) && one.ReadASN1(values, asn1tag.SET) && one.Empty()
}

// readID reads the SignerIdentifier.
func (i *signerInfo) readID(s *cryptobyte.String, version int) bool {
	if s.PeekASN1Tag(context0) {
		var id cryptobyte.String
		ok := s.ReadASN1(&id, context0)
		i.keyID = id
		return ok && version == 3 && len(id) > 0
	}
	var pair, name cryptobyte.String
	i.serial = new(big.Int)
	ok := s.ReadASN1(&pair, asn1tag.SEQUENCE) && pair.ReadASN1Element(&name, asn1tag.SEQUENCE) &&
		readNumber(&pair, i.serial) && pair.Empty()
	i.issuer = name
	return ok && version == 1
}

// names reports whether a certificate is the one that the SignerInfo names.
func (i *signerInfo) names(c *x509.Certificate) bool {
	if i.keyID != nil {
		return bytes.Equal(i.keyID, c.SubjectKeyId)
	}
	return bytes.Equal(i.issuer, c.RawIssuer) && i.serial.Cmp(c.SerialNumber) == 0
}

// readAttributes reads the signed attributes. Each is there once, so that there is one way to read
// them; their order is the one that was signed.
func (i *signerInfo) readAttributes(s cryptobyte.String) *Fault {
	const path = "token/signerInfos/0/signedAttrs"
	seen := map[string]bool{}
	for !s.Empty() {
		var element, values, value cryptobyte.String
		var oid asn1.ObjectIdentifier
		if !s.ReadASN1Element(&element, asn1tag.SEQUENCE) {
			return malformed(path, "attributes", "something else")
		}
		if !readAttribute(element, &oid, &values) || !values.ReadAnyASN1Element(&value, nil) || !values.Empty() {
			return malformed(path, "attributes of one value", "something else")
		}
		if seen[oid.String()] {
			return malformed(path, "each attribute once", "a second "+oid.String())
		}
		seen[oid.String()] = true
		if !i.attribute(oid, value) {
			return malformed(path, "a value of the attribute "+oid.String(), "something else")
		}
	}
	return nil
}

// attribute takes an attribute that counts. Others are signed, and say nothing here.
func (i *signerInfo) attribute(oid asn1.ObjectIdentifier, value cryptobyte.String) bool {
	switch {
	case oid.Equal(oidContentType):
		i.contentType = value
	case oid.Equal(oidMessageDigest):
		return readBytes(&value, &i.messageDigest) && value.Empty()
	case oid.Equal(oidSigningCert):
		return i.readNamed(value, readCertificateID)
	case oid.Equal(oidSigningCertV2):
		return i.readNamed(value, readCertificateIDv2)
	}
	return true
}

// bind holds the signed attributes to the content.
func (i *signerInfo) bind(content []byte) *Fault {
	const path = "token/signerInfos/0/signedAttrs"
	var b cryptobyte.Builder
	b.AddASN1ObjectIdentifier(oidTSTInfo)
	if !bytes.Equal(i.contentType, b.BytesOrPanic()) {
		return malformed(path+"/content-type", "id-ct-TSTInfo", "none, or another")
	}
	if i.messageDigest == nil {
		return malformed(path+"/message-digest", "a digest", "none")
	}
	if !bytes.Equal(i.messageDigest, i.digest.Sum(content)) {
		return faultAt(TokenSignature, path+"/message-digest", "the digest of the content", "another")
	}
	if len(i.named) == 0 {
		return malformed(path+"/signing-certificate", "the signer's certificate, by its digest", "none")
	}
	return nil
}
