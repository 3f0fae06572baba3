// Package certificate reads X.509 certificates by the narrow rules of SPEC 7.12,
// so that every verifier reads them alike.
//
// A general X.509 library accepts certificates that the rules refuse, and
// refuses some that they accept, depending on its version and settings. This
// package reads only the parts that SPEC 8.16 to 8.18 are about. The rest of a
// certificate is opaque.
package certificate

import (
	"bytes"
	"errors"
	"math/big"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// Certificate is a parsed certificate. It does not change.
type Certificate struct {
	Raw        []byte // the whole DER
	TBS        []byte // the bytes that the issuer signed
	Version    int    // 1, 2 or 3
	Serial     *big.Int
	Issuer     []byte // DER of the name
	Subject    []byte // DER of the name
	NotBefore  time.Time
	NotAfter   time.Time
	KeyInfo    []byte // DER of the SubjectPublicKeyInfo
	Extensions []Extension

	algorithm []byte // DER of the signature's AlgorithmIdentifier
	signature []byte

	// From the extensions that are read; zero if the extension is absent.
	IsCA     bool
	KeyUsage KeyUsage
	Usages   []OID
	AltNames []AltName
}

// Extension is one extension. Its content is opaque.
type Extension struct {
	ID       OID
	Critical bool
	Value    []byte
}

// AltName is one entry of subjectAltName: its context tag, whether it is
// constructed, and its bytes.
type AltName struct {
	Tag         int
	Constructed bool
	Value       []byte
}

// OID is an object identifier: its content bytes in DER, which have room for
// arcs of any size.
type OID string

// The extensions whose content is read.
var (
	OIDKeyUsage         = OID("\x55\x1d\x0f")
	OIDSubjectAltName   = OID("\x55\x1d\x11")
	OIDBasicConstraints = OID("\x55\x1d\x13")
	OIDExtKeyUsage      = OID("\x55\x1d\x25")
)

// The other extensions that a leaf may have (SPEC 8.17). They give no power.
var (
	OIDSubjectKeyID        = OID("\x55\x1d\x0e")
	OIDCRLPoints           = OID("\x55\x1d\x1f")
	OIDCertificatePolicies = OID("\x55\x1d\x20")
	OIDAuthorityKeyID      = OID("\x55\x1d\x23")
	OIDAuthorityInfo       = OID("\x2b\x06\x01\x05\x05\x07\x01\x01")
	OIDTimestamps          = OID("\x2b\x06\x01\x04\x01\xd6\x79\x02\x04\x02")
)

// readOID reads an OBJECT IDENTIFIER: at least one byte, every arc in its
// shortest form and ended.
func readOID(s *cryptobyte.String, to *OID) bool {
	var content cryptobyte.String
	if !s.ReadASN1(&content, cbasn1.OBJECT_IDENTIFIER) || content.Empty() {
		return false
	}
	begins := true
	for _, c := range content {
		if begins && c == 0x80 {
			return false
		}
		begins = c < 0x80
	}
	*to = OID(content)
	return begins
}

// The faults of a certificate. Each names the part that is wrong.
var (
	errOuter      = errors.New("not one Certificate of three members, in DER")
	errSignature  = errors.New("a signature that is not whole octets, or two signature algorithms")
	errVersion    = errors.New("a version that does not exist")
	errSerial     = errors.New("a serial number that is not an INTEGER")
	errName       = errors.New("a name that is not a SEQUENCE")
	errValidity   = errors.New("a validity that is not two times in the form of DER")
	errKeyInfo    = errors.New("a malformed subjectPublicKeyInfo")
	errTBS        = errors.New("a member that tbsCertificate does not have")
	errExtensions = errors.New("malformed extensions, or extensions in a version that has none")
)

// Parse reads one certificate in DER (SPEC 7.12). It returns an error if there
// are bytes after it.
func Parse(der []byte) (*Certificate, error) {
	input := cryptobyte.String(der)
	var outer, tbs, algorithm cryptobyte.String
	c := &Certificate{Raw: der}
	if !input.ReadASN1(&outer, cbasn1.SEQUENCE) || !input.Empty() ||
		!outer.ReadASN1Element(&tbs, cbasn1.SEQUENCE) || !readAlgorithm(&outer, &algorithm) {
		return nil, errOuter
	}
	c.TBS, c.algorithm = tbs, algorithm
	if !readOctets(&outer, &c.signature) || !outer.Empty() {
		return nil, errSignature
	}
	if err := c.readTBS(tbs); err != nil {
		return nil, err
	}
	return c, nil
}

// readAlgorithm reads an AlgorithmIdentifier: an identifier and at most one
// opaque value.
func readAlgorithm(s, to *cryptobyte.String) bool {
	if !s.ReadASN1Element(to, cbasn1.SEQUENCE) {
		return false
	}
	inner, content := *to, cryptobyte.String(nil)
	var oid OID
	if !inner.ReadASN1(&content, cbasn1.SEQUENCE) || !readOID(&content, &oid) {
		return false
	}
	if content.Empty() {
		return true
	}
	var opaque cryptobyte.String
	var tag cbasn1.Tag
	return content.ReadAnyASN1(&opaque, &tag) && content.Empty()
}

// readOctets reads a BIT STRING without unused bits.
func readOctets(s *cryptobyte.String, to *[]byte) bool {
	var content cryptobyte.String
	var unused uint8
	if !s.ReadASN1(&content, cbasn1.BIT_STRING) || !content.ReadUint8(&unused) || unused != 0 {
		return false
	}
	*to = content
	return true
}

// readTBS reads the members of tbsCertificate in their order.
func (c *Certificate) readTBS(element cryptobyte.String) error {
	var tbs, inner, issuer, subject, keyInfo cryptobyte.String
	if !element.ReadASN1(&tbs, cbasn1.SEQUENCE) {
		return errOuter
	}
	if !c.readVersion(&tbs) {
		return errVersion
	}
	c.Serial = new(big.Int)
	if !tbs.ReadASN1Integer(c.Serial) {
		return errSerial
	}
	if !readAlgorithm(&tbs, &inner) || !bytes.Equal(inner, c.algorithm) {
		return errSignature
	}
	if !tbs.ReadASN1Element(&issuer, cbasn1.SEQUENCE) {
		return errName
	}
	if !c.readValidity(&tbs) {
		return errValidity
	}
	if !tbs.ReadASN1Element(&subject, cbasn1.SEQUENCE) {
		return errName
	}
	if !tbs.ReadASN1Element(&keyInfo, cbasn1.SEQUENCE) || !validKeyInfo(keyInfo) {
		return errKeyInfo
	}
	c.Issuer, c.Subject, c.KeyInfo = issuer, subject, keyInfo
	if tbs.Empty() {
		return nil
	}
	if c.Version != 3 {
		return errExtensions
	}
	if err := c.readExtensions(&tbs); err != nil {
		return err
	}
	if !tbs.Empty() {
		return errTBS
	}
	return nil
}

func (c *Certificate) readVersion(tbs *cryptobyte.String) bool {
	c.Version = 1
	var explicit cryptobyte.String
	var present bool
	if !tbs.ReadOptionalASN1(&explicit, &present, cbasn1.Tag(0).ContextSpecific().Constructed()) {
		return false
	}
	if !present {
		return true
	}
	var version int
	ok := explicit.ReadASN1Integer(&version) && explicit.Empty() && (version == 1 || version == 2)
	c.Version = version + 1
	return ok
}

func (c *Certificate) readValidity(tbs *cryptobyte.String) bool {
	var validity cryptobyte.String
	return tbs.ReadASN1(&validity, cbasn1.SEQUENCE) &&
		readTime(&validity, &c.NotBefore) && readTime(&validity, &c.NotAfter) && validity.Empty()
}

// readTime reads a time in the form that DER requires for its year.
func readTime(s *cryptobyte.String, to *time.Time) bool {
	var text cryptobyte.String
	var tag cbasn1.Tag
	if !s.ReadAnyASN1(&text, &tag) {
		return false
	}
	digits := string(text)
	switch {
	case tag == cbasn1.UTCTime && len(digits) == len("060102150405Z") && digits[0] >= '5':
		digits = "19" + digits
	case tag == cbasn1.UTCTime && len(digits) == len("060102150405Z"):
		digits = "20" + digits
	case tag != cbasn1.GeneralizedTime || digits < "2050":
		return false
	}
	const layout = "20060102150405Z"
	t, err := time.Parse(layout, digits)
	*to = t
	return err == nil && t.Format(layout) == digits
}

func validKeyInfo(element cryptobyte.String) bool {
	var info, algorithm cryptobyte.String
	var key []byte
	return element.ReadASN1(&info, cbasn1.SEQUENCE) && readAlgorithm(&info, &algorithm) &&
		readOctets(&info, &key) && info.Empty()
}
