package certificate

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// made is a certificate that crypto/x509 made, signed by the key itself.
func made(t testing.TB, key crypto.Signer, change func(*x509.Certificate)) []byte {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(0x62), Subject: pkix.Name{CommonName: "a.example"},
		NotBefore: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), NotAfter: time.Date(2051, 3, 2, 9, 0, 0, 0, time.UTC),
		DNSNames: []string{"a.example"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, BasicConstraintsValid: true, IsCA: true,
		MaxPathLen: 2,
	}
	if change != nil {
		change(template)
	}
	return must.Get(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))(t)
}

func ecdsaKey(t testing.TB, curve elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	return must.Get(ecdsa.GenerateKey(curve, rand.Reader))(t)
}

func TestParseReadsWhatTheLibraryReads(t *testing.T) {
	der := made(t, ecdsaKey(t, elliptic.P256()), nil)
	got := must.Get(Parse(der))(t)
	want := must.Get(x509.ParseCertificate(der))(t)
	switch {
	case !bytes.Equal(got.Raw, want.Raw), !bytes.Equal(got.TBS, want.RawTBSCertificate),
		!bytes.Equal(got.KeyInfo, want.RawSubjectPublicKeyInfo),
		!bytes.Equal(got.Issuer, want.RawIssuer), !bytes.Equal(got.Subject, want.RawSubject), got.Version != 3,
		got.Serial.Cmp(want.SerialNumber) != 0, !got.NotBefore.Equal(want.NotBefore), !got.NotAfter.Equal(want.NotAfter),
		!got.IsCA, got.KeyUsage != DigitalSignature|CertSign, len(got.Extensions) != len(want.Extensions),
		len(got.Usages) != 1, len(got.AltNames) != 1 || got.AltNames[0].Text() != "dns:a.example",
		NameText(got.Subject) != "CN=a.example":
		t.Errorf("read as %+v", got)
	}
}

func TestKeysAndSignatures(t *testing.T) {
	_, ed, _ := ed25519.GenerateKey(rand.Reader)
	rsaKey2048, _ := rsa.GenerateKey(rand.Reader, 2048)
	other := must.Get(Parse(made(t, ecdsaKey(t, elliptic.P256()), nil)))(t)
	tests := []struct {
		name      string
		key       crypto.Signer
		method    x509.SignatureAlgorithm
		algorithm string
		holds     bool
	}{
		{"P-256", ecdsaKey(t, elliptic.P256()), x509.ECDSAWithSHA256, "ecdsa-p256", true},
		{"P-384", ecdsaKey(t, elliptic.P384()), x509.ECDSAWithSHA384, "ecdsa-p384", true},
		{"P-521", ecdsaKey(t, elliptic.P521()), x509.ECDSAWithSHA512, "", true},
		{"P-224", ecdsaKey(t, elliptic.P224()), x509.ECDSAWithSHA256, "", false},
		{"Ed25519", ed, x509.PureEd25519, "ed25519", true},
		{"RSA", rsaKey2048, x509.SHA256WithRSA, "rsa-2048", true},
		{"RSA, SHA-384", rsaKey2048, x509.SHA384WithRSA, "rsa-2048", true},
		{"RSA, PSS", rsaKey2048, x509.SHA256WithRSAPSS, "rsa-2048", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := must.Get(Parse(made(t, tt.key, func(c *x509.Certificate) { c.SignatureAlgorithm = tt.method })))(t)
			check.That(t, c.Algorithm() == tt.algorithm && c.SignedBy(c) == tt.holds, "algorithm %q, signed by itself %t",
				c.Algorithm(), c.SignedBy(c))
			check.That(t, !c.SignedBy(other) && !other.SignedBy(c), "signed by another key")
			damaged, err := Parse(bytes.Replace(c.Raw, []byte("a.example"), []byte("b.example"), 1))
			check.That(t, err == nil && !damaged.SignedBy(c), "damaged, and signed all the same (%v)", err)
		})
	}
}

