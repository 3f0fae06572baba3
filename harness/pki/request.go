package pki

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"slices"

	"filippo.io/edwards25519"

	"github.com/svc-edge/svc-verify/harness/seal"
)

var oidAlternativeNames = asn1.ObjectIdentifier{2, 5, 29, 17}

// Request returns a certificate signing request, in DER, for the key and the
// names, in the form that they have in the terms of a transaction, SPEC 7.3.
func Request(key crypto.Signer, names []string) ([]byte, error) {
	value, err := alternativeNames(names)
	if err != nil {
		return nil, err
	}
	return x509.CreateCertificateRequest(nil, &x509.CertificateRequest{
		ExtraExtensions: []pkix.Extension{{Id: oidAlternativeNames, Value: value}},
	}, key)
}

// CheckForm checks that names have a form that terms can have, SPEC 7.3.
func CheckForm(names []string) error {
	_, err := alternativeNames(names)
	return err
}

// ReadRequest parses a request and checks that the holder of its key made it.
func ReadRequest(der []byte) (*x509.CertificateRequest, error) {
	request, err := x509.ParseCertificateRequest(der)
	if err != nil {
		return nil, fmt.Errorf("certificate request: %w", err)
	}
	if err := request.CheckSignature(); err != nil {
		return nil, fmt.Errorf("certificate request: the holder of its key did not sign it: %w", err)
	}
	return request, nil
}

// CheckTerms checks that the request matches the terms: the key, its algorithm, and the names.
func CheckTerms(request *x509.CertificateRequest, terms seal.Object) error {
	digest := seal.SHA256(request.RawSubjectPublicKeyInfo)
	if want := seal.Text(terms, "public_key_sha256"); digest != want {
		return fmt.Errorf("certificate request: expected the key %s of the terms, found %s", want, digest)
	}
	algorithm, err := AlgorithmOf(request.PublicKey)
	if err != nil {
		return fmt.Errorf("certificate request: %w", err)
	}
	if want := seal.Text(terms, "algorithm"); algorithm != want {
		return fmt.Errorf("certificate request: expected a key of algorithm %s, found %s", want, algorithm)
	}
	if err := checkNames(request.Extensions, seal.Texts(terms, "names")); err != nil {
		return fmt.Errorf("certificate request: %w", err)
	}
	return nil
}

// CheckNames checks that a certificate has exactly the names, in the form that
// they have in the terms, and in their order.
func CheckNames(certificate *x509.Certificate, names []string) error {
	return checkNames(certificate.Extensions, names)
}

func checkNames(extensions []pkix.Extension, names []string) error {
	value, err := alternativeNames(names)
	if err != nil {
		return err
	}
	asked := slices.ContainsFunc(extensions, func(e pkix.Extension) bool {
		return e.Id.Equal(oidAlternativeNames) && bytes.Equal(e.Value, value)
	})
	if !asked {
		return fmt.Errorf("its names are not those of the terms")
	}
	return nil
}

// isSound reports whether the key is the canonical encoding of a point that is not
// of small order, SPEC 1.8: for one of small order anyone can sign.
func isSound(key ed25519.PublicKey) bool {
	point, err := new(edwards25519.Point).SetBytes(key)
	return err == nil && bytes.Equal(point.Bytes(), key) &&
		new(edwards25519.Point).MultByCofactor(point).Equal(edwards25519.NewIdentityPoint()) == 0
}

// ParsePublicKey reads an Ed25519 public key that SPEC 1.8 admits, in base64url.
func ParsePublicKey(text string) (ed25519.PublicKey, error) {
	key, err := seal.Unbase64(text)
	if err != nil || !isSound(key) {
		return nil, errors.New("expected a canonical Ed25519 public key, not of small order, in base64url")
	}
	return key, nil
}

// AlgorithmOf names the algorithm of a public key as the terms do, SPEC 7.2. It
// fails for a key that no one can have made.
func AlgorithmOf(public any) (string, error) {
	switch key := public.(type) {
	case *ecdsa.PublicKey:
		if name := map[int]string{256: "ecdsa-p256", 384: "ecdsa-p384"}[key.Curve.Params().BitSize]; name != "" {
			return name, nil
		}
	case *rsa.PublicKey:
		bits := key.N.BitLen()
		if key.E == 65537 && key.N.Bit(0) == 1 && (bits == 2048 || bits == 3072 || bits == 4096) {
			return fmt.Sprintf("rsa-%d", bits), nil
		}
	case ed25519.PublicKey:
		if isSound(key) {
			return "ed25519", nil
		}
	}
	return "", errors.New("a key of this kind or size is of no algorithm of the terms")
}
