package second_test

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/elliptic"
	_ "crypto/sha1" // for a signature that must be refused
	"crypto/sha512"
	"math/big"
	"slices"

	"filippo.io/edwards25519"

	"github.com/svc-edge/svc-verify/harness/chance"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// issuerNames are names that leaf and issuer have in common, or nearly.
func issuerNames() []deviation {
	both := func(label, breaks, leaf, issuer string) deviation {
		return deviation{"issuer's name: " + label, breaks,
			func(e *evidence) { e.leaf.issuer, e.issuer.subject = raw(leaf), raw(issuer) }}
	}
	return []deviation{
		both("empty in both", nothing, "3000", "3000"),
		both("octets that are no DER, in both", nothing, "3003ffffff", "3003ffffff"),
		both("another string type", issued, "300c310a300806035504030c0161", "300c310a30080603550403130161"),
		both("another case", issued, "300c310a300806035504030c0161", "300c310a300806035504030c0141"),
	}
}

// The signature algorithms, in DER.
const (
	ecdsaSHA1   = "300906072a8648ce3d0401"
	ecdsaSHA224 = "300a06082a8648ce3d040301"
	ecdsaSHA256 = "300a06082a8648ce3d040302"
	ecdsaSHA384 = "300a06082a8648ce3d040303"
	ecdsaSHA512 = "300a06082a8648ce3d040304"
	rsaSHA1     = "300d06092a864886f70d0101050500"
	rsaSHA256   = "300d06092a864886f70d01010b0500"
	rsaSHA384   = "300d06092a864886f70d01010c0500"
	rsaSHA512   = "300d06092a864886f70d01010d0500"
)

// signedBy has a key sign the leaf.
func signedBy(label, breaks string, keyInfo []byte, algorithm string, sign func([]byte) []byte) deviation {
	return deviation{label, breaks, func(e *evidence) {
		e.issuer.keyInfo, e.sign = keyInfo, sign
		e.leaf.algorithm(raw(algorithm))
	}}
}

// issuerKeys are elliptic-curve keys of the issuer.
func issuerKeys() []deviation {
	on := func(label, breaks string, curve elliptic.Curve, algorithm string, hash crypto.Hash) deviation {
		key := ellipticKey(curve)
		return signedBy("issuer on "+label, breaks, ellipticKeyInfo(key), algorithm,
			func(tbs []byte) []byte { return digestAndSign(key, hash, tbs) })
	}
	key := ellipticKey(elliptic.P256())
	sign := func(tbs []byte) []byte { return digestAndSign(key, crypto.SHA256, tbs) }
	info := ellipticKeyInfo(key)
	members := children(info)
	uncompressed := content(members[1])[1:]
	compressed := sequence(members[0], bits(append([]byte{2 + uncompressed[64]&1}, uncompressed[1:33]...)))
	const explicit = "06072a8648ce3d02013000" // no curve is named
	return []deviation{
		on("P-256 with SHA-256", nothing, elliptic.P256(), ecdsaSHA256, crypto.SHA256),
		on("P-256 with SHA-384", nothing, elliptic.P256(), ecdsaSHA384, crypto.SHA384),
		on("P-256 with SHA-512", nothing, elliptic.P256(), ecdsaSHA512, crypto.SHA512),
		on("P-384 with SHA-256", nothing, elliptic.P384(), ecdsaSHA256, crypto.SHA256),
		on("P-521 with SHA-256", nothing, elliptic.P521(), ecdsaSHA256, crypto.SHA256),
		on("P-521 with SHA-512", nothing, elliptic.P521(), ecdsaSHA512, crypto.SHA512),
		on("P-224", issued, elliptic.P224(), ecdsaSHA256, crypto.SHA256),
		on("P-256 with SHA-1", issued, elliptic.P256(), ecdsaSHA1, crypto.SHA1),
		on("P-256 with SHA-224", issued, elliptic.P256(), ecdsaSHA224, crypto.SHA224),
		on("P-256 with SHA-256 called SHA-384", issued, elliptic.P256(), ecdsaSHA384, crypto.SHA256),
		on("P-256, called RSA", issued, elliptic.P256(), rsaSHA256, crypto.SHA256),
		on("P-256, called Ed25519", issued, elliptic.P256(), edwards, crypto.SHA256),
		signedBy("issuer on secp256k1", issued, koblitz(), ecdsaSHA256, sign),
		signedBy("issuer with a compressed point", issued, compressed, ecdsaSHA256, sign),
		signedBy("issuer without a named curve", issued, sequence(sequence(raw(explicit)), members[1]), ecdsaSHA256, sign),
	}
}

