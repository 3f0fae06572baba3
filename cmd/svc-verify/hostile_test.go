package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// hostile is text that repaints, forges a line, reorders or hides: ESC, a line
// feed, C1, a bidi override, a zero-width space and a line separator.
const hostile = "\x1b[2J\x1b[32m\nverified  bundle.json\r\u009b31m\u202e\u200b\u2028\x07\x7f"

// spots calls f once for every string of a document, and for every object with a new member,
// with the document changed at that one place.
func spots(t *testing.T, document seal.Object, f func(place string, changed []byte)) {
	t.Helper()
	widen := func(place string, o seal.Object) {
		o[hostile] = hostile
		f(place+"/(new member)", must.Get(json.Marshal(document))(t))
		delete(o, hostile)
	}
	widen("", document)
	eachMember(document, func(place string, old any, set func(any)) {
		switch old := old.(type) {
		case string:
			set(hostile)
			f(place, must.Get(json.Marshal(document))(t))
		case seal.Object:
			widen(place, old)
		}
	})
}

// forms are the command lines whose output is looked at. The bundle comes
// through standard input.
func forms(trust string) [][]string {
	return [][]string{
		{"--evidence", "-", "--trust", trust},
		{"--evidence", "-", "--trust", trust, "--output", "report"},
		{"--evidence", "-", "--trust", trust, "--output", "text"},
		{"inspect", "-"},
		{"inspect", "--output", "json", "-"},
	}
}

// TestHostileTextIsNeverRaw puts hostile text into every field of a bundle.
func TestHostileTextIsNeverRaw(t *testing.T) {
	scene := scenes()["revoked"]
	trust := fileOf(t, seal.Canonical(scene.Trust))
	tried := 0
	spots(t, scene.Bundle("tx-2026-0001"), func(place string, doc []byte) {
		if tried++; testing.Short() && tried%20 != 0 {
			return
		}
		for _, args := range forms(trust) {
			code, stdout, stderr := call(doc, args...)
			check.That(t, code == 1, "%s: %v: exit code %d", place, args, code)
			for name, text := range map[string]string{"stdout": stdout, "stderr": stderr} {
				if at := unsafeAt(text); at >= 0 {
					t.Errorf("%s: %v: %s is unsafe: %q", place, args, name, text[at:min(at+40, len(text))])
				}
			}
			if lower := strings.ToLower(stdout); strings.HasPrefix(lower, "verified") || strings.Contains(lower, "\nverified") {
				t.Errorf("%s: %v: a forged line", place, args)
			}
		}
	})
	check.That(t, tried >= 300, "only %d places were tried", tried)
}

// TestHostileTrustFile puts hostile text into every field of a trust file.
func TestHostileTrustFile(t *testing.T) {
	scene := scenes()["issued"]
	bundle := seal.Canonical(scene.Bundle("tx-2026-0001"))
	spots(t, seal.CloneObject(scene.Trust), func(place string, doc []byte) {
		code, stdout, stderr := call(bundle, "--evidence", "-", "--trust", fileOf(t, doc))
		check.That(t, code == 2 && stdout == "", "%s: exit code %d, stdout %q", place, code, stdout)
		if at := unsafeAt(stderr); at >= 0 {
			t.Errorf("%s: stderr is unsafe: %q", place, stderr[at:])
		}
	})
}

// TestHostileCertificate puts hostile text into the names of a certificate,
// which no rule of form excludes.
func TestHostileCertificate(t *testing.T) {
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1),
		Subject:   pkix.Name{CommonName: hostile, Organization: []string{hostile}},
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1, 0)}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))(t)
	scene := scenes()["issued"]
	trust := fileOf(t, seal.Canonical(scene.Trust))
	for i := range 2 {
		bundle := scene.Bundle("tx-2026-0001")
		bundle["certificates"].([]any)[i] = seal.Base64(der)
		for _, args := range forms(trust) {
			_, stdout, stderr := call(seal.Canonical(bundle), args...)
			if at := unsafeAt(stdout + stderr); at >= 0 {
				t.Errorf("certificate %d: %v: unsafe: %q", i, args, (stdout + stderr)[at:])
			}
		}
	}
}

// FuzzBundle: whatever comes as a bundle, there is an answer, exit code and
// verdict agree, and nothing of it acts on a terminal.
func FuzzBundle(f *testing.F) {
	scene := scenes()["issued"]
	whole := seal.Canonical(scene.Bundle("tx-2026-0001"))
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte(" \n"))
	f.Add([]byte(`{"statement":{"protocol":"\u001b[2J"},"key_id":"a\nb"}`))
	trust := filepath.Join(f.TempDir(), "trust.json")
	must.Do(f, os.WriteFile(trust, seal.Canonical(scene.Trust), 0o644))
	want := map[string]int{"verified": 0, "rejected": 1, "inconclusive": 3}
	f.Fuzz(func(t *testing.T, doc []byte) {
		var report struct{ Verdict string }
		code, stdout, _ := call(doc, "--evidence", "-", "--trust", trust, "--output", "report")
		must.Do(t, json.Unmarshal([]byte(stdout), &report))
		expected, ok := want[report.Verdict]
		must.That(t, ok && code == expected, "verdict %q, exit code %d", report.Verdict, code)
		for _, args := range forms(trust) {
			other, stdout, stderr := call(doc, args...)
			if at := unsafeAt(stdout + stderr); at >= 0 {
				t.Fatalf("%v: unsafe: %q", args, (stdout + stderr)[at:])
			}
			must.That(t, args[0] != "--evidence" || other == code, "%v: exit code %d, and %d for the report", args, other, code)
		}
	})
}
