package timestamp_test

import (
	"bytes"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/must"
	tsa "github.com/svc-edge/svc-verify/internal/tsatest"
)

// signedVersion gives the SignedData a version.
func signedVersion(n int) func(*world, *tsa.Token) {
	return func(_ *world, t *tsa.Token) { t.Version = n }
}

// unsigned gives the SignerInfo unsigned attributes, in this order.
func unsigned(attributes ...[]byte) func(*world, *tsa.Token) {
	return func(_ *world, t *tsa.Token) { t.Unsigned = tsa.Element(tsa.Inner1, attributes...) }
}

// moreCertificates adds elements to the certificates.
func moreCertificates(all ...[]byte) func(*world, *tsa.Token) {
	return func(_ *world, t *tsa.Token) { t.Certificates = append(t.Certificates, all...) }
}

// nonce asks with a nonce and answers it.
func nonce(n *big.Int) func(*world, *tsa.Token) {
	return func(w *world, t *tsa.Token) {
		w.request.Nonce = n
		*t = w.signer.Token(tsa.Answer(w.request.Marshal(), year(2026)).DER(), w.below)
	}
}

// backwards has the signed attributes in another order than DER's. They are signed as they
// are.
func backwards(_ *world, t *tsa.Token) {
	slices.SortFunc(t.Attributes, func(a, b []byte) int { return bytes.Compare(b, a) })
	t.Unsorted = true
}

var (
	other = tsa.Attribute(tsa.OID(1, 2, 3, 4), tsa.Null, tsa.Integer(1))
	bits  = func(n uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), n-1) } // a number of so many
)

// oneExtension is TSTInfo with an extension that has a flag.
func oneExtension(flag ...byte) func(*world, *tsa.Token) {
	return answer(func(i *tsa.Info) {
		i.Extensions = tsa.Element(tsa.Inner1, tsa.Element(tsa.Sequence, tsa.OID(1, 3, 6, 1, 5, 5, 7, 1, 3), flag,
			tsa.Element(tsa.Octets, tsa.Element(tsa.Sequence))))
	})
}

