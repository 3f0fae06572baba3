package record

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/form"
)

const at = "2026-03-02T09:00:00.000Z"

// issue makes a chain of two and the key of its leaf.
func issue(key crypto.Signer) ([][]byte, crypto.Signer) {
	authority := testca.New("issuer")
	leaf := authority.Certify(testca.ServerTemplate(), key)
	return [][]byte{leaf.Certificate[0], authority.Certificate.Raw}, key
}

func generation(t testing.TB, slot int64) Generation {
	t.Helper()
	chain, key := issue(testca.NewKey())
	return must.Get(NewGeneration(slot, chain, key, at))(t)
}

// TestNewGeneration: what goes in comes out, for each kind of key.
func TestNewGeneration(t *testing.T) {
	rsaKey := must.Get(rsa.GenerateKey(rand.Reader, 2048))(t)
	_, edwards, _ := ed25519.GenerateKey(rand.Reader)
	for _, key := range []crypto.Signer{testca.NewKey(), rsaKey, edwards} {
		chain, key := issue(key)
		g := must.Get(NewGeneration(7, chain, key, at))(t)
		if again, err := ParseGeneration(g.Object()); err != nil || again != g {
			t.Errorf("%T: another one is read, %v", key, err)
		}
		pair, err := g.Certificate()
		// Equal and not DeepEqual: an RSA key holds values that its owner may write with or without leading zeros.
		equal := key.(interface{ Equal(crypto.PrivateKey) bool }).Equal
		check.That(t, err == nil && reflect.DeepEqual(pair.Certificate, chain) && equal(pair.PrivateKey),
			"%T: another pair, %v", key, err)
		check.That(t, g.CertificatePEM == string(testca.Certificates(chain...)) &&
			g.PrivateKeyPEM == string(testca.PrivateKey(key)), "%T: another form", key)
	}
}

func TestNewGenerationRefuses(t *testing.T) {
	chain, key := issue(testca.NewKey())
	for name, c := range map[string]struct {
		slot  int64
		chain [][]byte
		key   crypto.Signer
		at    string
	}{
		"slot 0":             {0, chain, key, at},
		"a slot beyond":      {MaxSlot + 1, chain, key, at},
		"no certificates":    {1, nil, key, at},
		"no certificate":     {1, [][]byte{[]byte("x")}, key, at},
		"the issuer first":   {1, [][]byte{chain[1], chain[0]}, key, at},
		"another key":        {1, chain, testca.NewKey(), at},
		"a key out of reach": {1, chain, struct{ crypto.Signer }{key}, at},
		"a time of seconds":  {1, chain, key, "2026-03-02T09:00:00Z"},
	} {
		g, err := NewGeneration(c.slot, c.chain, c.key, c.at)
		check.That(t, err != nil && g == (Generation{}), "%s is taken", name)
	}
	for _, slot := range []int64{1, MaxSlot} {
		check.Do(t, check.Err(NewGeneration(slot, chain, key, at)))
	}
}

// TestDigest: each member counts, the key among them.
func TestDigest(t *testing.T) {
	g := generation(t, 1)
	seen := map[string]bool{g.Digest(): true}
	for name, value := range g.Object() {
		o := g.Object()
		if n, ok := value.(int64); ok {
			o[name] = n + 1
		} else {
			o[name] = value.(string) + "x"
		}
		seen[seal.Digest(o)] = true
	}
	check.That(t, len(seen) == 7 && g.Digest() == seal.SHA256(seal.Canonical(g.Object())), "%d digests", len(seen))
}

// TestGenerationIsNotShown: no way to print or log one shows the key.
func TestGenerationIsNotShown(t *testing.T) {
	g := generation(t, 1)
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb+"\n", g)
		fmt.Fprintf(&out, verb+"\n", &g)
		fmt.Fprintf(&out, verb+"\n", struct{ G Generation }{g})
	}
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "g", g)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "g", g)
	line := strings.Split(g.PrivateKeyPEM, "\n")[1]
	text := out.String()
	check.That(t, !strings.Contains(text, "PRIVATE") && !strings.Contains(text, line) &&
		strings.Contains(text, g.CertificateSHA256), "%v", text)
}

const secret = "hvs.CAESIJ-a-secret" // #nosec G101 -- of no store

// altered is one record with one change, and its expected error.
type altered struct {
	change func(seal.Object)
	want   string
}

