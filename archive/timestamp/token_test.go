package timestamp_test

import (
	"bytes"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	tsa "github.com/svc-edge/svc-verify/internal/tsatest"
)

func year(n int) time.Time { return time.Date(n, 3, 2, 9, 0, 0, 0, time.UTC) }

// world is an authority with one below and a signer, and a request.
type world struct {
	root, below, signer tsa.Identity
	request             timestamp.Request
}

func newWorld(key func() tsa.Key, change ...func(*x509.Certificate)) world {
	w := world{root: tsa.Authority("Root", tsa.ECDSA(), year(2020), year(2050))}
	w.below = w.root.Below("Below", tsa.ECDSA(), year(2021), year(2045))
	w.signer = w.below.Stamper("Stamper", key(), year(2022), year(2035), change...)
	w.request = timestamp.NewRequest(timestamp.SHA512, timestamp.SHA512.Sum([]byte("a seal")))
	return w
}

func (w world) pins() []timestamp.Authority {
	return []timestamp.Authority{{Name: "tsa", Certificates: []*x509.Certificate{w.root.Certificate}, From: year(2020)}}
}

// token is the right token of the world at 2026, in parts.
func (w world) token() tsa.Token {
	return w.signer.Token(tsa.Answer(w.request.Marshal(), year(2026)).DER(), w.below)
}

// judge reads a document as a caller does, and returns the first fault.
func (w world) judge(doc []byte) (*timestamp.Chain, *timestamp.Fault) {
	t, fault := timestamp.Parse(doc)
	if fault != nil {
		return nil, fault
	}
	if fault := t.Answers(w.request); fault != nil {
		return nil, fault
	}
	return t.Trace(w.pins(), nil)
}

// chain is the chain of a token that is sound.
func (w world) chain(t *testing.T, parts tsa.Token) *timestamp.Chain {
	t.Helper()
	chain, fault := w.judge(parts.DER())
	must.That(t, fault == nil, "%v", fault)
	return chain
}

// TestTokens: tokens by every kind of key, bare and in a response, are accepted, and name the
// algorithms that they rest on.
func TestTokens(t *testing.T) {
	for name, kind := range map[string]struct {
		key   func() tsa.Key
		rests string
	}{
		"ecdsa":   {tsa.ECDSA, "ecdsa-256 sha-256"},
		"ed25519": {tsa.Ed25519, "ed25519 sha-512 ecdsa-256 sha-256"},
		"rsa":     {tsa.RSA, "rsa-2048 sha-256 ecdsa-256"},
		"rsa-pss": {func() tsa.Key { return tsa.PSS(32) }, "rsa-2048 sha-256 ecdsa-256"},
		"ml-dsa":  {tsa.MLDSA, "ml-dsa-65 sha3-512 ecdsa-256 sha-256"},
	} {
		w := newWorld(kind.key)
		der := w.token().DER()
		for form, doc := range map[string][]byte{
			"bare": der, "response": tsa.Response(0, der), "with changes": tsa.Response(1, der),
		} {
			chain, fault := w.judge(doc)
			if fault != nil {
				t.Errorf("%s, %s: %v", name, form, fault)
				continue
			}
			var rests []string
			for _, a := range chain.RestsOn {
				rests = append(rests, a.String())
			}
			check.Equal(t, strings.Join(rests, " "), kind.rests, "%s rests on", name)
			check.That(t, chain.Token.Time.Equal(year(2026)) && chain.Token.Accuracy == time.Second &&
				len(chain.Way) == 3, "%s: %+v", name, chain.Token)
			check.That(t, bytes.Equal(chain.Token.DER, der),
				"%s, %s: the token was not taken out of its response", name, form)
		}
	}
}

// damage is one way to get a token wrong.
type damage struct {
	name   string
	code   finding.Code // "" for a near miss, which is accepted
	change func(*world, *tsa.Token)
}

// answer changes the TSTInfo, and signs again.
func answer(f func(*tsa.Info)) func(*world, *tsa.Token) {
	return func(w *world, t *tsa.Token) {
		info := tsa.Answer(w.request.Marshal(), year(2026))
		f(&info)
		*t = w.signer.Token(info.DER(), w.below)
	}
}

