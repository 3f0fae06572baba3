package chance

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"fmt"
	"io"
	"math/big"
	"strconv"
)

// Ed25519 returns the next key of the stream.
func (s *Stream) Ed25519() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(s.Bytes(ed25519.SeedSize))
}

// Key returns a key of an algorithm, named as in the terms of a transaction,
// SPEC 7.2. Its signatures depend on nothing but the key and the message.
func (s *Stream) Key(algorithm string) (crypto.Signer, error) {
	switch algorithm {
	case "ecdsa-p256":
		return s.ecdsa(elliptic.P256()), nil
	case "ecdsa-p384":
		return s.ecdsa(elliptic.P384()), nil
	case "rsa-2048", "rsa-3072", "rsa-4096":
		bits, _ := strconv.Atoi(algorithm[len("rsa-"):])
		return s.rsa(bits)
	case "ed25519":
		return s.Ed25519(), nil
	}
	return nil, fmt.Errorf("no keys of algorithm %q", algorithm)
}

// RFC6979 is an ECDSA key that needs no randomness to sign.
type RFC6979 struct{ *ecdsa.PrivateKey }

// Sign signs a digest.
func (k RFC6979) Sign(_ io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	return k.PrivateKey.Sign(nil, digest, opts)
}

func (s *Stream) ecdsa(curve elliptic.Curve) crypto.Signer {
	for {
		scalar := s.Bytes(curve.Params().BitSize / 8)
		// Zero and scalars above the order are refused: draw again.
		if key, err := ecdsa.ParseRawPrivateKey(curve, scalar); err == nil {
			return RFC6979{key}
		}
	}
}

// publicExponent is the only one that SPEC 7.2 admits.
const publicExponent = 65537

func (s *Stream) rsa(bits int) (crypto.Signer, error) {
	e := big.NewInt(publicExponent)
	p := s.prime(bits / 2)
	q := s.prime(bits / 2)
	one := big.NewInt(1)
	totient := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
	key := &rsa.PrivateKey{
		PublicKey: rsa.PublicKey{N: new(big.Int).Mul(p, q), E: publicExponent},
		D:         new(big.Int).ModInverse(e, totient),
		Primes:    []*big.Int{p, q},
	}
	key.Precompute()
	return key, key.Validate()
}

// prime returns a prime of exactly so many bits. Its two highest bits are set,
// so that the product of two has twice as many, and the prime less one has no
// factor in common with the public exponent.
func (s *Stream) prime(bits int) *big.Int {
	one, two, e := big.NewInt(1), big.NewInt(2), big.NewInt(publicExponent)
	small := new(big.Int).MulRange(1, 4096) // numbers that share a factor with it need no long test
	for {
		p := new(big.Int).SetBytes(s.Bytes(bits / 8))
		p.SetBit(p, bits-1, 1).SetBit(p, bits-2, 1).SetBit(p, 0, 1)
		for ; p.BitLen() == bits; p.Add(p, two) {
			candidate := new(big.Int).GCD(nil, nil, p, small).Cmp(one) == 0 && new(big.Int).Mod(p, e).Cmp(one) != 0
			if candidate && p.ProbablyPrime(0) {
				return p
			}
		}
	}
}
