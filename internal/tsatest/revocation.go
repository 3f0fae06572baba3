package tsatest

import (
	"crypto/sha1" // #nosec G505 -- as most OCSP answers do
	"crypto/x509"
	"encoding/asn1"
	"slices"
	"time"

	asn1tag "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/svc-edge/svc-verify/internal/must"
)

// Revoked is an entry of a CRL. A reason below 0 is left out.
type Revoked struct {
	Certificate *x509.Certificate
	At          time.Time
	Reason      int
	Since       time.Time // invalidity date, if not zero
	Further     []byte    // an extension; may be nil
}

// Extension returns an Extension that no one knows.
func Extension(critical bool) []byte { return extension(OID(1, 2, 3, 4), critical, Null) }

// Padding returns an Extension of a size.
func Padding(size int) []byte { return extension(OID(1, 2, 3, 5), false, make([]byte, size)) }

// ExtensionOf returns an Extension of RFC 5280, by the last number of its identifier.
func ExtensionOf(number int, critical bool, value []byte) []byte {
	return extension(OID(2, 5, 29, number), critical, value)
}

// PointName returns a DistributionPointName with a URI.
func PointName(uri string) []byte {
	return Element(Inner0, Element(Inner0, Element(0x86, []byte(uri))))
}

func extension(oid []byte, critical bool, value []byte) []byte {
	var flag []byte
	if critical {
		flag = []byte{1, 1, 0xff}
	}
	return Element(Sequence, oid, flag, Element(Octets, value))
}

func enumerated(n int) []byte { return Element(asn1tag.ENUM, []byte{byte(n)}) }

func (r Revoked) der() []byte {
	var all [][]byte
	if r.Reason >= 0 {
		all = append(all, extension(OID(2, 5, 29, 21), false, enumerated(r.Reason)))
	}
	if !r.Since.IsZero() {
		all = append(all, extension(OID(2, 5, 29, 24), false, Time(r.Since)))
	}
	if r.Further != nil {
		all = append(all, r.Further)
	}
	var extensions []byte
	if len(all) > 0 {
		extensions = Element(Sequence, all...)
	}
	return Element(Sequence, must.Have(asn1.Marshal(r.Certificate.SerialNumber)), Time(r.At), extensions)
}

// BareCRL returns a list of a version without extensions. Without a next update, next is zero.
func (i Identity) BareCRL(version int, this, next time.Time, entries []Revoked, further ...[]byte) []byte {
	var number []byte
	if version > 1 {
		number = Integer(int64(version - 1))
	}
	var until []byte
	if !next.IsZero() {
		until = Time(next)
	}
	return Signed(i.Key, Element(Sequence, slices.Concat([][]byte{number, i.Key.Algorithm, i.Certificate.RawSubject,
		Time(this), until, revokedList(entries)}, further)...))
}

func revokedList(entries []Revoked) []byte {
	var list [][]byte
	for _, e := range entries {
		list = append(list, e.der())
	}
	if len(list) == 0 {
		return nil
	}
	return Element(Sequence, list...)
}

// CRL returns a list of the authority. Further extensions are of [Extension] and [Part].
func (i Identity) CRL(this, next time.Time, entries []Revoked, further ...[]byte) []byte {
	extensions := append([][]byte{extension(OID(2, 5, 29, 20), false, Integer(7))}, further...)
	return i.BareCRL(2, this, next, entries, Element(Inner0, Element(Sequence, extensions...)))
}

// Part returns the extension that limits a CRL to a part of the certificates. Its content is
// the elements of IssuingDistributionPoint.
func Part(elements ...[]byte) []byte {
	return extension(OID(2, 5, 29, 28), true, Element(Sequence, elements...))
}

// Good and Unknown are statuses in an OCSP answer; so is [Revoked.Status].
var (
	Good    = []byte{0x80, 0}
	Unknown = []byte{0x82, 0}
)

// Status returns the entry in the form of an OCSP answer.
func (r Revoked) Status() []byte {
	return Element(Inner1, Time(r.At), Element(Inner0, enumerated(r.Reason)))
}

// OCSPParts are elements of an OCSP answer, nil if they are left out.
type OCSPParts struct{ Version, Produced, Next, AnswerExtensions, Extensions []byte }

// OCSP returns an answer about a certificate of the authority, signed by it or a
// responder.
func (i Identity) OCSP(c *x509.Certificate, status []byte, this, next time.Time, by Identity,
	change ...func(*OCSPParts)) []byte {
	parts := OCSPParts{Produced: Time(this), Next: Element(Inner0, Time(next))}
	for _, f := range change {
		f(&parts)
	}
	var key struct {
		Algorithm asn1.RawValue
		Key       asn1.BitString
	}
	must.Have(asn1.Unmarshal(i.Key.Info, &key))
	name, public := sha1.Sum(i.Certificate.RawSubject), sha1.Sum(key.Key.Bytes) // #nosec G401 -- as above
	id := Element(Sequence, Element(Sequence, OID(1, 3, 14, 3, 2, 26), Null), Element(Octets, name[:]),
		Element(Octets, public[:]), must.Have(asn1.Marshal(c.SerialNumber)))
	data := Element(Sequence, parts.Version, Element(Inner2, Element(Octets, public[:])), parts.Produced,
		Element(Sequence, Element(Sequence, id, status, Time(this), parts.Next, parts.AnswerExtensions)), parts.Extensions)
	var certificates []byte
	if !by.Certificate.Equal(i.Certificate) {
		certificates = Element(Inner0, Element(Sequence, by.Certificate.Raw))
	}
	return Element(Sequence, enumerated(0),
		Element(Inner0, Element(Sequence, OID(1, 3, 6, 1, 5, 5, 7, 48, 1, 1),
			Element(Octets, Signed(by.Key, data, certificates)))))
}

// BasicOCSP returns the BasicOCSPResponse in an OCSP answer, behind its status and type.
func BasicOCSP(answer []byte) []byte {
	return Inside(Inside(Inside(Inside(answer)[len(enumerated(0)):]))[len(OID(1, 3, 6, 1, 5, 5, 7, 48, 1, 1)):])
}
