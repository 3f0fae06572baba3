package pki

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

var (
	now    = time.Date(2026, 3, 2, 9, 0, 5, 123e6, time.UTC)
	source = chance.New(1)
)

// terms are terms for a key of the algorithm, and the request that fits them.
func terms(t *testing.T, algorithm string, names ...string) (seal.Object, []byte) {
	t.Helper()
	key := must.Get(source.Stream("leaf").Key(algorithm))(t)
	request := must.Get(Request(key, names))(t)
	csr := must.Get(ReadRequest(request))(t)
	return seal.Object{
		"algorithm":           algorithm,
		"lifetime_seconds":    int64(3600),
		"names":               seal.Strings(names),
		"extended_key_usages": seal.Strings([]string{"clientAuth", "serverAuth"}),
		"public_key_sha256":   seal.SHA256(csr.RawSubjectPublicKeyInfo),
	}, request
}

// issue plays an issuance with a change to the template, and parses the leaf.
func issue(t *testing.T, granted seal.Object, request []byte,
	change func(*x509.Certificate)) (*x509.Certificate, *Issuer) {
	t.Helper()
	issuer := NewIssuer("Test CA", "ecdsa-p256", now, source.Stream("issuer"))
	csr := must.Get(ReadRequest(request))(t)
	template := must.Get(Leaf(granted, Serial(source.Stream("serial")), now))(t)
	change(template)
	der := must.Get(issuer.Sign(template, csr.PublicKey))(t)
	return must.Get(x509.ParseCertificate(der))(t), issuer
}

func unchanged(*x509.Certificate) {}

func TestLeafProfile(t *testing.T) {
	granted, request := terms(t, "ecdsa-p256", "dns:a.example", "email:a@a.example", "ip:192.0.2.1", "ip:2001:db8::1",
		"uri:spiffe://a.example/x")
	leaf, issuer := issue(t, granted, request, unchanged)
	check.That(t, leaf.Version == 3 && !leaf.IsCA && leaf.KeyUsage == x509.KeyUsageDigitalSignature &&
		len(leaf.UnhandledCriticalExtensions) <= 0,
		"version %d, CA %t, key usage %b", leaf.Version, leaf.IsCA, leaf.KeyUsage)
	check.That(t, leaf.NotBefore.Equal(now.Truncate(time.Second)) && leaf.NotAfter.Sub(leaf.NotBefore) == time.Hour,
		"valid from %s to %s", leaf.NotBefore, leaf.NotAfter)
	check.That(t, leaf.Subject.String() == "CN=a.example" && bytes.Equal(leaf.RawIssuer, issuer.Certificate.RawSubject),
		"subject %s, issuer %s", leaf.Subject, leaf.Issuer)
	check.That(t, leaf.SerialNumber.Sign() > 0 && leaf.SerialNumber.BitLen() <= 127, "serial %x", leaf.SerialNumber)
	check.That(t, slices.Equal(leaf.DNSNames, []string{"a.example"}) &&
		slices.Equal(leaf.EmailAddresses, []string{"a@a.example"}) &&
		len(leaf.IPAddresses) == 2 && leaf.IPAddresses[1].String() == "2001:db8::1" &&
		leaf.URIs[0].String() == "spiffe://a.example/x",
		"names %s %s %s %s", leaf.DNSNames, leaf.EmailAddresses, leaf.IPAddresses, leaf.URIs)
	roots := x509.NewCertPool()
	roots.AddCert(issuer.Certificate)
	usages := []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}
	check.Do(t, check.Err(leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: now, DNSName: "a.example",
		KeyUsages: usages})))
	check.That(t, slices.Equal(leaf.ExtKeyUsage, usages), "usages %v", leaf.ExtKeyUsage)
}

func TestSubjectIsEmptyWithoutDNSName(t *testing.T) {
	for _, names := range [][]string{{"uri:spiffe://a.example/x"}, {"dns:" + strings.Repeat("a.", 40) + "example"}} {
		granted, request := terms(t, "ed25519", names...)
		leaf, _ := issue(t, granted, request, unchanged)
		check.Equal(t, leaf.Subject.String(), "", "%q: subject %s", names, leaf.Subject)
		critical := slices.ContainsFunc(leaf.Extensions,
			func(e pkix.Extension) bool { return e.Id.Equal(oidAlternativeNames) && e.Critical })
		check.That(t, critical, "%q: the names are not critical, though the subject is empty", names)
	}
}

// A forger gets the certificate that the template describes.
func TestTemplateCanBeForged(t *testing.T) {
	granted, request := terms(t, "ecdsa-p256", "dns:a.example")
	leaf, _ := issue(t, granted, request, func(template *x509.Certificate) {
		template.IsCA = true
		template.KeyUsage |= x509.KeyUsageCertSign
	})
	check.That(t, leaf.IsCA && leaf.KeyUsage&x509.KeyUsageCertSign != 0, "the template was not followed")
}

func TestIssuance(t *testing.T) {
	granted, request := terms(t, "ecdsa-p384", "dns:a.example")
	first, _ := issue(t, granted, request, unchanged)
	second, _ := issue(t, granted, request, unchanged)
	check.That(t, bytes.Equal(first.Raw, second.Raw), "the same issuance gave other bytes")
}

