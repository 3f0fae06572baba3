package timestamp

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"

	"filippo.io/mldsa"
	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"
)

// Algorithm is an algorithm that a signature or digest rests on: the name of a hash function,
// or rsa or ecdsa with the bits of the key, ed25519, or ml-dsa-44, ml-dsa-65 or ml-dsa-87.
type Algorithm struct {
	Name string
	Bits int // of an RSA or ECDSA key, else 0
}

// String returns the algorithm for people.
func (a Algorithm) String() string {
	if a.Bits == 0 {
		return a.Name
	}
	return fmt.Sprintf("%s-%d", a.Name, a.Bits)
}

// kind is a way to sign.
type kind int

const (
	pkcs1 kind = iota + 1
	pss
	curve
	edwards
	lattice
)

// scheme is the meaning of an AlgorithmIdentifier of a signature.
type scheme struct {
	kind   kind
	hash   Hash // "" for edwards and lattice
	params mldsa.Parameters
	name   string // of lattice
}

func rsaOID(n int) asn1.ObjectIdentifier   { return asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, n} }
func ecdsaOID(n int) asn1.ObjectIdentifier { return asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, n} }
func nistOID(n int) asn1.ObjectIdentifier {
	return asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 3, n}
}

var oidEd25519 = asn1.ObjectIdentifier{1, 3, 101, 112}

// schemes are the signature algorithms that name their hash. RSA algorithms have NULL as
// parameters, which some leave out; the others have none.
var schemes = []struct {
	oid asn1.ObjectIdentifier
	scheme
}{
	{rsaOID(11), scheme{kind: pkcs1, hash: SHA256}},
	{rsaOID(12), scheme{kind: pkcs1, hash: SHA384}},
	{rsaOID(13), scheme{kind: pkcs1, hash: SHA512}},
	{nistOID(14), scheme{kind: pkcs1, hash: SHA3x256}},
	{nistOID(15), scheme{kind: pkcs1, hash: SHA3x384}},
	{nistOID(16), scheme{kind: pkcs1, hash: SHA3x512}},
	{ecdsaOID(2), scheme{kind: curve, hash: SHA256}},
	{ecdsaOID(3), scheme{kind: curve, hash: SHA384}},
	{ecdsaOID(4), scheme{kind: curve, hash: SHA512}},
	{nistOID(10), scheme{kind: curve, hash: SHA3x256}},
	{nistOID(11), scheme{kind: curve, hash: SHA3x384}},
	{nistOID(12), scheme{kind: curve, hash: SHA3x512}},
	{oidEd25519, scheme{kind: edwards}},
	{nistOID(17), scheme{kind: lattice, params: mldsa.MLDSA44(), name: "ml-dsa-44"}},
	{nistOID(18), scheme{kind: lattice, params: mldsa.MLDSA65(), name: "ml-dsa-65"}},
	{nistOID(19), scheme{kind: lattice, params: mldsa.MLDSA87(), name: "ml-dsa-87"}},
}

// schemeOf returns the meaning of an AlgorithmIdentifier. In a SignerInfo, RSA can be named
// without a hash; the hash is then the message digest's.
func schemeOf(a algorithm, digest Hash) (scheme, bool) {
	if digest != "" && a.plain(rsaOID(1)) {
		return scheme{kind: pkcs1, hash: digest}, true
	}
	if a.oid.Equal(rsaOID(10)) {
		return pssOf(a.parameters)
	}
	for _, s := range schemes {
		if s.kind == pkcs1 && a.plain(s.oid) || a.parameters == nil && a.oid.Equal(s.oid) {
			return s.scheme, true
		}
	}
	return scheme{}, false
}

// pssOf reads RSASSA-PSS-params (RFC 4055): one hash for both uses, and a salt of its
// length.
func pssOf(parameters []byte) (scheme, bool) {
	in := cryptobyte.String(parameters)
	var params cryptobyte.String
	var h, mask Hash
	var mgf algorithm
	var salt, trailer int
	ok := in.ReadASN1(&params, asn1tag.SEQUENCE) && in.Empty() &&
		readOptional(&params, inner0, func(s *cryptobyte.String) bool { return readHash(s, &h) }) &&
		readOptional(&params, inner1, func(s *cryptobyte.String) bool { return readAlgorithm(s, &mgf) }) &&
		readOptional(&params, inner2, func(s *cryptobyte.String) bool { return s.ReadASN1Integer(&salt) }) &&
		readOptional(&params, inner3, func(s *cryptobyte.String) bool { return s.ReadASN1Integer(&trailer) && trailer == 1 })
	inner := cryptobyte.String(mgf.parameters)
	ok = ok && params.Empty() && mgf.oid.Equal(rsaOID(8)) && readHash(&inner, &mask) && inner.Empty() && mask == h &&
		salt == h.Size()
	return scheme{kind: pss, hash: h}, ok
}

