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
	"slices"
	"sync"
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
	case "rsa-2048":
		return s.rsa(2048)
	case "rsa-3072":
		return s.rsa(3072)
	case "rsa-4096":
		return s.rsa(4096)
	case "ed25519":
		return s.Ed25519(), nil
	}
	return nil, fmt.Errorf("no keys of algorithm %q", algorithm)
}

// rfc6979 is an ECDSA key that takes no randomness to sign.
type rfc6979 struct{ *ecdsa.PrivateKey }

func (k rfc6979) Sign(_ io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	return k.PrivateKey.Sign(nil, digest, opts)
}

func (s *Stream) ecdsa(curve elliptic.Curve) crypto.Signer {
	for {
		scalar := s.Bytes(curve.Params().BitSize / 8)
		// Zero and scalars above the order are refused: draw again.
		if key, err := ecdsa.ParseRawPrivateKey(curve, scalar); err == nil {
			return rfc6979{key}
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
	e := big.NewInt(publicExponent)
	two := big.NewInt(2)
	for {
		p := new(big.Int).SetBytes(s.Bytes(bits / 8))
		p.SetBit(p, bits-1, 1).SetBit(p, bits-2, 1).SetBit(p, 0, 1)
		divided := newRemainders(p)
		for ; p.BitLen() == bits; p.Add(p, two) {
			if !divided.stepByTwo() && new(big.Int).Mod(p, e).Cmp(big.NewInt(1)) != 0 && p.ProbablyPrime(0) {
				return p
			}
		}
	}
}

// smallPrimes are the odd primes below 2^14. What one of them divides needs no longer
// test, which is most of what takes the time to find a large prime.
var smallPrimes = sync.OnceValue(func() (list []uint32) {
	for n := uint32(3); n < 1<<14; n += 2 {
		if !slices.ContainsFunc(list, func(p uint32) bool { return n%p == 0 }) {
			list = append(list, n)
		}
	}
	return list
})

// remainders are those of a number by the small primes.
type remainders []uint32

func newRemainders(n *big.Int) remainders {
	r := make(remainders, len(smallPrimes()))
	for i, p := range smallPrimes() {
		r[i] = uint32(new(big.Int).Mod(n, big.NewInt(int64(p))).Uint64()) //nolint:gosec // below p
	}
	return r
}

// stepByTwo reports whether a small prime divides the number, and goes on to the number
// that is larger by two.
func (r remainders) stepByTwo() (divides bool) {
	for i, p := range smallPrimes() {
		divides = divides || r[i] == 0
		if r[i] += 2; r[i] >= p {
			r[i] -= p
		}
	}
	return divides
}