var extra = tsa.Attribute(tsa.OID(1, 2, 840, 113549, 1, 9, 5), tsa.Time(year(2026))) // signing-time

var damages = []damage{
	{"nothing", "", func(*world, *tsa.Token) {}},
	{"content of another type", timestamp.TokenMalformed,
		func(_ *world, t *tsa.Token) { t.Type = tsa.OID(1, 2, 840, 113549, 1, 7, 1) }},
	{"two signers", timestamp.TokenMalformed,
		func(_ *world, t *tsa.Token) { t.MoreSigners = tsa.Element(tsa.Sequence, tsa.Integer(1)) }},
	{"two digest algorithms", timestamp.TokenMalformed,
		func(_ *world, t *tsa.Token) { t.Digests = append(tsa.SHA256, tsa.SHA512...) }},
	{"digest algorithm of none", timestamp.TokenMalformed, func(_ *world, t *tsa.Token) { t.Digests = tsa.SHA512 }},
	{"SHA-1", timestamp.TokenMalformed, func(_ *world, t *tsa.Token) {
		t.Digest = tsa.Element(tsa.Sequence, tsa.OID(1, 3, 14, 3, 2, 26))
		t.Digests = t.Digest
	}},
	{"digest with NULL", "", func(_ *world, t *tsa.Token) {
		t.Digest = tsa.Element(tsa.Sequence, tsa.OID(2, 16, 840, 1, 101, 3, 4, 2, 1), tsa.Null)
		t.Digests = t.Digest
	}},
	{"digest with other parameters", timestamp.TokenMalformed, func(_ *world, t *tsa.Token) {
		t.Digest = tsa.Element(tsa.Sequence, tsa.OID(2, 16, 840, 1, 101, 3, 4, 2, 1), tsa.Integer(1))
		t.Digests = t.Digest
	}},
	{"no signed attributes", timestamp.TokenMalformed, func(_ *world, t *tsa.Token) { t.Attributes = nil }},
	{"another signed attribute", "", func(_ *world, t *tsa.Token) { t.Attributes = append(t.Attributes, extra) }},
	{"an attribute twice", timestamp.TokenMalformed, func(_ *world, t *tsa.Token) {
		t.Attributes = append(t.Attributes, extra, tsa.Attribute(tsa.OID(1, 2, 840, 113549, 1, 9, 5), tsa.Time(year(2027))))
	}},
	{"an attribute of two values", timestamp.TokenMalformed, func(_ *world, t *tsa.Token) {
		t.Attributes = append(t.Attributes, tsa.Attribute(tsa.OID(1, 2, 840, 113549, 1, 9, 5), tsa.Time(year(2026)),
			tsa.Time(year(2027))))
	}},
	{"no content-type", timestamp.TokenMalformed, func(_ *world, t *tsa.Token) { t.Attributes = t.Attributes[1:] }},
	{"content-type of something else", timestamp.TokenMalformed, func(_ *world, t *tsa.Token) {
		t.Attributes[0] = tsa.Attribute(tsa.ContentType, tsa.OID(1, 2, 840, 113549, 1, 7, 1))
	}},
	{"no message-digest", timestamp.TokenMalformed,
		func(_ *world, t *tsa.Token) { t.Attributes = slices.Delete(t.Attributes, 1, 2) }},
	{"message-digest of something else", timestamp.TokenSignature, func(_ *world, t *tsa.Token) {
		t.Attributes[1] = tsa.Attribute(tsa.MessageDigest, tsa.Element(tsa.Octets, make([]byte, 32)))
	}},
	{"no signing-certificate", timestamp.TokenMalformed, func(_ *world, t *tsa.Token) { t.Attributes = t.Attributes[:2] }},
	{"signing-certificate of another", timestamp.TokenAuthority,
		func(w *world, t *tsa.Token) { t.Attributes[2] = tsa.Named(w.below.Certificate) }},
	{"signing-certificate of version 1", "",
		func(w *world, t *tsa.Token) { t.Attributes[2] = tsa.NamedV1(w.signer.Certificate) }},
	{"version 1 of another", timestamp.TokenAuthority, func(w *world, t *tsa.Token) {
		t.Attributes = append(t.Attributes, tsa.NamedV1(w.below.Certificate))
	}},
	{"both versions", "",
		func(w *world, t *tsa.Token) { t.Attributes = append(t.Attributes, tsa.NamedV1(w.signer.Certificate)) }},
	{"signing-certificate of the way", "",
		func(w *world, t *tsa.Token) { t.Attributes[2] = tsa.Named(w.signer.Certificate, w.below.Certificate) }},
	{"signing-certificate of another way", timestamp.TokenCertificate, func(w *world, t *tsa.Token) {
		t.Attributes[2] = tsa.Named(w.signer.Certificate, w.root.Certificate)
	}},
	{"signer by key", "", func(w *world, t *tsa.Token) {
		t.SignerVersion, t.SignerID = 3, tsa.Element(tsa.Context0, w.signer.Certificate.SubjectKeyId)
	}},
	{"signer by key in version 1", timestamp.TokenMalformed, func(w *world, t *tsa.Token) {
		t.SignerID = tsa.Element(tsa.Context0, w.signer.Certificate.SubjectKeyId)
	}},
	{"signer by serial in version 3", timestamp.TokenMalformed, func(_ *world, t *tsa.Token) { t.SignerVersion = 3 }},
	{"signer of another serial", timestamp.TokenAuthority, func(w *world, t *tsa.Token) {
		t.SignerID = tsa.Element(tsa.Sequence, w.signer.Certificate.RawIssuer, tsa.Integer(3))
	}},
	{"signature over something else", timestamp.TokenSignature, func(w *world, t *tsa.Token) {
		sign := t.Sign
		t.Sign = func(message []byte) []byte { return sign(append(message, 0)) }
	}},
	{"signature of another key", timestamp.TokenSignature, func(_ *world, t *tsa.Token) { t.Sign = tsa.ECDSA().Sign }},
	{"signature over the attributes as they stand", timestamp.TokenSignature, func(_ *world, t *tsa.Token) {
		sign := t.Sign
		t.Sign = func(message []byte) []byte { return sign(append([]byte{0xa0}, message[1:]...)) }
	}},
	{"signature algorithm with another hash", timestamp.TokenSignature, func(_ *world, t *tsa.Token) {
		t.Algorithm = tsa.Element(tsa.Sequence, tsa.OID(1, 2, 840, 10045, 4, 3, 4))
	}},
	{"signature algorithm of SHA-1", timestamp.TokenSignature, func(_ *world, t *tsa.Token) {
		t.Algorithm = tsa.Element(tsa.Sequence, tsa.OID(1, 2, 840, 10045, 4, 1))
	}},
	{"without the certificate of the signer", timestamp.TokenAuthority,
		func(_ *world, t *tsa.Token) { t.Certificates = t.Certificates[1:] }},
	{"without the authority below", timestamp.TokenAuthority,
		func(_ *world, t *tsa.Token) { t.Certificates = t.Certificates[:1] }},
	{"another certificate too", "", func(_ *world, t *tsa.Token) {
		t.Certificates = append(t.Certificates, tsa.Authority("Other", tsa.ECDSA(), year(2020), year(2050)).Certificate.Raw)
	}},
	{"too many certificates", timestamp.TokenMalformed, func(_ *world, t *tsa.Token) {
		for range timestamp.MaxCertificates {
			t.Certificates = append(t.Certificates, t.Certificates[0])
		}
	}},

	{"info of version 2", timestamp.TokenMalformed, answer(func(i *tsa.Info) { i.Version = tsa.Integer(2) })},
	{"no policy", timestamp.TokenMalformed, answer(func(i *tsa.Info) { i.Policy = nil })},
	{"imprint of something else", timestamp.TokenOther, answer(func(i *tsa.Info) {
		i.Imprint = tsa.Element(tsa.Sequence, tsa.SHA512, tsa.Element(tsa.Octets, make([]byte, 64)))
	})},
	{"imprint by another hash", timestamp.TokenOther, answer(func(i *tsa.Info) {
		i.Imprint = tsa.Element(tsa.Sequence, tsa.SHA256, tsa.Element(tsa.Octets, timestamp.SHA256.Sum([]byte("a seal"))))
	})},
	{"imprint of another length", timestamp.TokenMalformed, answer(func(i *tsa.Info) {
		i.Imprint = tsa.Element(tsa.Sequence, tsa.SHA512, tsa.Element(tsa.Octets, make([]byte, 63)))
	})},
	{"no nonce", timestamp.TokenOther, answer(func(i *tsa.Info) { i.Nonce = nil })},
	{"another nonce", timestamp.TokenOther, answer(func(i *tsa.Info) { i.Nonce = tsa.Integer(7) })},
	{"time with parts of a second", "",
		answer(func(i *tsa.Info) { i.Time = tsa.Element(tsa.Generalized, []byte("20260302090000.25Z")) })},
	{"time with zeros at its end", timestamp.TokenMalformed,
		answer(func(i *tsa.Info) { i.Time = tsa.Element(tsa.Generalized, []byte("20260302090000.250Z")) })},
	{"time with an offset", timestamp.TokenMalformed,
		answer(func(i *tsa.Info) { i.Time = tsa.Element(tsa.Generalized, []byte("20260302090000+0000")) })},
	{"time on no date", timestamp.TokenMalformed,
		answer(func(i *tsa.Info) { i.Time = tsa.Element(tsa.Generalized, []byte("20260230090000Z")) })},
	{"no accuracy", "", answer(func(i *tsa.Info) { i.Accuracy = nil })},
	{"accuracy in all units", "", answer(func(i *tsa.Info) {
		i.Accuracy = tsa.Element(tsa.Sequence, tsa.Integer(1), tsa.Element(tsa.Context0, []byte{1, 0xf4}),
			tsa.Element(tsa.Context1, []byte{5}))
	})},
	{"accuracy of 1,000 milliseconds", timestamp.TokenMalformed, answer(func(i *tsa.Info) {
		i.Accuracy = tsa.Element(tsa.Sequence, tsa.Element(tsa.Context0, []byte{3, 0xe8}))
	})},
	{"accuracy of two days", timestamp.TokenMalformed,
		answer(func(i *tsa.Info) { i.Accuracy = tsa.Element(tsa.Sequence, tsa.Integer(172800)) })},
	{"accuracy below zero", timestamp.TokenMalformed,
		answer(func(i *tsa.Info) { i.Accuracy = tsa.Element(tsa.Sequence, tsa.Integer(-1)) })},
	{"ordering", "", answer(func(i *tsa.Info) { i.Ordering = []byte{1, 1, 0xff} })},
	{"ordering of another spelling", timestamp.TokenMalformed, answer(func(i *tsa.Info) { i.Ordering = []byte{1, 1, 1} })},
	{"a name and an extension", "", answer(func(i *tsa.Info) {
		i.Name = tsa.Element(tsa.Inner0, tsa.Element(0x86, []byte("x")))
		i.Extensions = tsa.Element(tsa.Inner1, tsa.Element(tsa.Sequence, tsa.OID(1, 2, 3), tsa.Element(tsa.Octets)))
	})},
	{"a critical extension", timestamp.TokenMalformed, answer(func(i *tsa.Info) {
		i.Extensions = tsa.Element(tsa.Inner1, tsa.Element(tsa.Sequence, tsa.OID(1, 2, 3), []byte{1, 1, 0xff},
			tsa.Element(tsa.Octets)))
	})},
	{"more behind the info", timestamp.TokenMalformed,
		answer(func(i *tsa.Info) { i.Extensions = tsa.Integer(1); i.Name = tsa.Null })},
}