// TestParseRefuses: each edit of the DER breaks one rule of SPEC 7.12.
func TestParseRefuses(t *testing.T) {
	sound := made(t, ecdsaKey(t, elliptic.P256()), nil)
	replace := func(from, to string) []byte {
		t.Helper()
		must.That(t, bytes.Count(sound, []byte(from)) != 0, "the certificate has no %x", from)
		return bytes.ReplaceAll(sound, []byte(from), []byte(to))
	}
	bad := map[string][]byte{
		"nothing":                   {},
		"a byte after it":           append(bytes.Clone(sound), 0),
		"a byte missing":            sound[:len(sound)-1],
		"a long length":             append([]byte{0x30, 0x83, 0x00, sound[2], sound[3]}, sound[4:]...),
		"version 1, written":        replace("\xa0\x03\x02\x01\x02", "\xa0\x03\x02\x01\x00"),
		"version 4":                 replace("\xa0\x03\x02\x01\x02", "\xa0\x03\x02\x01\x03"),
		"version 2 with extensions": replace("\xa0\x03\x02\x01\x02", "\xa0\x03\x02\x01\x01"),
		"serial of another type":    replace("\x02\x01\x62", "\x0a\x01\x62"),
		"a day that is none":        replace("260302090000Z", "260230090000Z"),
		"a time without seconds":    replace("\x17\x0d260302090000Z", "\x17\x0d2603020900+00"),
		"generalized time too soon": replace("20510302090000Z", "20490302090000Z"),
		"a critical that is false":  replace("\x01\x01\xff\x04", "\x01\x01\x00\x04"),
		"a critical of 1":           replace("\x01\x01\xff\x04", "\x01\x01\x01\x04"),
		"key usage with a zero end": replace("\x03\x02\x02\x84", "\x03\x02\x01\x84"),
		"extension twice":           replace("\x55\x1d\x25", "\x55\x1d\x13"),
	}
	for name, der := range bad {
		c, err := Parse(der)
		check.That(t, err != nil, "%s: read as %+v", name, c)
	}
	for i := range sound {
		check.That(t, check.Err(Parse(sound[:i])) != nil, "the first %d bytes are read", i)
	}
	check.OK(t, check.Err(Parse(replace("20510302090000Z", "20500302090000Z"))),
		"a generalized time of 2050 is refused")
	for text, year := range map[string]int{"500302090000Z": 1950, "490302090000Z": 2049} {
		check.Equal(t, must.Get(Parse(replace("260302090000Z", text)))(t).NotBefore.Year(), year, "%s", text)
	}
}

// TestOpaqueContentIsNotJudged: an extension that no check looks at may hold
// anything, and a subjectAltName any kind of entry.
func TestOpaqueContentIsNotJudged(t *testing.T) {
	oid := asn1.ObjectIdentifier{2, 5, 29, 35}
	der := made(t, ecdsaKey(t, elliptic.P256()), func(c *x509.Certificate) {
		c.ExtraExtensions = []pkix.Extension{{Id: oid, Value: []byte("garbage")}}
		c.DNSNames = nil
		var b cryptobyte.Builder
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
			b.AddASN1(cbasn1.Tag(9).ContextSpecific(), func(b *cryptobyte.Builder) {})
			b.AddASN1(cbasn1.Tag(2).ContextSpecific().Constructed(), func(b *cryptobyte.Builder) {})
			b.AddASN1(cbasn1.Tag(7).ContextSpecific(), func(b *cryptobyte.Builder) { b.AddBytes(make([]byte, 5)) })
			b.AddASN1(cbasn1.Tag(7).ContextSpecific(), func(b *cryptobyte.Builder) {
				b.AddBytes([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 1, 2, 3, 4})
			})
			b.AddASN1(cbasn1.UTF8String, func(b *cryptobyte.Builder) {})
		})
		c.ExtraExtensions = append(c.ExtraExtensions,
			pkix.Extension{Id: asn1.ObjectIdentifier{2, 5, 29, 17}, Value: b.BytesOrPanic()})
	})
	c := must.Get(Parse(der))(t)
	for i, alt := range c.AltNames {
		check.That(t, alt.Text() == "", "entry %d is the name %q", i, alt.Text())
	}
	check.That(t, len(c.AltNames) == 5, "%d entries", len(c.AltNames))
}

