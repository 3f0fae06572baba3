package timestamp

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"math/big"
	"strconv"
	"time"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Token is a time-stamp token that has its form. Nothing in it is verified before
// [Token.Trace].
type Token struct {
	DER []byte // the ContentInfo, without the response around it

	Hash     Hash
	Imprint  []byte
	Time     time.Time // genTime
	Accuracy time.Duration
	Nonce    *big.Int // nil if there is none
	Policy   string   // an object identifier
	Serial   *big.Int

	// Certificates are those in the token, in its order. They are candidates.
	Certificates []*x509.Certificate

	// Revocation is the evidence in the token, in its order, named such as "crl 1" and "ocsp 2".
	// Unusable has a fault for each element that is neither a CRL nor an OCSP answer.
	Revocation []Evidence
	Unusable   []*Fault

	parts   layout
	content []byte // eContent, the TSTInfo
	signer  signerInfo
}

// Latest is the latest time that the token can mean.
func (t *Token) Latest() time.Time { return t.Time.Add(t.Accuracy) }

var (
	oidSignedData = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}
	oidTSTInfo    = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 1, 4}
)

// Parse reads a token, or a TimeStampResp with one, from DER.
func Parse(doc []byte) (*Token, *Fault) {
	if len(doc) > MaxToken {
		return nil, malformed("token", fmt.Sprintf("at most %d octets", MaxToken), strconv.Itoa(len(doc)))
	}
	s := cryptobyte.String(doc)
	var outer cryptobyte.String
	if !s.ReadASN1(&outer, asn1tag.SEQUENCE) || !s.Empty() {
		return nil, malformed("token", "one DER structure", "something else")
	}
	if !outer.PeekASN1Tag(asn1tag.SEQUENCE) { // no status: it is the token itself
		return parseToken(doc)
	}
	if fault := readStatus(&outer); fault != nil {
		return nil, fault
	}
	var token cryptobyte.String
	if !outer.ReadASN1Element(&token, asn1tag.SEQUENCE) || !outer.Empty() {
		return nil, malformed("response", "a status and a token", "something else")
	}
	return parseToken(token)
}

// readStatus reads the PKIStatusInfo of a response, which must be granted.
func readStatus(s *cryptobyte.String) *Fault {
	var info, text cryptobyte.String
	var status int
	if !s.ReadASN1(&info, asn1tag.SEQUENCE) || !info.ReadASN1Integer(&status) {
		return malformed("response/status", "a PKIStatusInfo", "something else")
	}
	if status == 0 || status == 1 {
		return nil
	}
	says := fmt.Sprintf("status %d", status)
	var part cryptobyte.String
	if info.PeekASN1Tag(asn1tag.SEQUENCE) && info.ReadASN1(&text, asn1tag.SEQUENCE) &&
		text.ReadASN1(&part, asn1tag.UTF8String) {
		says += ": " + string(part)
	}
	return faultAt(TokenRefused, "response/status", "a token", says)
}

// ParseStored reads a token that a record keeps: without a response around it, and larger than an
// authority makes it, as evidence was added to it (see [Token.With]).
func ParseStored(doc []byte) (*Token, *Fault) {
	if len(doc) > MaxStored {
		return nil, malformed("token", fmt.Sprintf("at most %d octets", MaxStored), strconv.Itoa(len(doc)))
	}
	return parseToken(doc)
}

// parseToken reads a ContentInfo with SignedData (RFC 5652, sections 3 and 5.1).
func parseToken(der []byte) (*Token, *Fault) {
	t := &Token{DER: bytes.Clone(der)}
	s := cryptobyte.String(t.DER)
	var info, explicit, data cryptobyte.String
	var oid asn1.ObjectIdentifier
	if !s.ReadASN1(&info, asn1tag.SEQUENCE) || !s.Empty() || !readOID(&info, &oid) || !oid.Equal(oidSignedData) ||
		!info.ReadASN1(&explicit, inner0) || !info.Empty() ||
		!explicit.ReadASN1(&data, asn1tag.SEQUENCE) || !explicit.Empty() {
		return nil, malformed("token", "a ContentInfo with SignedData", "something else")
	}
	if fault := t.readSignedData(data); fault != nil {
		return nil, fault
	}
	if fault := t.signer.bind(t.content); fault != nil {
		return nil, fault
	}
	if fault := t.readInfo(); fault != nil {
		return nil, fault
	}
	return t, nil
}