// TestDamages: each way to get a token wrong has its code, and each near miss is
// accepted.
func TestDamages(t *testing.T) {
	w := newWorld(tsa.ECDSA)
	for _, d := range slices.Concat(damages, peculiarities) {
		own := w
		parts := own.token()
		d.change(&own, &parts)
		_, fault := own.judge(parts.DER())
		checkFault(t, d.name, fault, d.code)
	}
}

func checkFault(t *testing.T, name string, fault *timestamp.Fault, want finding.Code) {
	t.Helper()
	switch {
	case fault == nil && want != "":
		t.Errorf("%s: accepted, want %s", name, want)
	case fault != nil && fault.Code != want:
		t.Errorf("%s: %v, want %q", name, fault, want)
	}
}

// TestSigners: which signers may make tokens, by their certificates.
func TestSigners(t *testing.T) {
	set := func(all ...pkix.Extension) func(*x509.Certificate) {
		return func(c *x509.Certificate) { c.ExtraExtensions = all }
	}
	for _, c := range []struct {
		name   string
		code   finding.Code
		change func(*x509.Certificate)
	}{
		{"right", "", func(*x509.Certificate) {}},
		{"purpose is not critical", timestamp.TokenCertificate, set(tsa.Purpose(false, 8))},
		{"no purpose", timestamp.TokenCertificate, set()},
		{"another purpose", timestamp.TokenCertificate, set(tsa.Purpose(true, 3))},
		{"two purposes", timestamp.TokenCertificate, set(tsa.Purpose(true, 8, 3))},
		{"a purpose that is not known too", timestamp.TokenCertificate, set(tsa.Purpose(true, 8, 99))},
		{"an extension that is not known", "",
			set(tsa.Purpose(true, 8), pkix.Extension{Id: asn1.ObjectIdentifier{1, 2, 3}, Value: tsa.Null})},
		{"a critical one", timestamp.TokenCertificate,
			set(tsa.Purpose(true, 8), pkix.Extension{Id: asn1.ObjectIdentifier{1, 2, 3}, Value: tsa.Null, Critical: true})},
		{"key for encryption", timestamp.TokenCertificate,
			func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageKeyEncipherment }},
		{"key for commitments", "", func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageContentCommitment }},
		{"no key usage", "", func(c *x509.Certificate) { c.KeyUsage = 0 }},
		{"an authority", timestamp.TokenCertificate,
			func(c *x509.Certificate) { c.IsCA, c.BasicConstraintsValid = true, true }},
		{"not valid yet", timestamp.TokenNotValid, func(c *x509.Certificate) { c.NotBefore = year(2026).Add(time.Second) }},
		{"valid from then on", "", func(c *x509.Certificate) { c.NotBefore = year(2026) }},
		{"ended", timestamp.TokenNotValid, func(c *x509.Certificate) { c.NotAfter = year(2026).Add(-time.Second) }},
		{"ends then", "", func(c *x509.Certificate) { c.NotAfter = year(2026) }},
	} {
		w := newWorld(tsa.ECDSA, c.change)
		_, fault := w.judge(w.token().DER())
		checkFault(t, c.name, fault, c.code)
	}
}