// FuzzParse: all input that is read is DER that the library's cryptobyte reader wrote, so that
// a certificate has no two encodings.
func FuzzParse(f *testing.F) {
	f.Add(made(f, ecdsaKey(f, elliptic.P256()), nil))
	f.Add(made(f, ecdsaKey(f, elliptic.P384()),
		func(c *x509.Certificate) { c.URIs, c.IsCA, c.MaxPathLen = nil, false, -1 }))
	f.Fuzz(func(t *testing.T, der []byte) {
		c, err := Parse(der)
		if err != nil {
			return
		}
		must.That(t, bytes.Equal(c.Raw, der) && bytes.Contains(der, c.TBS) && c.Version >= 1 && c.Version <= 3,
			"read as %+v", c)
		c.Algorithm()
		c.SignedBy(c)
		NameText(c.Subject)
		must.That(t, check.Err(Parse(append(bytes.Clone(der), 0))) != nil, "a byte after it is not noticed")
	})
}

// TestIdentifiersAreNotConfused: an identifier is defined by its bytes, however long it is.
func TestIdentifiersAreNotConfused(t *testing.T) {
	serverAuth := OID("\x2b\x06\x01\x05\x05\x07\x03\x01")
	check.That(t, serverAuth.String() == "1.3.6.1.5.5.7.3.1", "serverAuth is written %s", serverAuth)
	for _, n := range []int{120, 248, 256, 512} {
		long := serverAuth + OID(bytes.Repeat([]byte{1}, n))
		check.That(t, long != serverAuth && long.String() != serverAuth.String(),
			"an identifier of %d octets is written %s", len(long), long)
	}
}

// TestExtensionsAreNamed: the refusal of an extension names the extension.
func TestExtensionsAreNamed(t *testing.T) {
	for id, want := range map[OID]string{
		OIDKeyUsage:                            "2.5.29.15 (keyUsage)",
		OIDTimestamps:                          "1.3.6.1.4.1.11129.2.4.2 (signed certificate timestamps)",
		"\x2b\x06\x01\x04\x01\x82\x37\x15\x0a": "1.3.6.1.4.1.311.21.10 (Microsoft application policies)",
		"\x2b\x06\x01\x04\x01\x82\xda\x4b\x2c": "1.3.6.1.4.1.44363.44 (DelegationUsage)",
		"\x2a\x03":                             "1.2.3",
		"\x2a\x90\x80\x80\x80\x00":             "2a9080808000",
		OID(bytes.Repeat([]byte{1}, 60000)):    strings.Repeat("01", 32) + "... of 60000 octets",
		"":                                     "one without an identifier",
	} {
		got := id.Label()
		check.That(t, got == want, "expected %s, found %s", want, got)
	}
	sound := made(t, ecdsaKey(t, elliptic.P256()), nil)
	for _, tt := range []struct{ from, to, want string }{
		{"\x55\x1d\x13", "\x55\x1d\x25", "an extension that occurs twice: 2.5.29.37 (extKeyUsage)"},
		{"\x03\x02\x02\x84", "\x03\x02\x01\x84", "an extension with malformed content: 2.5.29.15 (keyUsage)"},
		{"\x01\x01\xff\x04", "\x01\x01\x00\x04", "a malformed extension: 2.5.29.15 (keyUsage)"},
	} {
		_, err := Parse(bytes.ReplaceAll(sound, []byte(tt.from), []byte(tt.to)))
		check.That(t, err != nil && err.Error() == tt.want, "expected %q, found %v", tt.want, err)
	}
}

// TestKeyUsageIsRead: each bit is its use, and no other.
func TestKeyUsageIsRead(t *testing.T) {
	for bit, name := range useNames {
		octets := append(make([]byte, bit/8), 0x80>>(bit%8))
		value := append([]byte{3, byte(1 + len(octets)), byte(7 - bit%8)}, octets...)
		var c Certificate
		check.That(t, c.readContent(Extension{ID: OIDKeyUsage, Value: value}) && c.KeyUsage == 1<<bit &&
			c.KeyUsage.String() == name, "%s is read as %s", name, c.KeyUsage)
	}
	s := KeyUsage(0).String()
	check.That(t, s == "nothing", "no use is written %q", s)
}