// rsaIssuers are RSA keys of the issuer.
func rsaIssuers() []deviation {
	of := func(label, breaks string, k *rsaKey) deviation {
		return signedBy("issuer RSA "+label, breaks, k.info(), rsaSHA256, k.sign(crypto.SHA256, prefixSHA256, padding))
	}
	k := newRSA("issuer", 2048, 65537)
	sign := k.sign(crypto.SHA256, prefixSHA256, padding)
	key := sequence(integer(k.n), integer(k.e))
	third := sequence(raw(rsaNull), bits(sequence(content(key), raw("020101"))))
	return []deviation{
		of("of 2048 bits", nothing, k),
		of("of 2047 bits", issued, newRSA("issuer", 2047, 65537)),
		of("of 1024 bits", issued, newRSA("issuer", 1024, 65537)),
		of("of 2049 bits", nothing, newRSA("issuer", 2049, 65537)),
		of("of 4096 bits", nothing, newRSA("issuer", 4096, 65537)),
		of("of 16384 bits", nothing, newRSA("issuer", 16384, 65537)),
		of("of 16385 bits", issued, newRSA("issuer", 16385, 65537)),
		of("with exponent 1", issued, newRSA("issuer", 2048, 1)),
		of("with exponent 2", issued, newRSA("issuer", 2048, 2)),
		of("with exponent 3", nothing, newRSA("issuer", 2048, 3)),
		of("with exponent 65536", issued, newRSA("issuer", 2048, 65536)),
		of("with exponent 2^31-1", nothing, newRSA("issuer", 2048, 1<<31-1)),
		of("with exponent 2^31+1", issued, newRSA("issuer", 2048, 1<<31+1)),
		of("of 4096 bits with exponent 2^31-1", nothing, newRSA("issuer", 4096, 1<<31-1)),
		of("with an even modulus", issued, newEvenRSA("issuer", 2048)),
		signedBy("issuer RSA with a third member", issued, third, rsaSHA256, sign),
		signedBy("issuer RSA without parameters", issued, sequence(raw("300b06092a864886f70d010101"), bits(key)),
			rsaSHA256, sign),
		signedBy("issuer RSA with an octet behind", issued, sequence(raw(rsaNull), bits(append(slices.Clone(key), 0))),
			rsaSHA256, sign),
		signedBy("issuer RSASSA-PSS", issued, sequence(raw("300b06092a864886f70d01010a"), bits(key)), rsaSHA256, sign),
	}
}

// edwardsIssuers are Ed25519 keys and signatures of the issuer.
func edwardsIssuers() []deviation {
	private := chance.New(5).Stream("edwards").Ed25519()
	info := func(public []byte) []byte { return sequence(raw(edwards), bits(public)) }
	public := info(private.Public().(ed25519.PublicKey))
	sign := func(tbs []byte) []byte { return ed25519.Sign(private, tbs) }
	identity := append([]byte{1}, make([]byte, 31)...)
	zero := func([]byte) []byte { return append(slices.Clone(identity), make([]byte, 32)...) }
	mixed, signMixed := mixedOrder(private)
	return []deviation{
		signedBy("issuer Ed25519", nothing, public, edwards, sign),
		signedBy("issuer Ed25519, signature of NULL", issued, public, "300706032b65700500", sign),
		signedBy("issuer Ed25519 with NULL", issued, sequence(raw("300706032b65700500"), content(public)[7:]), edwards, sign),
		signedBy("issuer Ed25519, called ECDSA", issued, public, ecdsaSHA256, sign),
		signedBy("issuer Ed25519, signature of 65 octets", issued, public, edwards,
			func(tbs []byte) []byte { return append(sign(tbs), 0) }),
		signedBy("issuer Ed25519, signature of 63 octets", issued, public, edwards,
			func(tbs []byte) []byte { return sign(tbs)[:63] }),
		signedBy("issuer Ed25519, S not reduced", issued, public, edwards,
			func(tbs []byte) []byte { return unreduced(sign(tbs)) }),
		signedBy("issuer Ed25519 of small order", issued, info(identity), edwards, zero),
		signedBy("issuer Ed25519 of small order, not canonical", issued,
			info(append(raw("ee"), append(bytes.Repeat([]byte{0xff}, 30), 0x7f)...)), edwards, zero),
		signedBy("issuer Ed25519 off the curve", issued, info(append([]byte{2}, make([]byte, 31)...)), edwards, sign),
		signedBy("issuer Ed25519 of mixed order", issued, info(mixed), edwards, signMixed),
	}
}

// unreduced adds the group order to S.
func unreduced(signature []byte) []byte {
	order, _ := new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
	s := slices.Clone(signature[32:])
	slices.Reverse(s)
	sum := new(big.Int).Add(new(big.Int).SetBytes(s), order).FillBytes(make([]byte, 32))
	slices.Reverse(sum)
	return append(slices.Clone(signature[:32]), sum...)
}

// mixedOrder is a key with a component of order 8, and signatures that hold for
// it with the cofactor and not without.
func mixedOrder(private ed25519.PrivateKey) (public []byte, sign func([]byte) []byte) {
	const orderEight = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"
	torsion, err := new(edwards25519.Point).SetBytes(raw(orderEight))
	if err != nil {
		panic(err)
	}
	wide := sha512.Sum512(private.Seed())
	a, _ := edwards25519.NewScalar().SetBytesWithClamping(wide[:32]) // fails on another length only
	point := new(edwards25519.Point).ScalarBaseMult(a)
	public = point.Add(point, torsion).Bytes()
	return public, func(message []byte) []byte {
		for nonce := byte(0); ; nonce++ {
			r := reduced([]byte{nonce}, message)
			first := new(edwards25519.Point).ScalarBaseMult(r).Bytes()
			k := reduced(first, public, message)
			if k.Bytes()[0]%8 == 0 {
				continue // it would hold without the cofactor too
			}
			return append(first, edwards25519.NewScalar().MultiplyAdd(k, a, r).Bytes()...)
		}
	}
}

