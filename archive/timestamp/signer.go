package timestamp

import (
	"bytes"
	"crypto/sha1" // #nosec G505 -- ESSCertID of RFC 2634 knows no other
	"crypto/x509"
	"encoding/asn1"
	"math/big"
	"slices"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"
)

// signerInfo is the one SignerInfo of a token (RFC 5652, section 5.3).
type signerInfo struct {
	issuer    []byte   // DER of the issuer's name, with serial; or
	serial    *big.Int //
	keyID     []byte   // the subject key identifier
	digest    Hash
	signed    []byte // the signed bytes: the attributes as a SET
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

// attribute reads an attribute that counts. Others are signed, and say nothing here.
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

// certificateID is an ESSCertID or ESSCertIDv2 (RFC 5035): the digest of a
// certificate, and perhaps its issuer and serial.
type certificateID struct {
	sum    func(der []byte) []byte
	digest []byte
	issuer []byte   // DER of the issuer's name, nil if it is not named
	serial *big.Int // with issuer
}

// is reports whether the id identifies the certificate.
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

// readCertificateID reads the digest of an ESSCertID, which is a SHA-1. It distinguishes
// certificates and proves nothing: the certificate must lead to a pinned authority by itself.
func readCertificateID(s *cryptobyte.String, id *certificateID) bool {
	id.sum = sha1Of
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
			if !slices.ContainsFunc(named, func(id certificateID) bool { return id.is(c) }) {
				return false
			}
		}
	}
	return true
}