func put(name string, value any) func(seal.Object) {
	return func(o seal.Object) { o[name] = value }
}

// refused checks that each altered record is refused for its reason, without a word of its
// content, and that the unchanged one is accepted.
func refused(t *testing.T, good seal.Object, parse func(seal.Object) error, cases map[string]altered) {
	t.Helper()
	must.Do(t, parse(good))
	for name := range good {
		cases["without "+name] = altered{func(o seal.Object) { delete(o, name) }, name}
		cases[name+" as true"] = altered{put(name, true), name + ": expected"}
		cases[name+" as a secret"] = altered{put(name, secret), name + ": expected"}
		cases[name+" as -1"] = altered{put(name, int64(-1)), name + ": expected"}
	}
	for name, c := range cases {
		o := maps.Clone(good)
		c.change(o)
		err := parse(o)
		check.That(t, err != nil && strings.Contains(err.Error(), c.want), "%s: expected %q, found %v", name, c.want, err)
		if text := fmt.Sprint(err); strings.Contains(text, secret) || strings.Contains(text, "-----") {
			t.Errorf("%s: the error shows %s", name, text)
		}
	}
}

func TestParseGeneration(t *testing.T) {
	g, other := generation(t, 7), generation(t, 7)
	key := g.PrivateKeyPEM
	certificates := func(doc string) func(seal.Object) {
		return func(o seal.Object) { o["certificate_pem"], o["certificate_sha256"] = doc, seal.SHA256([]byte(doc)) }
	}
	lines := strings.SplitAfter(g.CertificatePEM, "\n")
	headers := lines[0] + "A: b\n\n" + strings.Join(lines[1:], "")
	refused(t, g.Object(), func(o seal.Object) error { _, err := ParseGeneration(o); return err }, map[string]altered{
		"a further member":       {put(secret, "x"), "listed members alone"},
		"slot 0":                 {put("slot", int64(0)), "slot: expected 1 to 999999"},
		"a slot beyond":          {put("slot", int64(MaxSlot+1)), "slot: expected 1 to 999999"},
		"the pointer's protocol": {put("protocol", pointerProtocol), "protocol"},
		"other certificates":     {put("certificate_pem", other.CertificatePEM), "certificate_sha256"},
		"another digest":         {put("certificate_sha256", other.CertificateSHA256), "certificate_sha256"},
		"an upper-case digest":   {put("certificate_sha256", strings.ToUpper(g.CertificateSHA256)), "64 lower-case"},
		"no certificates":        {certificates(""), "certificate_pem"},
		"a key among them":       {certificates(g.CertificatePEM + key), "certificate_pem"},
		"text before":            {certificates("x\n" + g.CertificatePEM), "certificate_pem"},
		"text behind":            {certificates(g.CertificatePEM + "x"), "certificate_pem"},
		"an empty line between":  {certificates(g.CertificatePEM + "\n" + g.CertificatePEM), "certificate_pem"},
		"no newline behind":      {certificates(strings.TrimSuffix(g.CertificatePEM, "\n")), "certificate_pem"},
		"CRLF":                   {certificates(strings.ReplaceAll(g.CertificatePEM, "\n", "\r\n")), "certificate_pem"},
		"PEM headers":            {certificates(headers), "certificate_pem"},
		"two keys":               {put("private_key_pem", key+key), "private_key_pem"},
		"a key of another type": {put("private_key_pem", strings.ReplaceAll(key, "PRIVATE KEY", "EC PRIVATE KEY")),
			"private_key_pem"},
		"a time with a comma": {put("created_at", "2026-03-02T09:00:00,000Z"), "created_at"},
		"a time of a zone":    {put("created_at", "2026-03-02T09:00:00.000+00:00"), "created_at"},
	})
	// A near miss: the leaf alone is a chain too.
	leaf, _, _ := strings.Cut(g.CertificatePEM, "-----END CERTIFICATE-----\n")
	o := g.Object()
	certificates(leaf + "-----END CERTIFICATE-----\n")(o)
	check.Do(t, check.Err(ParseGeneration(o)))
}