// The sizes of RSA keys in bits. Larger ones cost a verifier too much.
const (
	leastRSA = 2048
	mostRSA  = 16384
)

// verify returns the algorithms that a signature rests on, or an error if it does not hold
// under a SubjectPublicKeyInfo.
func (s scheme) verify(key, message, signature []byte) ([]Algorithm, error) {
	if s.kind == lattice {
		return s.verifyLattice(key, message, signature)
	}
	public, err := x509.ParsePKIXPublicKey(key)
	if err != nil {
		return nil, errors.New("a public key of another kind, or none")
	}
	var digest []byte
	var f crypto.Hash
	if s.hash != "" {
		digest, f = s.hash.Sum(message), s.hash.function()
	}
	wrong := errors.New("a signature that does not hold")
	switch public := public.(type) {
	case *rsa.PublicKey:
		rests := []Algorithm{{"rsa", public.N.BitLen()}, {string(s.hash), 0}}
		switch {
		case public.N.BitLen() < leastRSA || public.N.BitLen() > mostRSA:
			return nil, fmt.Errorf("an RSA key of %d bits", public.N.BitLen())
		case s.kind == pkcs1 && rsa.VerifyPKCS1v15(public, f, digest, signature) == nil:
			return rests, nil
		case s.kind == pss && rsa.VerifyPSS(public, f, digest, signature,
			&rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}) == nil:
			return rests, nil
		}
	case *ecdsa.PublicKey:
		bits := public.Curve.Params().BitSize
		if s.kind == curve && bits >= 256 && ecdsa.VerifyASN1(public, digest, signature) {
			return []Algorithm{{"ecdsa", bits}, {string(s.hash), 0}}, nil
		}
	case ed25519.PublicKey:
		if s.kind == edwards && ed25519.Verify(public, message, signature) {
			return []Algorithm{{Name: "ed25519"}}, nil
		}
	}
	return nil, wrong
}

// verifyLattice verifies an ML-DSA signature. The key must be for the same
// parameters (RFC 9881).
func (s scheme) verifyLattice(key, message, signature []byte) ([]Algorithm, error) {
	info := cryptobyte.String(key)
	var outer cryptobyte.String
	var a algorithm
	var octets []byte
	if !info.ReadASN1(&outer, asn1tag.SEQUENCE) || !info.Empty() || !readAlgorithm(&outer, &a) ||
		!outer.ReadASN1BitStringAsBytes(&octets) || !outer.Empty() {
		return nil, errors.New("no public key")
	}
	own, ok := schemeOf(a, "")
	if !ok || own.name != s.name {
		return nil, errors.New("a public key of another kind")
	}
	public, err := mldsa.NewPublicKey(s.params, octets)
	if err != nil {
		return nil, err
	}
	if mldsa.Verify(public, message, signature, nil) != nil {
		return nil, errors.New("a signature that does not hold")
	}
	return []Algorithm{{Name: s.name}}, nil
}

// signed is a structure of content, algorithm and signature, as certificates, CRLs
// and OCSP answers are.
type signed struct {
	content   []byte // the element
	algorithm algorithm
	signature []byte
}

// readSigned reads such a structure. More can follow in it only if rest is not nil.
func readSigned(der []byte, rest *cryptobyte.String) (s signed, ok bool) {
	in := cryptobyte.String(der)
	var outer, content cryptobyte.String
	ok = in.ReadASN1(&outer, asn1tag.SEQUENCE) && in.Empty() && outer.ReadASN1Element(&content, asn1tag.SEQUENCE) &&
		readAlgorithm(&outer, &s.algorithm) && outer.ReadASN1BitStringAsBytes(&s.signature)
	s.content = content
	if rest != nil {
		*rest = outer
		return s, ok
	}
	return s, ok && outer.Empty()
}

// by verifies the structure's signature under a SubjectPublicKeyInfo.
func (s signed) by(key []byte) ([]Algorithm, error) {
	how, ok := schemeOf(s.algorithm, "")
	if !ok {
		return nil, fmt.Errorf("the signature algorithm %s", s.algorithm.oid)
	}
	return how.verify(key, s.content, s.signature)
}
