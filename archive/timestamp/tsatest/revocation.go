package tsatest

import (
	"crypto/sha1" // #nosec G505 -- as most OCSP answers do
	"crypto/x509"
	"encoding/asn1"
	"time"

	asn1tag "golang.org/x/crypto/cryptobyte/asn1"
)

// Revoked is an entry of a CRL. A reason below 0 is left out.
type Revoked struct {
	Certificate *x509.Certificate
	At          time.Time
	Reason      int
	Since       time.Time // invalidity date, if not zero
}

// Extension returns an Extension that no one knows.
func Extension(critical bool) []byte { return extension(OID(1, 2, 3, 4), critical, Null) }

// Padding returns an Extension of a size.
func Padding(size int) []byte { return extension(OID(1, 2, 3, 5), false, make([]byte, size)) }

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
	var extensions []byte
	if len(all) > 0 {
		extensions = Element(Sequence, all...)
	}
	return Element(Sequence, must(asn1.Marshal(r.Certificate.SerialNumber)), Time(r.At), extensions)
}

// CRL returns a list of the authority. Further extensions are of [Extension] and [Part].
func (i Identity) CRL(this, next time.Time, entries []Revoked, further ...[]byte) []byte {
	var list [][]byte
	for _, e := range entries {
		list = append(list, e.der())
	}
	var revoked []byte
	if len(list) > 0 {
		revoked = Element(Sequence, list...)
	}
	extensions := append([][]byte{extension(OID(2, 5, 29, 20), false, Integer(7))}, further...)
	return Signed(i.Key, Element(Sequence, Integer(1), i.Key.Algorithm, i.Certificate.RawSubject, Time(this), Time(next),
		revoked, Element(Inner0, Element(Sequence, extensions...))))
}

// Part returns the extension that says that a CRL is about a part of the
// certificates. Its content is the elements of IssuingDistributionPoint.
func Part(elements ...[]byte) []byte {
	return extension(OID(2, 5, 29, 28), true, Element(Sequence, elements...))
}

// Good and Unknown are what an OCSP answer can say; so is [Revoked.Status].
var (
	Good    = []byte{0x80, 0}
	Unknown = []byte{0x82, 0}
)

// Status is the entry as an OCSP answer says it.
func (r Revoked) Status() []byte {
	return Element(Inner1, Time(r.At), Element(Inner0, enumerated(r.Reason)))
}

// OCSP returns an answer about a certificate of the authority, signed by it or a
// responder.
func (i Identity) OCSP(c *x509.Certificate, status []byte, this, next time.Time, by Identity) []byte {
	var key struct {
		Algorithm asn1.RawValue
		Key       asn1.BitString
	}
	must(asn1.Unmarshal(i.Key.Info, &key))
	name, public := sha1.Sum(i.Certificate.RawSubject), sha1.Sum(key.Key.Bytes) // #nosec G401 -- as above
	id := Element(Sequence, Element(Sequence, OID(1, 3, 14, 3, 2, 26), Null), Element(Octets, name[:]),
		Element(Octets, public[:]), must(asn1.Marshal(c.SerialNumber)))
	one := Element(Sequence, id, status, Time(this), Element(Inner0, Time(next)))
	data := Element(Sequence, Element(Inner2, Element(Octets, public[:])), Time(this), Element(Sequence, one))
	var certificates []byte
	if !by.Certificate.Equal(i.Certificate) {
		certificates = Element(Inner0, Element(Sequence, by.Certificate.Raw))
	}
	basic := Signed(by.Key, data, certificates)
	return Element(Sequence, enumerated(0),
		Element(Inner0, Element(Sequence, OID(1, 3, 6, 1, 5, 5, 7, 48, 1, 1), Element(Octets, basic))))
}
