package tsatest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"crypto/x509"
	"sync"

	"filippo.io/mldsa"

	"github.com/svc-edge/svc-verify/internal/must"
)

// Key is a way to sign: a key and an algorithm.
type Key struct {
	Signer    crypto.Signer
	Info      []byte // SubjectPublicKeyInfo
	Algorithm []byte // AlgorithmIdentifier of its signatures
	Digest    []byte // AlgorithmIdentifier of the hash that belongs to it
	sum       func([]byte) []byte
	Sign      func(message []byte) []byte
}

// The identifiers of hash functions.
var (
	SHA256 = Element(Sequence, OID(2, 16, 840, 1, 101, 3, 4, 2, 1))
	SHA384 = Element(Sequence, OID(2, 16, 840, 1, 101, 3, 4, 2, 2))
	SHA512 = Element(Sequence, OID(2, 16, 840, 1, 101, 3, 4, 2, 3))
)

func sha256Of(b []byte) []byte { s := sha256.Sum256(b); return s[:] }
func sha512Of(b []byte) []byte { s := sha512.Sum512(b); return s[:] }

func sha3Of(b []byte) []byte { s := sha3.Sum512(b); return s[:] }

func plainKey(s crypto.Signer, algorithm, digest []byte, sum func([]byte) []byte, opts crypto.SignerOpts) Key {
	info := must.Have(x509.MarshalPKIXPublicKey(s.Public()))
	k := Key{Signer: s, Info: info, Algorithm: algorithm, Digest: digest, sum: sum}
	k.Sign = func(message []byte) []byte {
		if opts.HashFunc() != 0 {
			message = sum(message)
		}
		if _, salted := opts.(*rsa.PSSOptions); salted {
			return must.Have(s.Sign(rand.Reader, message, opts))
		}
		return must.Have(s.Sign(nil, message, opts)) // the same each time
	}
	return k
}

// ECDSAOf returns the key on P-256 of a seed.
func ECDSAOf(seed string) Key {
	octets := sha256Of([]byte(seed))
	octets[0] = 1 // below the order
	private := must.Have(ecdsa.ParseRawPrivateKey(elliptic.P256(), octets))
	return plainKey(private, Element(Sequence, OID(1, 2, 840, 10045, 4, 3, 2)), SHA256, sha256Of, crypto.SHA256)
}

// ECDSA returns a new key on P-256, which signs with SHA-256.
func ECDSA() Key {
	return plainKey(must.Have(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)),
		Element(Sequence, OID(1, 2, 840, 10045, 4, 3, 2)), SHA256, sha256Of, crypto.SHA256)
}

// Ed25519 returns a new Ed25519 key.
func Ed25519() Key {
	seed := make([]byte, ed25519.SeedSize)
	rand.Read(seed) // never fails
	return plainKey(ed25519.NewKeyFromSeed(seed), Element(Sequence, OID(1, 3, 101, 112)), SHA512, sha512Of, crypto.Hash(0))
}

// rsaKeys are one key for each size: making one is slow.
var rsaKeys = map[int]func() *rsa.PrivateKey{2048: rsaKeyOf(2048), 1024: rsaKeyOf(1024)}

func rsaKeyOf(bits int) func() *rsa.PrivateKey {
	return sync.OnceValue(func() *rsa.PrivateKey { return must.Have(rsa.GenerateKey(rand.Reader, bits)) })
}

// RSA returns a key of 2,048 bits, which signs with SHA-256 as PKCS #1 v1.5 does.
func RSA() Key {
	return plainKey(rsaKeys[2048](), Element(Sequence, OID(1, 2, 840, 113549, 1, 1, 11), Null),
		SHA256, sha256Of, crypto.SHA256)
}

// ShortRSA is RSA with a key of 1,024 bits.
func ShortRSA() Key {
	return plainKey(rsaKeys[1024](), Element(Sequence, OID(1, 2, 840, 113549, 1, 1, 11), Null),
		SHA256, sha256Of, crypto.SHA256)
}

// PSS returns the same key, which signs as RSASSA-PSS does, with a salt of a length.
func PSS(salt int) Key {
	params := Element(Sequence, Element(Inner0, SHA256),
		Element(Inner1, Element(Sequence, OID(1, 2, 840, 113549, 1, 1, 8), SHA256)), Element(Inner2, Integer(int64(salt))))
	return plainKey(rsaKeys[2048](), Element(Sequence, OID(1, 2, 840, 113549, 1, 1, 10), params), SHA256, sha256Of,
		&rsa.PSSOptions{SaltLength: salt, Hash: crypto.SHA256})
}

// MLDSA returns a new ML-DSA-65 key, which is used with SHA3-512.
func MLDSA() Key { return lattice(must.Have(mldsa.GenerateKey(mldsa.MLDSA65()))) }

// MLDSAOf returns the ML-DSA-65 key of a seed.
func MLDSAOf(seed string) Key {
	return lattice(must.Have(mldsa.NewPrivateKey(mldsa.MLDSA65(), sha256Of([]byte(seed)))))
}

func lattice(private *mldsa.PrivateKey) Key {
	algorithm := Element(Sequence, OID(2, 16, 840, 1, 101, 3, 4, 3, 18))
	return Key{Signer: private, Info: Element(Sequence, algorithm, Bits(private.PublicKey().Bytes())),
		Algorithm: algorithm, Digest: Element(Sequence, OID(2, 16, 840, 1, 101, 3, 4, 2, 10)), sum: sha3Of,
		Sign: func(message []byte) []byte { return must.Have(private.SignDeterministic(message, nil)) }}
}
