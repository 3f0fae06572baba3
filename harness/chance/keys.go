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
	for {
		p := new(big.Int).SetBytes(s.Bytes(bits / 8))
		p.SetBit(p, bits-1, 1).SetBit(p, bits-2, 1).SetBit(p, 0, 1)
		start := p.String()
		if known, ok := primes.Load(start); ok {
			return new(big.Int).Set(known.(*big.Int))
		}
		if nextPrime(p); p.BitLen() == bits {
			primes.Store(start, new(big.Int).Set(p))
			return p
		}
	}
}

// primes are those that were found, by the number at which the search began: a scene that is
// played again has the same.
var primes sync.Map

// nextPrime makes an odd number the next prime of which the public exponent is no factor less one.
func nextPrime(p *big.Int) {
	e, two := big.NewInt(publicExponent), big.NewInt(2)
	small := oddPrimes()
	rests := make([]int64, len(small))
	for i, q := range small {
		rests[i] = new(big.Int).Mod(p, big.NewInt(q)).Int64()
	}
	for step := int64(0); ; step += 2 {
		composite := false
		for i, q := range small {
			if (rests[i]+step)%q == 0 {
				composite = true
				break
			}
		}
		if !composite && new(big.Int).Mod(p, e).Cmp(big.NewInt(1)) != 0 && p.ProbablyPrime(0) {
			return
		}
		p.Add(p, two)
	}
}

// oddPrimes are the odd primes below 10,000.
var oddPrimes = sync.OnceValue(func() (all []int64) {
	for n := int64(3); n < 10_000; n += 2 {
		if !slices.ContainsFunc(all, func(q int64) bool { return n%q == 0 }) {
			all = append(all, n)
		}
	}
	return all
})
