package certificate

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	_ "crypto/sha256" // the hashes of signatures
	_ "crypto/sha512"
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
	case encodeIdentifier(oidRSA, null):
		return rsaKey(key)
	case encodeIdentifier(oidEd25519):
		if len(key) == ed25519.PublicKeySize {
			return ed25519.PublicKey(key)
		}
	}
	if curve, ok := curves[string(algorithm)]; ok {
		if k, err := ecdsa.ParseUncompressedPublicKey(curve, key); err == nil {
			return k
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
	switch k := issuer.PublicKey().(type) {
	case *ecdsa.PublicKey:
		hash, ok := ecdsaHashes[string(c.algorithm)]
		return ok && ecdsa.VerifyASN1(k, digestOf(hash, c.TBS), c.signature)
	case *rsa.PublicKey:
		hash, ok := rsaHashes[string(c.algorithm)]
		return ok && rsa.VerifyPKCS1v15(k, hash, digestOf(hash, c.TBS), c.signature) == nil
	case ed25519.PublicKey:
		return string(c.algorithm) == encodeIdentifier(oidEd25519) && ed25519.Verify(k, c.TBS, c.signature)
	}
	return false
}

var (
	oidRSA     = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 1}
	oidECKey   = asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}
	oidEd25519 = asn1.ObjectIdentifier{1, 3, 101, 112}

	null = []byte{0x05, 0x00}
)

// curves by the AlgorithmIdentifier of their keys.
var curves = map[string]elliptic.Curve{
	encodeIdentifier(oidECKey, []byte("\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07")): elliptic.P256(),
	encodeIdentifier(oidECKey, []byte("\x06\x05\x2b\x81\x04\x00\x22")):             elliptic.P384(),
	encodeIdentifier(oidECKey, []byte("\x06\x05\x2b\x81\x04\x00\x23")):             elliptic.P521(),
}

// The hashes of the signature algorithms for a kind of key, by the exact AlgorithmIdentifier.
var (
	ecdsaHashes = map[string]crypto.Hash{
		encodeIdentifier(asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 2}): crypto.SHA256,
		encodeIdentifier(asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 3}): crypto.SHA384,
		encodeIdentifier(asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 4}): crypto.SHA512,
	}
	rsaHashes = map[string]crypto.Hash{
		encodeIdentifier(asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 11}, null): crypto.SHA256,
		encodeIdentifier(asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 12}, null): crypto.SHA384,
		encodeIdentifier(asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 13}, null): crypto.SHA512,
	}
)

func digestOf(hash crypto.Hash, message []byte) []byte {
	h := hash.New()
	h.Write(message)
	return h.Sum(nil)
}

// encodeIdentifier encodes an AlgorithmIdentifier.
func encodeIdentifier(oid asn1.ObjectIdentifier, parameters ...[]byte) string {
	var b cryptobyte.Builder
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1ObjectIdentifier(oid)
		for _, p := range parameters {
			b.AddBytes(p)
		}
	})
	return string(b.BytesOrPanic())
}
