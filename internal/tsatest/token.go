package tsatest

import (
	"bytes"
	"crypto/sha1" // #nosec G505 -- ESSCertID knows no other
	"crypto/x509"
	"encoding/asn1"
	"math/big"
	"slices"
	"time"

	"golang.org/x/crypto/cryptobyte"

	"github.com/svc-edge/svc-verify/internal/must"
)

// Info is a TSTInfo. Each part is an element, nil if it is left out.
type Info struct {
	Version, Policy, Imprint, Serial, Time, Accuracy, Ordering, Nonce, Name, Extensions []byte
}

// DER returns the element.
func (i Info) DER() []byte {
	return Element(Sequence, i.Version, i.Policy, i.Imprint, i.Serial, i.Time, i.Accuracy, i.Ordering, i.Nonce, i.Name,
		i.Extensions)
}

// Answer returns the TSTInfo that answers a request at a time, with an accuracy of a
// second.
func Answer(request []byte, at time.Time) Info {
	var req struct {
		Version      int
		Imprint      asn1.RawValue
		Nonce        *big.Int
		Certificates bool
	}
	if rest, err := asn1.Unmarshal(request, &req); err != nil || len(rest) > 0 {
		panic("no request")
	}
	return Info{Version: Integer(1), Policy: OID(1, 3, 6, 1, 4, 1, 99999, 1), Imprint: req.Imprint.FullBytes,
		Serial: Integer(serials.Add(1)), Time: Time(at), Accuracy: Element(Sequence, Integer(1)),
		Nonce: must.Have(asn1.Marshal(req.Nonce))}
}

// Time returns a GeneralizedTime of whole seconds.
func Time(at time.Time) []byte {
	return Element(Generalized, []byte(at.UTC().Format("20060102150405Z")))
}

// Token is a token in parts.
type Token struct {
	Version       int
	Digests       []byte   // the content of digestAlgorithms
	Type          []byte   // eContentType
	Info          []byte   // TSTInfo
	Certificates  [][]byte // written in this order, like Revocation
	Revocation    [][]byte // elements of crls
	SignerVersion int
	SignerID      []byte
	Digest        []byte
	Attributes    [][]byte // each an element; nil omits the field
	Unsorted      bool     // the attributes stay in their order
	Algorithm     []byte
	Sign          func([]byte) []byte
	Unsigned      []byte // element behind the signature
	MoreSigners   []byte
}

// Attribute returns an attribute.
func Attribute(oid []byte, values ...[]byte) []byte {
	return Element(Sequence, oid, Element(Set, values...))
}

// The identifiers of attributes and contents.
var (
	TSTInfo       = OID(1, 2, 840, 113549, 1, 9, 16, 1, 4)
	ContentType   = OID(1, 2, 840, 113549, 1, 9, 3)
	MessageDigest = OID(1, 2, 840, 113549, 1, 9, 4)
	SigningCert   = OID(1, 2, 840, 113549, 1, 9, 16, 2, 12)
	SigningCertV2 = OID(1, 2, 840, 113549, 1, 9, 16, 2, 47)
)

// Named returns the attribute signing-certificate, version 2, that names
// certificates.
func Named(all ...*x509.Certificate) []byte {
	var ids [][]byte
	for _, c := range all {
		ids = append(ids, Element(Sequence, Element(Octets, sha256Of(c.Raw))))
	}
	return Attribute(SigningCertV2, Element(Sequence, Element(Sequence, ids...)))
}

// NamedV1 is Named in version 1, with issuer and serial.
func NamedV1(c *x509.Certificate) []byte {
	sum := sha1.Sum(c.Raw) // #nosec G401 -- as above
	issuer := Element(Sequence, Element(Sequence, Element(0xa4, c.RawIssuer)), must.Have(asn1.Marshal(c.SerialNumber)))
	return Attribute(SigningCert, Element(Sequence, Element(Sequence, Element(Sequence, Element(Octets, sum[:]), issuer))))
}

// Token returns the token over a TSTInfo in parts.
func (i Identity) Token(info []byte, further ...Identity) Token {
	t := Token{Version: 3, Digests: i.Key.Digest, Type: TSTInfo, Info: info, SignerVersion: 1, Digest: i.Key.Digest,
		SignerID:  Element(Sequence, i.Certificate.RawIssuer, must.Have(asn1.Marshal(i.Certificate.SerialNumber))),
		Algorithm: i.Key.Algorithm, Sign: i.Key.Sign, Certificates: [][]byte{i.Certificate.Raw}}
	for _, f := range further {
		t.Certificates = append(t.Certificates, f.Certificate.Raw)
	}
	t.Attributes = [][]byte{Attribute(ContentType, TSTInfo), Attribute(MessageDigest, Element(Octets, i.Key.sum(info))),
		Named(i.Certificate)}
	return t
}

// DER returns the token's ContentInfo.
func (t Token) DER() []byte {
	attributes := slices.Clone(t.Attributes)
	if !t.Unsorted {
		slices.SortFunc(attributes, bytes.Compare)
	}
	var signed []byte
	message := t.Info
	if t.Attributes != nil {
		signed, message = Element(Inner0, attributes...), Element(Set, attributes...)
	}
	signer := Element(Sequence, Integer(int64(t.SignerVersion)), t.SignerID, t.Digest, signed, t.Algorithm,
		Element(Octets, t.Sign(message)), t.Unsigned)
	var certificates []byte
	if t.Certificates != nil {
		certificates = Element(Inner0, t.Certificates...)
	}
	var revocation []byte
	if t.Revocation != nil {
		revocation = Element(Inner1, t.Revocation...)
	}
	data := Element(Sequence, Integer(int64(t.Version)), Element(Set, t.Digests),
		Element(Sequence, t.Type, Element(Inner0, Element(Octets, t.Info))), certificates, revocation,
		Element(Set, signer, t.MoreSigners))
	return Element(Sequence, OID(1, 2, 840, 113549, 1, 7, 2), Element(Inner0, data))
}

// OtherInfo returns an OCSP answer as an element of crls (RFC 5940).
func OtherInfo(ocsp []byte) []byte {
	return Element(Inner1, OID(1, 3, 6, 1, 5, 5, 7, 16, 2), ocsp)
}

// Response returns the response with a status around a token.
func Response(status int64, token []byte) []byte {
	return Element(Sequence, Element(Sequence, Integer(status)), token)
}

// Stamp returns the response of a signer to a request at a time.
func (i Identity) Stamp(request []byte, at time.Time, further ...Identity) []byte {
	return Response(0, i.Token(Answer(request, at).DER(), further...).DER())
}

// Inside returns the content of an element.
func Inside(element []byte) []byte {
	s := cryptobyte.String(element)
	var content cryptobyte.String
	if !s.ReadAnyASN1(&content, nil) {
		panic("no element")
	}
	return content
}