// TestWays: which ways lead to an authority.
func TestWays(t *testing.T) {
	for _, c := range []struct {
		name   string
		code   finding.Code
		change func(*x509.Certificate)
	}{
		{"right", "", func(*x509.Certificate) {}},
		{"no authority", timestamp.TokenCertificate, func(c *x509.Certificate) { c.IsCA = false }},
		{"key for CRLs only", timestamp.TokenCertificate, func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageCRLSign }},
		{"none below", "", func(c *x509.Certificate) { c.MaxPathLenZero = true }},
		{"for servers", timestamp.TokenCertificate,
			func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} }},
		{"for time-stamping", "",
			func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageTimeStamping} }},
		{"with constraints of names", timestamp.TokenCertificate,
			func(c *x509.Certificate) { c.PermittedDNSDomains = []string{"example"} }},
		{"ended", timestamp.TokenNotValid, func(c *x509.Certificate) { c.NotAfter = year(2026).Add(-time.Second) }},
	} {
		w := newWorld(tsa.ECDSA)
		w.below = w.root.Below("Below", tsa.ECDSA(), year(2021), year(2045), c.change)
		w.signer = w.below.Stamper("Stamper", tsa.ECDSA(), year(2022), year(2035))
		_, fault := w.judge(w.token().DER())
		checkFault(t, c.name, fault, c.code)
	}
	w := newWorld(tsa.ECDSA)
	w.root = tsa.Authority("Root", w.root.Key, year(2020), year(2050),
		func(c *x509.Certificate) { c.MaxPathLenZero = true })
	_, fault := w.judge(w.token().DER())
	checkFault(t, "an authority more than the root allows", fault, timestamp.TokenCertificate)

	stranger := newWorld(tsa.ECDSA)
	w.root = stranger.root // of the same name, with another key
	_, fault = w.judge(w.token().DER())
	checkFault(t, "a root of the same name", fault, timestamp.TokenAuthority)

	token, _ := timestamp.Parse(stranger.token().DER())
	pinned := []timestamp.Authority{{Name: "signer", Certificates: []*x509.Certificate{stranger.signer.Certificate},
		From: year(2026)}}
	chain, fault := token.Trace(pinned, nil)
	checkFault(t, "the signer is pinned", fault, "")
	check.That(t, len(chain.Way) == 1, "the way to a pinned signer is not the signer alone")
	pinned[0].From = year(2026).Add(time.Millisecond)
	_, fault = token.Trace(pinned, nil)
	checkFault(t, "pinned from later on", fault, timestamp.TokenNotValid)
	_, fault = token.Trace(nil, nil)
	checkFault(t, "nothing is pinned", fault, timestamp.TokenAuthority)

	parts := stranger.token()
	parts.Certificates = nil
	token, _ = timestamp.Parse(parts.DER())
	_, fault = token.Trace(stranger.pins(), []*x509.Certificate{stranger.below.Certificate, stranger.signer.Certificate})
	checkFault(t, "certificates beside the token", fault, "")
}