func TestNames(t *testing.T) {
	for _, name := range []string{
		"", "dns:", "dns", "other:a", "dns:A.example", "dns:é.example", "dns:a..example", "dns:-a.example", "dns:a b",
		"dns:*", "dns:*.*.a",
		"dns:" + strings.Repeat("a", 64), "dns:" + strings.Repeat("a.", 126) + "aa",
		"dns:1.2.3.4", "dns:42", "dns:*.1", "dns:a.0x1f", "dns:a.0x",
		"uri:a\nb", "uri:relative", "uri:1a:b", "uri:a:", "email:a", "email:a@b@c", "email:@b",
		"email:a@" + strings.Repeat("b", 1024-7),
		"ip:192.0.2.01", "ip:2001:DB8::1", "ip:2001:db8:0::1", "ip:::ffff:192.0.2.1", "ip:fe80::1%eth0", "ip:x",
	} {
		check.That(t, check.Err(alternativeNames([]string{name})) != nil, "%q was taken for a name", name)
	}
	check.That(t, check.Err(alternativeNames(nil)) != nil, "no names were taken for names")
	for _, name := range []string{"dns:*.a.example", "dns:a", "dns:" + strings.Repeat("a", 63),
		"dns:" + strings.Repeat("a.", 126) + "a",
		"dns:1.2.3.a4", "dns:4.a", "dns:a.0xg", "dns:1-2", "uri:urn:x:y", "email:a@" + strings.Repeat("b", 1024-8), "ip:::1",
		"ip:255.255.255.255"} {
		check.OK(t, check.Err(alternativeNames([]string{name})), "%q", name)
	}
}

// TestImpossibleKeys: no algorithm of the terms has a key that no one can have made; a key
// next to it has one.
func TestImpossibleKeys(t *testing.T) {
	odd := new(big.Int).SetBit(big.NewInt(1), 2047, 1)
	even := new(big.Int).SetBit(big.NewInt(2), 2047, 1)
	identity := append(ed25519.PublicKey{1}, make([]byte, 31)...)
	other := append(ed25519.PublicKey{0xee}, bytes.Repeat([]byte{0xff}, 31)...) // the identity once more, not reduced
	good := ed25519.NewKeyFromSeed(make([]byte, 32)).Public()
	for _, tt := range []struct {
		name   string
		public any
		want   bool
	}{
		{"odd modulus", &rsa.PublicKey{N: odd, E: 65537}, true},
		{"even modulus", &rsa.PublicKey{N: even, E: 65537}, false},
		{"a point", good, true},
		{"small order", identity, false},
		{"not canonical", other, false},
		{"no point", append(ed25519.PublicKey{2}, make([]byte, 31)...), false},
	} {
		_, err := AlgorithmOf(tt.public)
		check.That(t, (err == nil) == tt.want, "%s: %v", tt.name, err)
	}
}

func TestLeafRefuses(t *testing.T) {
	for name, change := range map[string]func(seal.Object){
		"no lifetime":   func(o seal.Object) { o["lifetime_seconds"] = int64(0) },
		"no names":      func(o seal.Object) { o["names"] = []any{} },
		"no usages":     func(o seal.Object) { o["extended_key_usages"] = []any{} },
		"unknown usage": func(o seal.Object) { o["extended_key_usages"] = seal.Strings([]string{"anyExtendedKeyUsage"}) },
	} {
		granted, _ := terms(t, "ed25519", "dns:a.example")
		change(granted)
		check.That(t, check.Err(Leaf(granted, Serial(source.Stream("s")), now)) != nil, "%s: a leaf was made", name)
	}
}

func TestRequestOfAnotherHolder(t *testing.T) {
	_, request := terms(t, "ecdsa-p256", "dns:a.example")
	request[len(request)-1] ^= 1
	check.That(t, check.Err(ReadRequest(request)) != nil, "a request with a broken signature was read")
	check.That(t, check.Err(ReadRequest([]byte("x"))) != nil, "a request that is none was read")
}

func TestRequestMustFitTheTerms(t *testing.T) {
	for name, change := range map[string]func(seal.Object){
		"another key":       func(o seal.Object) { o["public_key_sha256"] = seal.SHA256(nil) },
		"another algorithm": func(o seal.Object) { o["algorithm"] = "ecdsa-p384" },
		"another name":      func(o seal.Object) { o["names"] = seal.Strings([]string{"dns:b.example"}) },
		"more names":        func(o seal.Object) { o["names"] = seal.Strings([]string{"dns:a.example", "dns:b.example"}) },
		"no names":          func(o seal.Object) { o["names"] = []any{} },
	} {
		granted, request := terms(t, "ecdsa-p256", "dns:a.example")
		csr := must.Get(ReadRequest(request))(t)
		must.Do(t, CheckTerms(csr, granted))
		change(granted)
		check.That(t, CheckTerms(csr, granted) != nil, "%s: the request was taken to fit", name)
	}
}

func TestAlgorithmOf(t *testing.T) {
	for _, want := range []string{"ecdsa-p256", "ecdsa-p384", "ed25519", "rsa-2048"} {
		key := must.Get(source.Stream("leaf").Key(want))(t)
		got, err := AlgorithmOf(key.Public())
		check.That(t, err == nil && got == want, "got %q, %v, want %s", got, err, want)
	}
	got, err := AlgorithmOf("key")
	check.That(t, err != nil, "a string is a key of algorithm %s", got)
}
