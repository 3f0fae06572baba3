package certificate

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/asn1"
	"math/big"

	"github.com/svc-edge/svc-verify/internal/eddsa"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// The bounds of an issuer's RSA key (SPEC 8.18).
const (
	minIssuerBits = 2048
	maxIssuerBits = 16384
	maxExponent   = 1<<31 - 1
)

// PublicKey returns the subject's key, an *ecdsa.PublicKey, *rsa.PublicKey or
// ed25519.PublicKey, or nil for a kind of key that is not in SPEC 7.12.
func (c *Certificate) PublicKey() any {
	info, content := cryptobyte.String(c.KeyInfo), cryptobyte.String(nil)
	var algorithm cryptobyte.String
	var key []byte
	if !info.ReadASN1(&content, cbasn1.SEQUENCE) || !readAlgorithm(&content, &algorithm) || !readOctets(&content, &key) {
		return nil
	}
	switch string(algorithm) {
	case string(encodeIdentifier(oidRSA, null)):
		return rsaKey(key)
	case string(encodeIdentifier(oidEd25519)):
		if len(key) == ed25519.PublicKeySize {
			return ed25519.PublicKey(key)
		}
	}
	for oid, curve := range curves {
		if string(algorithm) == string(encodeIdentifier(oidECKey, []byte(oid))) {
			if k, err := ecdsa.ParseUncompressedPublicKey(curve, key); err == nil {
				return k
			}
		}
	}
	return nil
}

// rsaKey reads an RSAPublicKey.
func rsaKey(der []byte) any {
	input, key := cryptobyte.String(der), cryptobyte.String(nil)
	modulus, exponent := new(big.Int), new(big.Int)
	if !input.ReadASN1(&key, cbasn1.SEQUENCE) || !input.Empty() ||
		!key.ReadASN1Integer(modulus) || !key.ReadASN1Integer(exponent) || !key.Empty() ||
		modulus.Sign() <= 0 || exponent.Sign() <= 0 || exponent.Cmp(big.NewInt(maxExponent)) > 0 {
		return nil
	}
	return &rsa.PublicKey{N: modulus, E: int(exponent.Int64())}
}

// Strong reports whether the subject's key may be an issuer's (SPEC 8.18.3).
func (c *Certificate) Strong() bool {
	switch k := c.PublicKey().(type) {
	case *ecdsa.PublicKey:
		return true
	case ed25519.PublicKey:
		return eddsa.Weakness([ed25519.PublicKeySize]byte(k)) == ""
	case *rsa.PublicKey:
		return k.N.BitLen() >= minIssuerBits && k.N.BitLen() <= maxIssuerBits && k.N.Bit(0) == 1 && k.E%2 == 1 && k.E >= 3
	}
	return false
}

// SignedBy reports whether the issuer's key signed the certificate, with a
// signature algorithm of SPEC 7.12 that goes with the key.
func (c *Certificate) SignedBy(issuer *Certificate) bool {
	if !issuer.Strong() {
		return false
	}
	for _, a := range signatureAlgorithms {
		if string(c.algorithm) != string(a.identifier) {
			continue
		}
		switch k := issuer.PublicKey().(type) {
		case *ecdsa.PublicKey:
			return a.family == oidECKey.String() && ecdsa.VerifyASN1(k, a.digestOf(c.TBS), c.signature)
		case *rsa.PublicKey:
			return a.family == oidRSA.String() && rsa.VerifyPKCS1v15(k, a.hash, a.digestOf(c.TBS), c.signature) == nil
		case ed25519.PublicKey:
			return a.family == oidEd25519.String() && ed25519.Verify(k, c.TBS, c.signature)
		}
	}
	return false
}

var (
	oidRSA     = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 1}
	oidECKey   = asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}
	oidEd25519 = asn1.ObjectIdentifier{1, 3, 101, 112}

	null = []byte{0x05, 0x00}
)

// curves by the DER of their object identifiers.
var curves = map[string]elliptic.Curve{
	string(encodedOID(asn1.ObjectIdentifier{1, 2, 840, 10045, 3, 1, 7})): elliptic.P256(),
	string(encodedOID(asn1.ObjectIdentifier{1, 3, 132, 0, 34})):          elliptic.P384(),
	string(encodedOID(asn1.ObjectIdentifier{1, 3, 132, 0, 35})):          elliptic.P521(),
}

// signatureAlgorithm is one way to sign a leaf: the exact AlgorithmIdentifier,
// the kind of key that goes with it, and the hash.
type signatureAlgorithm struct {
	identifier []byte
	family     string
	hash       crypto.Hash
}

func (a signatureAlgorithm) digestOf(message []byte) []byte {
	switch a.hash {
	case crypto.SHA384:
		d := sha512.Sum384(message)
		return d[:]
	case crypto.SHA512:
		d := sha512.Sum512(message)
		return d[:]
	}
	d := sha256.Sum256(message)
	return d[:]
}

var signatureAlgorithms = []signatureAlgorithm{
	{encodeIdentifier(asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 2}), oidECKey.String(), crypto.SHA256},
	{encodeIdentifier(asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 3}), oidECKey.String(), crypto.SHA384},
	{encodeIdentifier(asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 4}), oidECKey.String(), crypto.SHA512},
	{encodeIdentifier(asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 11}, null), oidRSA.String(), crypto.SHA256},
	{encodeIdentifier(asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 12}, null), oidRSA.String(), crypto.SHA384},
	{encodeIdentifier(asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 13}, null), oidRSA.String(), crypto.SHA512},
	{encodeIdentifier(oidEd25519), oidEd25519.String(), 0},
}

// encodeIdentifier encodes an AlgorithmIdentifier.
func encodeIdentifier(oid asn1.ObjectIdentifier, parameters ...[]byte) []byte {
	var b cryptobyte.Builder
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1ObjectIdentifier(oid)
		for _, p := range parameters {
			b.AddBytes(p)
		}
	})
	return b.BytesOrPanic()
}

func encodedOID(oid asn1.ObjectIdentifier) []byte {
	var b cryptobyte.Builder
	b.AddASN1ObjectIdentifier(oid)
	return b.BytesOrPanic()
}