// peculiarities are the conditions of SPEC 17.3, with a near miss for each.
var peculiarities = []damage{
	{"SignedData of version 0", timestamp.TokenMalformed, signedVersion(0)},
	{"SignedData of version 1", "", signedVersion(1)},
	{"SignedData of version 2", timestamp.TokenMalformed, signedVersion(2)},
	{"SignedData of version 4", "", signedVersion(4)},
	{"SignedData of version 5", "", signedVersion(5)},
	{"SignedData of version 6", timestamp.TokenMalformed, signedVersion(6)},
	{"extended certificate", timestamp.TokenMalformed, moreCertificates(tsa.Element(tsa.Inner0, tsa.Integer(1)))},
	{"attribute certificates", "",
		moreCertificates(tsa.Element(tsa.Inner1, tsa.Integer(1)), tsa.Element(tsa.Inner2, tsa.Integer(1)))},
	{"certificate of another format", timestamp.TokenMalformed, moreCertificates(tsa.Element(0xa3, tsa.Integer(1)))},
	{"too many with attribute certificates", timestamp.TokenMalformed,
		moreCertificates(slices.Repeat([][]byte{tsa.Element(tsa.Inner1)}, timestamp.MaxCertificates-1)...)},
	{"as many as can be", "",
		moreCertificates(slices.Repeat([][]byte{tsa.Element(tsa.Inner1)}, timestamp.MaxCertificates-2)...)},

	{"attributes in another order", "", backwards},
	{"attributes in another order than they were signed", timestamp.TokenSignature, func(w *world, t *tsa.Token) {
		backwards(w, t)
		sign, sorted := t.Sign, slices.SortedFunc(slices.Values(t.Attributes), bytes.Compare)
		t.Sign = func([]byte) []byte { return sign(tsa.Element(tsa.Set, sorted...)) }
	}},
	{"unsigned attributes", "", unsigned(other, extra)},
	{"no unsigned attribute in their set", "", unsigned()},
	{"unsigned attributes in another order", timestamp.TokenMalformed, unsigned(extra, other)},
	{"an unsigned attribute twice", timestamp.TokenMalformed, unsigned(extra, extra)},
	{"unsigned attributes that are none", timestamp.TokenMalformed, unsigned(tsa.Integer(1))},
	{"an unsigned attribute without values", timestamp.TokenMalformed,
		unsigned(tsa.Element(tsa.Sequence, tsa.OID(1, 2, 3)))},
	{"more in an unsigned attribute", timestamp.TokenMalformed,
		unsigned(tsa.Element(tsa.Sequence, tsa.OID(1, 2, 3), tsa.Element(tsa.Set), tsa.Null))},
	{"something behind unsigned attributes", timestamp.TokenMalformed, func(w *world, t *tsa.Token) {
		t.Unsigned = append(tsa.Element(tsa.Inner1, extra), tsa.Null...)
	}},

	{"serial of 160 bits", "", answer(func(i *tsa.Info) { i.Serial = must.Have(asn1.Marshal(bits(160))) })},
	{"serial of 161 bits", timestamp.TokenMalformed,
		answer(func(i *tsa.Info) { i.Serial = must.Have(asn1.Marshal(bits(161))) })},
	{"nonce of 512 bits", "", nonce(bits(512))},
	{"nonce of 513 bits", timestamp.TokenMalformed, nonce(bits(513))},
	{"nonce below zero", "", nonce(big.NewInt(-77))},
	{"no ordering, written", "", answer(func(i *tsa.Info) { i.Ordering = []byte{1, 1, 0} })},
	{"extension that is not critical", "", oneExtension()},
	{"extension that is not critical, written", "", oneExtension(1, 1, 0)},
	{"critical extension that is known", timestamp.TokenMalformed, oneExtension(1, 1, 0xff)},
}

// critical is a critical extension of a certificate.
func critical(value []byte, oid ...int) pkix.Extension {
	return pkix.Extension{Id: oid, Critical: true, Value: value}
}

// TestKnownExtensions: critical extensions about policies limit who relies on a certificate, which the
// pin decides. Others that are critical are refused.
func TestKnownExtensions(t *testing.T) {
	anyPolicy := tsa.Element(tsa.Sequence, tsa.Element(tsa.Sequence, tsa.OID(2, 5, 29, 32, 0)))
	for _, c := range []struct {
		name string
		code finding.Code
		one  pkix.Extension
	}{
		{"certificatePolicies", "", critical(anyPolicy, 2, 5, 29, 32)},
		{"policyConstraints", "", critical(tsa.Element(tsa.Sequence, tsa.Element(tsa.Context0, []byte{0})), 2, 5, 29, 36)},
		{"policyMappings", "", critical(tsa.Element(tsa.Sequence,
			tsa.Element(tsa.Sequence, tsa.OID(1, 2, 3), tsa.OID(1, 2, 4))), 2, 5, 29, 33)},
		{"inhibitAnyPolicy", "", critical(tsa.Integer(0), 2, 5, 29, 54)},
		{"qcStatements", timestamp.TokenCertificate, critical(tsa.Element(tsa.Sequence), 1, 3, 6, 1, 5, 5, 7, 1, 3)},
		{"no one knows", timestamp.TokenCertificate, critical(tsa.Null, 1, 2, 3, 4)},
	} {
		w := newWorld(tsa.ECDSA)
		w.below = w.root.Below("Below", tsa.ECDSA(), year(2021), year(2045),
			func(x *x509.Certificate) { x.ExtraExtensions = []pkix.Extension{c.one} })
		w.signer = w.below.Stamper("Stamper", tsa.ECDSA(), year(2022), year(2035))
		_, fault := w.judge(w.token().DER())
		checkFault(t, c.name, fault, c.code)
	}
}
