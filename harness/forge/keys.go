package forge

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// publicKeys are subjectPublicKeyInfos without known private keys.
var publicKeys = map[string]func() []byte{
	"ed25519-identity":          func() []byte { return edwardsKey(1, 0) },
	"ed25519-no-point":          func() []byte { return edwardsKey(2, 0) },
	"ed25519-not-canonical":     func() []byte { return edwardsKey(1, 0x80) }, // its sign has no meaning
	"ed25519-y-3":               func() []byte { return edwardsKey(3, 0) },
	"p256":                      func() []byte { return keyInfo(curveKey(elliptic.P256()).Public()) },
	"p256-compressed":           compressedKey,
	"rsa-2047":                  func() []byte { return keyInfo(rsaKey(2047, 65537)) },
	"rsa-2048":                  func() []byte { return keyInfo(rsaKey(2048, 65537)) },
	"rsa-2048-exponent-3":       func() []byte { return keyInfo(rsaKey(2048, 3)) },
	"rsa-2048-even":             func() []byte { return changedModulus(func(n *big.Int) { n.SetBit(n, 0, 0) }) },
	"rsa-2048-small-factors":    func() []byte { return changedModulus(divisibleBy15) },
	"rsa-2048-of-three-numbers": threeNumbers,
}

// PublicKey returns the DER of a subjectPublicKeyInfo by its name.
func PublicKey(name string) ([]byte, error) {
	if key, ok := publicKeys[name]; ok {
		return key(), nil
	}
	return nil, fmt.Errorf("expected one of the keys %v, found %q", slices.Sorted(maps.Keys(publicKeys)), name)
}

func keyInfo(public crypto.PublicKey) []byte {
	return seal.Must(x509.MarshalPKIXPublicKey(public))
}

// edwardsKey is an Ed25519 key of these bytes at the ends, and zeros between.
func edwardsKey(first, last byte) []byte {
	key := make([]byte, ed25519.PublicKeySize)
	key[0], key[len(key)-1] = first, last
	return keyInfo(ed25519.PublicKey(key))
}

// rsaKey is an RSA key of a number of bits. Its factors are unknown.
func rsaKey(bits, exponent int) *rsa.PublicKey {
	n := new(big.Int).SetBytes(chance.New(99).Stream("modulus").Bytes((bits + 7) / 8))
	for i := bits; i < n.BitLen(); i++ {
		n.SetBit(n, i, 0)
	}
	return &rsa.PublicKey{N: n.SetBit(n.SetBit(n, bits-1, 1), 0, 1), E: exponent}
}

func changedModulus(change func(*big.Int)) []byte {
	key := rsaKey(2048, 65537)
	change(key.N)
	return rsaInfo(key.N.Bytes(), nil)
}

// rsaInfo is the subjectPublicKeyInfo of a modulus whose highest bit is set, the exponent
// 65537, and any bytes behind them.
func rsaInfo(modulus, behind []byte) []byte {
	algorithm := encodeSequence([]byte("\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00"))
	number := encodeValue(2, []byte{0}, modulus)
	return encodeSequence(algorithm, bitString(encodeSequence(number, []byte{2, 3, 1, 0, 1}, behind)))
}

func threeNumbers() []byte { return rsaInfo(rsaKey(2048, 65537).N.Bytes(), []byte{2, 1, 1}) }

func divisibleBy15(n *big.Int) {
	for new(big.Int).Mod(n, big.NewInt(15)).Sign() != 0 {
		n.Add(n, big.NewInt(2))
	}
}

// compressedKey is a key on P-256, its point compressed.
func compressedKey() []byte {
	point, _ := curveKey(elliptic.P256()).PublicKey.Bytes() // fails for a point off the curve only
	short := append([]byte{2 + point[len(point)-1]&1}, point[1:33]...)
	return encodeSequence([]byte("\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07"),
		bitString(short))
}

// curveKey is an elliptic-curve key.
func curveKey(curve elliptic.Curve) *ecdsa.PrivateKey {
	size := (curve.Params().BitSize + 7) / 8
	random := chance.New(99).Stream("scalar").Bytes(size - 1)
	return seal.Must(ecdsa.ParseRawPrivateKey(curve, append([]byte{0}, random...))) // below the order
}

// otherIssuers are keys for an issuer in the place of the scene's.
var otherIssuers = map[string]func() crypto.Signer{
	"p224":     func() crypto.Signer { return chance.RFC6979{PrivateKey: curveKey(elliptic.P224())} },
	"rsa-1024": func() crypto.Signer { return rsaIssuerKey(1024) },
	"rsa-2048": func() crypto.Signer { return rsaIssuerKey(2048) },
}

// OtherIssuer is an issuer like the bundle's with another key, by the key's name.
func (b *Bundle) OtherIssuer(name string) (*pki.Issuer, error) {
	key, ok := otherIssuers[name]
	if !ok {
		return nil, fmt.Errorf("expected one of the issuers %v, found %q", slices.Sorted(maps.Keys(otherIssuers)), name)
	}
	signer, template := key(), templateLike(b.Certificate(IssuerIndex))
	der := seal.Must(x509.CreateCertificate(nil, template, template, signer.Public(), signer))
	return &pki.Issuer{Certificate: seal.Must(x509.ParseCertificate(der)), Key: signer}, nil
}

// rsaIssuerKey is the RSA key of an issuer, with a modulus of that many bits. Its
// primes follow from a seed, so that it is the same each time.
func rsaIssuerKey(bits int) *rsa.PrivateKey {
	stream := chance.New(99).Stream(fmt.Sprintf("rsa issuer %d", bits))
	one, exponent := big.NewInt(1), big.NewInt(65537)
	for {
		p, q := primeOf(stream, bits/2), primeOf(stream, bits/2)
		totient := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
		d := new(big.Int).ModInverse(exponent, totient)
		if d == nil || p.Cmp(q) == 0 {
			continue
		}
		public := rsa.PublicKey{N: new(big.Int).Mul(p, q), E: 65537}
		key := &rsa.PrivateKey{PublicKey: public, D: d, Primes: []*big.Int{p, q}}
		key.Precompute()
		return key
	}
}

// primeOf is a prime of that many bits, whose two highest bits are 1: the product
// of two such primes has as many bits as both together.
func primeOf(stream *chance.Stream, bits int) *big.Int {
	for {
		p := new(big.Int).SetBytes(stream.Bytes(bits / 8))
		p.SetBit(p.SetBit(p.SetBit(p, bits-1, 1), bits-2, 1), 0, 1)
		if p.ProbablyPrime(20) {
			return p
		}
	}
}

// ChangeNumbers changes the two numbers of an ECDSA signature on P-256. The
// third one is the order of the curve.
func ChangeNumbers(change func(r, s, n *big.Int)) func(signature []byte) ([]byte, error) {
	return func(signature []byte) ([]byte, error) {
		var pair struct{ R, S *big.Int }
		if _, err := asn1.Unmarshal(signature, &pair); err != nil {
			return nil, err
		}
		change(pair.R, pair.S, elliptic.P256().Params().N)
		return asn1.Marshal(pair)
	}
}
