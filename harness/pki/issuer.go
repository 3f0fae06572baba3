package pki

import (
	"crypto"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// issuerLifetime is how long an issuer's own certificate is valid: ten years.
const issuerLifetime = 10 * 365 * 24 * time.Hour

// Issuer is an issuing authority: its certificate and its key.
type Issuer struct {
	Certificate *x509.Certificate
	Key         crypto.Signer
}

// NewIssuer makes an issuer with a new key of the algorithm and a certificate
// that it signed itself, valid from the day before now.
func NewIssuer(name, algorithm string, now time.Time, stream *chance.Stream) *Issuer {
	key := seal.Must(stream.Key(algorithm))
	notBefore := now.Truncate(24 * time.Hour).Add(-24 * time.Hour)
	template := &x509.Certificate{
		SerialNumber:          Serial(stream),
		Subject:               pkix.Name{CommonName: name, Organization: []string{"svc edge"}},
		NotBefore:             notBefore,
		NotAfter:              notBefore.Add(issuerLifetime),
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	der := seal.Must(x509.CreateCertificate(nil, template, template, key.Public(), key))
	return &Issuer{seal.Must(x509.ParseCertificate(der)), key}
}

// KeyDigest is the SHA-256 of the issuer's SubjectPublicKeyInfo, in hex: how a
// signer registry names it, SPEC 7.8.
func (i *Issuer) KeyDigest() string {
	return seal.SHA256(i.Certificate.RawSubjectPublicKeyInfo)
}

// Sign signs the template's statements about the public key, whatever they are, and returns
// the certificate in DER.
func (i *Issuer) Sign(template *x509.Certificate, public crypto.PublicKey) ([]byte, error) {
	return x509.CreateCertificate(nil, template, i.Certificate, public, i.Key)
}

// Serial returns a positive serial number of 16 bytes.
func Serial(stream *chance.Stream) *big.Int {
	b := stream.Bytes(16)
	b[0] = b[0]&0x3f | 0x40
	return new(big.Int).SetBytes(b)
}