// readSignedData reads the content of a SignedData. Its version follows from the other fields, and
// authorities write other ones, which changes nothing.
func (t *Token) readSignedData(data cryptobyte.String) *Fault {
	l := &t.parts
	if !data.ReadASN1Integer(&l.version) || l.version < 1 || l.version == 2 || l.version > 5 {
		return malformed("token/version", "SignedData of version 1, 3, 4 or 5", "something else")
	}
	head := data
	digest, fault := readDigestAlgorithms(&data)
	if fault != nil {
		return fault
	}
	if fault := t.readContent(&data); fault != nil {
		return fault
	}
	l.head = head[:len(head)-len(data)]
	if fault := t.readCertificates(&data); fault != nil {
		return fault
	}
	var ok bool
	if l.crls, ok = readSet(&data, inner1, MaxEvidence); !ok {
		return malformed("token/crls", fmt.Sprintf("a set of at most %d", MaxEvidence), "more, or something else")
	}
	if fault := t.readRevocation(); fault != nil {
		return fault
	}
	l.signers = data
	var signers cryptobyte.String
	if !data.ReadASN1(&signers, asn1tag.SET) || !data.Empty() {
		return malformed("token/signerInfos", "a set of signers", "something else")
	}
	if fault := t.signer.read(signers); fault != nil {
		return fault
	}
	if t.signer.digest != digest {
		return malformed("token/digestAlgorithms", "the algorithm of the signer", string(digest))
	}
	return nil
}

// readDigestAlgorithms reads the set of digest algorithms, which is one.
func readDigestAlgorithms(s *cryptobyte.String) (h Hash, fault *Fault) {
	var set cryptobyte.String
	if !s.ReadASN1(&set, asn1tag.SET) || !readHash(&set, &h) || !set.Empty() {
		return "", malformed("token/digestAlgorithms", "one of the SHA-2 or SHA-3 functions", "something else")
	}
	return h, nil
}

// readContent reads the EncapsulatedContentInfo.
func (t *Token) readContent(s *cryptobyte.String) *Fault {
	var info, explicit cryptobyte.String
	var oid asn1.ObjectIdentifier
	if !s.ReadASN1(&info, asn1tag.SEQUENCE) || !readOID(&info, &oid) || !oid.Equal(oidTSTInfo) ||
		!info.ReadASN1(&explicit, inner0) || !info.Empty() || !readBytes(&explicit, &t.content) || !explicit.Empty() {
		return malformed("token/encapContentInfo", "a TSTInfo", "something else")
	}
	return nil
}

// readCertificates reads the certificates; there can be none. Attribute certificates, which signers on
// some hardware have, show nothing here.
func (t *Token) readCertificates(s *cryptobyte.String) *Fault {
	var ok bool
	if t.parts.certificates, ok = readSet(s, inner0, MaxCertificates); !ok {
		return malformed("token/certificates", fmt.Sprintf("a set of at most %d certificates", MaxCertificates),
			"more, or something else")
	}
	for _, one := range t.parts.certificates {
		if tag := asn1tag.Tag(one[0]); tag == inner1 || tag == inner2 {
			continue
		}
		c, err := ParseCertificate(one)
		if err != nil {
			return malformed("token/certificates", "X.509 certificates", err.Error())
		}
		t.Certificates = append(t.Certificates, c)
	}
	return nil
}

// ParseCertificate reads the DER of one certificate within limits.
func ParseCertificate(der []byte) (*x509.Certificate, error) {
	if len(der) > MaxCertificate {
		return nil, fmt.Errorf("%d octets, more than %d", len(der), MaxCertificate)
	}
	return x509.ParseCertificate(der)
}

// Answers returns a fault unless the token answers a request: the same imprint and
// the same nonce.
func (t *Token) Answers(r Request) *Fault {
	if t.Hash != r.Hash || !bytes.Equal(t.Imprint, r.Imprint) {
		return faultAt(TokenOther, "token/messageImprint", fmt.Sprintf("%s %x", r.Hash, r.Imprint),
			fmt.Sprintf("%s %x", t.Hash, t.Imprint))
	}
	switch {
	case t.Nonce == nil:
		return faultAt(TokenOther, "token/nonce", r.Nonce.Text(16), "none")
	case t.Nonce.Cmp(r.Nonce) != 0:
		return faultAt(TokenOther, "token/nonce", r.Nonce.Text(16), t.Nonce.Text(16))
	}
	return nil
}

// Fault describes why a token, or evidence about one, is not accepted. Path names the
// part by the names of the RFCs, such as token/signerInfo. Expected and Found can
// hold text of the evidence.
type Fault finding.InDocument

// Error returns the fault in one line, safe to show.
func (f *Fault) Error() string {
	return fmt.Sprintf("%s: expected %s, found %s (%s)", safetext.Line(f.Path), safetext.Line(f.Expected),
		safetext.Line(f.Found), f.Code)
}

func faultAt(code finding.Code, path, expected, found string) *Fault {
	return &Fault{Code: code, Path: path, Expected: expected, Found: found}
}

// malformed is a fault of form.
func malformed(path, expected, found string) *Fault {
	return faultAt(TokenMalformed, path, expected, found)
}

// The largest documents that are read, in bytes. Usual tokens have 2 to 10 KB, and the CRLs of
// large authorities some megabytes.
const (
	MaxToken       = 256 << 10
	MaxStored      = 64 << 20 // of a token with evidence that was added
	MaxRequest     = 4 << 10
	MaxCertificate = 64 << 10
	MaxRevocation  = 16 << 20

	// MaxCertificates bounds the certificates of one token, and those given in addition to it.
	MaxCertificates = 16

	// MaxEvidence bounds the CRLs and OCSP answers of one token.
	MaxEvidence = 32
)