// TestRefused: documents that are no granted response.
func TestRefused(t *testing.T) {
	w := newWorld(tsa.ECDSA)
	der := w.token().DER()
	text := tsa.Element(tsa.Sequence, tsa.Element(12, []byte("no such hash")))
	rejected := tsa.Element(tsa.Sequence, tsa.Element(tsa.Sequence, tsa.Integer(2), text))
	_, fault := timestamp.Parse(rejected)
	checkFault(t, "a rejection", fault, timestamp.TokenRefused)
	check.That(t, strings.Contains(fault.Error(), "no such hash"), "%v", fault)
	_, fault = timestamp.Parse(tsa.Response(2, der))
	checkFault(t, "a token with a rejection", fault, timestamp.TokenRefused)
	for name, doc := range map[string][]byte{
		"nothing": nil, "half": der[:len(der)/2], "more": append(slices.Clone(der), 0), "no token": tsa.Response(0, nil),
		"two tokens": tsa.Response(0, append(slices.Clone(der), der...)), "large": make([]byte, timestamp.MaxToken+1),
		"indefinite length": append(append([]byte{0x30, 0x80}, tsa.Inside(der)...), 0, 0),
	} {
		_, fault := timestamp.Parse(doc)
		checkFault(t, name, fault, timestamp.TokenMalformed)
	}
}

