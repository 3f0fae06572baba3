package second_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"fmt"
	"math/big"

	"github.com/svc-edge/svc-verify/harness/chance"

	"golang.org/x/crypto/cryptobyte"
)

// ellipticKey is the one key on a curve that the tests here use.
func ellipticKey(curve elliptic.Curve) *ecdsa.PrivateKey {
	scalar := chance.New(5).Stream("scalar").Bytes((curve.Params().BitSize + 7) / 8)
	scalar[0] = 0 // below the order
	key, err := ecdsa.ParseRawPrivateKey(curve, scalar)
	if err != nil {
		panic(err)
	}
	return key
}

// rsaKey is an RSA key of many small primes. It serves to sign numbers and for nothing else,
// so that keys of every size are quickly made.
type rsaKey struct {
	n, e   *big.Int
	primes []*big.Int
}

const primeBits = 256

// newRSA makes the key of a name, with a modulus of exactly so many bits. An
// even exponent has no private half; such a key signs wrongly.
func newRSA(name string, bits int, e int64) *rsaKey {
	k := &rsaKey{n: big.NewInt(1), e: big.NewInt(e)}
	stream := chance.New(5).Stream(fmt.Sprintf("%s %d %d", name, bits, e))
	for left := bits; left > 0; {
		size := primeBits
		if left < 2*primeBits {
			size = left
		}
		p := k.prime(stream, size)
		k.primes, k.n = append(k.primes, p), new(big.Int).Mul(k.n, p)
		left -= size
	}
	if k.n.BitLen() != bits {
		return newRSA(name+" again", bits, e)
	}
	return k
}

// newEvenRSA makes a key with 2 as one of its primes.
func newEvenRSA(name string, bits int) *rsaKey {
	k := newRSA(name, bits-1, 65537)
	two := big.NewInt(2)
	return &rsaKey{new(big.Int).Mul(k.n, two), k.e, append(k.primes, two)}
}

// prime draws a prime that has a private exponent where there can be one.
func (k *rsaKey) prime(stream *chance.Stream, bits int) *big.Int {
	for {
		p := new(big.Int).SetBytes(stream.Bytes((bits + 7) / 8))
		p.Rsh(p, uint(-bits)%8) //nolint:gosec // less than 8
		for i := 1; i < 9; i++ {
			p.SetBit(p, bits-i, 1)
		}
		p.SetBit(p, 0, 1)
		if p.ProbablyPrime(0) && (k.e.Bit(0) == 0 || k.exponent(p) != nil) {
			return p
		}
	}
}

// exponent is the private exponent for one of the primes.
func (k *rsaKey) exponent(p *big.Int) *big.Int {
	return new(big.Int).ModInverse(k.e, new(big.Int).Sub(p, big.NewInt(1)))
}

// root is the number whose power e is m, by the Chinese remainder theorem.
func (k *rsaKey) root(m *big.Int) *big.Int {
	sum := new(big.Int)
	for _, p := range k.primes {
		residue := new(big.Int).Mod(m, p)
		if d := k.exponent(p); d != nil && d.Sign() > 0 {
			residue.Exp(residue, d, p)
		}
		rest := new(big.Int).Div(k.n, p)
		sum.Add(sum, residue.Mul(residue, rest).Mul(residue, new(big.Int).ModInverse(rest, p)))
	}
	return sum.Mod(sum, k.n)
}

// info is the subjectPublicKeyInfo.
func (k *rsaKey) info() []byte {
	return sequence(raw(rsaNull), bits(sequence(integer(k.n), integer(k.e))))
}

// The encodings of a digest's algorithm and length, before the digest
// (RFC 8017, 9.2).
const (
	prefixSHA1      = "3021300906052b0e03021a05000414"
	prefixSHA256    = "3031300d060960864801650304020105000420"
	prefixBare      = "302f300b06096086480165030402010420" // SHA-256 without NULL
	prefixSHA384    = "3041300d060960864801650304020205000430"
	prefixSHA512    = "3051300d060960864801650304020305000440"
	padding         = "0001"
	paddingOfBlock2 = "0002"
)

// sign makes a signature by RSASSA-PKCS1-v1_5, with this encoding of the digest.
func (k *rsaKey) sign(hash crypto.Hash, prefix, padding string) func([]byte) []byte {
	return func(message []byte) []byte {
		h := hash.New()
		h.Write(message)
		tail := append(raw(prefix), h.Sum(nil)...)
		encoded := make([]byte, (k.n.BitLen()+7)/8)
		copy(encoded, raw(padding))
		for i := 2; i < len(encoded)-len(tail)-1; i++ {
			encoded[i] = 0xff
		}
		copy(encoded[len(encoded)-len(tail):], tail)
		return k.root(new(big.Int).SetBytes(encoded)).FillBytes(encoded)
	}
}

// integer is an INTEGER.
func integer(n *big.Int) []byte {
	var b cryptobyte.Builder
	b.AddASN1BigInt(n)
	return b.BytesOrPanic()
}
