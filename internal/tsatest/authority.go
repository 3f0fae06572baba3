package tsatest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/svc-edge/svc-verify/internal/must"
)

// Identity is a certificate and its key.
type Identity struct {
	Certificate *x509.Certificate
	Key         Key
}

var serials atomic.Int64

// Restart restarts the serials of certificates and tokens, so that the next ones are the same
// each time.
func Restart() { serials.Store(0) }

// template returns the members that all certificates of tests have.
func template(name string, from, until time.Time) *x509.Certificate {
	return &x509.Certificate{SerialNumber: big.NewInt(1000 + serials.Add(1)), Subject: pkix.Name{CommonName: name},
		NotBefore: from, NotAfter: until}
}

// Authority makes a certificate that signs itself.
func Authority(name string, key Key, from, until time.Time, change ...func(*x509.Certificate)) Identity {
	t := template(name, from, until)
	asAuthority(t)
	return issue(t, key, nil, change)
}

func asAuthority(t *x509.Certificate) {
	t.IsCA, t.BasicConstraintsValid = true, true
	t.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
}

// Below makes the certificate of an authority below.
func (i Identity) Below(name string, key Key, from, until time.Time, change ...func(*x509.Certificate)) Identity {
	t := template(name, from, until)
	asAuthority(t)
	return issue(t, key, &i, change)
}

// Stamper makes the certificate of a signer of tokens.
func (i Identity) Stamper(name string, key Key, from, until time.Time, change ...func(*x509.Certificate)) Identity {
	t := template(name, from, until)
	t.KeyUsage = x509.KeyUsageDigitalSignature
	t.ExtraExtensions = []pkix.Extension{Purpose(true, 8)}
	return issue(t, key, &i, change)
}

// Responder makes the certificate of a signer of OCSP answers.
func (i Identity) Responder(name string, key Key, from, until time.Time, change ...func(*x509.Certificate)) Identity {
	t := template(name, from, until)
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageOCSPSigning}
	t.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 5}, Value: Null}}
	return issue(t, key, &i, change)
}

// Purpose is the extension of extended key usages, by their last number: 8 is
// time-stamping.
func Purpose(critical bool, usages ...int) pkix.Extension {
	var all []asn1.ObjectIdentifier
	for _, n := range usages {
		all = append(all, asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, n})
	}
	return pkix.Extension{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: critical, Value: must.Have(asn1.Marshal(all))}
}

// issue makes a certificate, by its own key if there is no issuer.
func issue(t *x509.Certificate, key Key, issuer *Identity, change []func(*x509.Certificate)) Identity {
	for _, f := range change {
		f(t)
	}
	id := sha256Of(key.Info)
	t.SubjectKeyId = id[:20]
	parent, signer := t, key
	if issuer != nil {
		parent, signer = issuer.Certificate, issuer.Key
	}
	// crypto/x509 signs with keys that it knows. Key and signature are then replaced.
	stand := must.Have(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	var above = *parent
	above.PublicKey = nil
	der := must.Have(x509.CreateCertificate(rand.Reader, t, &above, stand.Public(), stand))
	return Identity{must.Have(x509.ParseCertificate(resign(der, key.Info, signer))), key}
}

// resign returns a certificate with another key and the signature of another signer.
func resign(der, info []byte, signer Key) []byte {
	s := cryptobyte.String(der)
	var outer, tbs cryptobyte.String
	if !s.ReadASN1(&outer, asn1tag.SEQUENCE) || !outer.ReadASN1(&tbs, asn1tag.SEQUENCE) {
		panic("no certificate")
	}
	var parts [][]byte
	for !tbs.Empty() {
		var part cryptobyte.String
		if !tbs.ReadAnyASN1Element(&part, nil) {
			panic("no certificate")
		}
		parts = append(parts, part)
	}
	parts[2], parts[6] = signer.Algorithm, info // version, serial, signature, issuer, validity, subject, key
	return Signed(signer, Element(Sequence, parts...))
}

// Signed returns content with an algorithm and a signature behind it.
func Signed(signer Key, content []byte, after ...[]byte) []byte {
	parts := append([][]byte{content, signer.Algorithm, Bits(signer.Sign(content))}, after...)
	return Element(Sequence, parts...)
}