// TestCertificateOfAnotherKey: a record of good form whose two parts belong to
// different pairs is no pair.
func TestCertificateOfAnotherKey(t *testing.T) {
	g := generation(t, 1)
	g.PrivateKeyPEM = generation(t, 1).PrivateKeyPEM
	again, err := ParseGeneration(g.Object())
	must.That(t, err == nil && again == g, "%v", err)
	_, err = g.Certificate()
	check.That(t, err != nil && !strings.Contains(err.Error(), "-----"), "%v", err)
}

func TestParsePointer(t *testing.T) {
	sum := func(s string) string { return seal.SHA256([]byte(s)) }
	p := Pointer{Named{7, sum("a")}, Named{8, sum("b")}, Named{6, sum("c")}, at}
	refused(t, p.Object(), func(o seal.Object) error { return form.Restore(o, new(Pointer)) }, map[string]altered{
		"a further member":      {put(secret, "x"), "listed members alone"},
		"another generation":    {put("generation", int64(8)), "generation: expected 7"},
		"slot 0":                {put("active", "slot-000000"), "active"},
		"five digits":           {put("active", "slot-00007"), "active"},
		"seven digits":          {put("active", "slot-0000007"), "active"},
		"a sign":                {put("active", "slot-+00007"), "active"},
		"a newline":             {put("active", "slot-000007\n"), "active"},
		"the other's protocol":  {put("protocol", generationProtocol), "protocol"},
		"a digest of 63 digits": {put("standby_sha256", sum("b")[1:]), "standby_sha256"},
	})
	for _, q := range []Pointer{
		p, {p.Active, Named{}, p.Previous, at}, {p.Active, p.Standby, Named{}, at}, {p.Active, Named{}, Named{}, at},
	} {
		var again Pointer
		err := form.Restore(form.Document(q), &again)
		check.That(t, err == nil && again == q, "expected %v, found %v, %v", q, again, err)
	}
}

// TestSlotNames: a name is read if and only if it is written for some slot.
func TestSlotNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, MaxSlot).Draw(t, "slot")
		if found, err := ParseSlotName(SlotName(n)); err != nil || found != n {
			t.Errorf("%s is read as %d, %v", SlotName(n), found, err)
		}
		s := rapid.StringMatching(`slot-[0-9]{5,7}|[a-z]{4}.[0-9]{6}`).Draw(t, "name")
		if n, err := ParseSlotName(s); (err == nil) != (1 <= n && n <= MaxSlot && SlotName(n) == s) {
			t.Errorf("%q is read as %d, %v", s, n, err)
		}
	})
	check.That(t, GenerationPath(7) == "generations/slot-000007", "%v", GenerationPath(7))
}

// writtenBack checks that whatever is read is written back as the same record.
func writtenBack(f *testing.F, parse func(t *testing.T, o seal.Object) (seal.Object, error)) {
	f.Fuzz(func(t *testing.T, doc []byte) {
		o, err := seal.Parse(doc)
		if err != nil {
			return
		}
		if again, err := parse(t, o); err == nil && !reflect.DeepEqual(again, o) {
			t.Errorf("%s is read as %s", doc, seal.Canonical(again))
		}
	})
}

// FuzzParseGeneration: a record that was read describes itself correctly.
func FuzzParseGeneration(f *testing.F) {
	f.Add(seal.Canonical(generation(f, 7).Object()))
	f.Add([]byte(`{"protocol":"svc.store-kv-generation.v1","slot":1}`))
	writtenBack(f, func(t *testing.T, o seal.Object) (seal.Object, error) {
		g, err := ParseGeneration(o)
		check.That(t, err != nil || g.Digest() == seal.Digest(o) && !strings.Contains(g.CertificatePEM, "PRIVATE") &&
			g.CertificateSHA256 == seal.SHA256([]byte(g.CertificatePEM)), "%v is read", o)
		_, _ = g.Certificate()
		return g.Object(), err
	})
}

func FuzzParsePointer(f *testing.F) {
	sum := seal.SHA256(nil)
	f.Add(seal.Canonical(Pointer{Named{7, sum}, Named{8, sum}, Named{6, sum}, at}.Object()))
	f.Add(seal.Canonical(Pointer{Active: Named{7, sum}, UpdatedAt: at}.Object()))
	writtenBack(f, func(t *testing.T, o seal.Object) (seal.Object, error) {
		p, err := ParsePointer(o)
		check.That(t, err != nil || p.Active.Slot >= 1 && p.Active.Slot <= MaxSlot, "%v is read", o)
		return p.Object(), err
	})
}