// TestWeakKeys: keys and salts that are not accepted whatever they sign.
func TestWeakKeys(t *testing.T) {
	w := newWorld(func() tsa.Key { return tsa.PSS(20) })
	_, fault := w.judge(w.token().DER())
	checkFault(t, "a short salt", fault, timestamp.TokenSignature)
	w = newWorld(tsa.ShortRSA)
	_, fault = w.judge(w.token().DER())
	checkFault(t, "a short key", fault, timestamp.TokenSignature)
}

func TestRequest(t *testing.T) {
	r := timestamp.NewRequest(timestamp.SHA3x512, make([]byte, 64))
	der := r.Marshal()
	again, fault := timestamp.ParseRequest(der)
	check.That(t, fault == nil && again.Hash == r.Hash && bytes.Equal(again.Imprint, r.Imprint) &&
		again.Nonce.Cmp(r.Nonce) == 0, "%+v is read as %+v, %v", r, again, fault)
	check.That(t, timestamp.NewRequest(timestamp.SHA3x512, make([]byte, 64)).Nonce.Cmp(r.Nonce) != 0,
		"two requests have one nonce")
	for i := range der { // each byte counts
		bad := slices.Clone(der)
		bad[i] ^= 0xff
		again, fault := timestamp.ParseRequest(bad)
		check.That(t, fault != nil || !bytes.Equal(again.Marshal(), der), "octet %d does not count", i)
	}
	for _, bad := range [][]byte{nil, der[1:], append(slices.Clone(der), 0)} {
		_, fault := timestamp.ParseRequest(bad)
		check.That(t, fault != nil, "%x is read as a request", bad)
	}
}