func reduced(parts ...[]byte) *edwards25519.Scalar {
	wide := sha512.Sum512(slices.Concat(parts...))
	s, _ := edwards25519.NewScalar().SetUniformBytes(wide[:]) // fails on another length only
	return s
}

// ecdsaSignatures are other encodings of the honest issuer's signature.
func ecdsaSignatures() []deviation {
	order := elliptic.P256().Params().N
	signature := func(label, breaks string, build func(r, s *big.Int) []byte) deviation {
		return deviation{"ECDSA signature " + label, breaks, func(e *evidence) {
			honest := e.sign
			e.sign = func(tbs []byte) []byte { return build(numbers(honest(tbs))) }
		}}
	}
	return []deviation{
		signature("as it is", nothing, func(r, s *big.Int) []byte { return sequence(integer(r), integer(s)) }),
		signature("with the other s", nothing,
			func(r, s *big.Int) []byte { return sequence(integer(r), integer(s.Sub(order, s))) }),
		signature("with a third member", issued,
			func(r, s *big.Int) []byte { return sequence(integer(r), integer(s), raw("0500")) }),
		signature("with an octet behind", issued,
			func(r, s *big.Int) []byte { return append(sequence(integer(r), integer(s)), 0) }),
		signature("with a long length", issued, func(r, s *big.Int) []byte {
			c := slices.Concat(integer(r), integer(s))
			return append([]byte{0x30, 0x81, byte(len(c))}, c...)
		}),
		signature("with an r that is not minimal", issued,
			func(r, s *big.Int) []byte { return sequence(der(0x02, []byte{0, 0}, r.Bytes()), integer(s)) }),
		signature("with s above the order", issued,
			func(r, s *big.Int) []byte { return sequence(integer(r), integer(s.Add(s, order))) }),
		signature("with a negative s", issued,
			func(r, s *big.Int) []byte { return sequence(integer(r), integer(s.Sub(s, order))) }),
		signature("of zeros", issued, func(_, _ *big.Int) []byte { return raw("3006020100020100") }),
		signature("with r and s exchanged", issued, func(r, s *big.Int) []byte { return sequence(integer(s), integer(r)) }),
		signature("as two numbers of 32 octets", issued, func(r, s *big.Int) []byte {
			return slices.Concat(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32)))
		}),
		signature("of no octets", issued, func(_, _ *big.Int) []byte { return nil }),
	}
}

// numbers are r and s of a signature.
func numbers(signature []byte) (r, s *big.Int) {
	r, s = new(big.Int), new(big.Int)
	input, inner := cryptobyte.String(signature), cryptobyte.String(nil)
	if !input.ReadASN1(&inner, cbasn1.SEQUENCE) || !inner.ReadASN1Integer(r) || !inner.ReadASN1Integer(s) {
		panic("not an ECDSA signature")
	}
	return r, s
}

// rsaSignatures are signatures by an RSA key.
func rsaSignatures() []deviation {
	k := newRSA("issuer", 2048, 65537)
	by := func(label, breaks, algorithm string, sign func([]byte) []byte) deviation {
		return signedBy("RSA signature "+label, breaks, k.info(), algorithm, sign)
	}
	honest := k.sign(crypto.SHA256, prefixSHA256, padding)
	return []deviation{
		by("with SHA-384", nothing, rsaSHA384, k.sign(crypto.SHA384, prefixSHA384, padding)),
		by("with SHA-512", nothing, rsaSHA512, k.sign(crypto.SHA512, prefixSHA512, padding)),
		by("with SHA-1", issued, rsaSHA1, k.sign(crypto.SHA1, prefixSHA1, padding)),
		by("with SHA-1 called SHA-256", issued, rsaSHA256, k.sign(crypto.SHA1, prefixSHA1, padding)),
		by("with a digest without NULL", issued, rsaSHA256, k.sign(crypto.SHA256, prefixBare, padding)),
		by("with padding of another kind", issued, rsaSHA256, k.sign(crypto.SHA256, prefixSHA256, paddingOfBlock2)),
		by("without parameters", issued, "300b06092a864886f70d01010b", honest),
		by("with an empty SEQUENCE", issued, "300d06092a864886f70d01010b3000", honest),
		by("RSASSA-PSS", issued, "300b06092a864886f70d01010a", honest),
		by("called ECDSA", issued, ecdsaSHA256, honest),
		by("with a leading zero", issued, rsaSHA256, func(tbs []byte) []byte { return append([]byte{0}, honest(tbs)...) }),
		by("plus the modulus", issued, rsaSHA256, func(tbs []byte) []byte {
			return new(big.Int).Add(new(big.Int).SetBytes(honest(tbs)), k.n).Bytes()
		}),
		by("of another message", issued, rsaSHA256, func([]byte) []byte { return honest(nil) }),
	}
}
