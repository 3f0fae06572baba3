package archives

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// TestSealsOfTheSecond: a second implementation, in Python over OpenSSL, verifies
// exactly the conformance cases of seals that verify.
func TestSealsOfTheSecond(t *testing.T) {
	folder := filepath.Join("..", "..", "fixtures", "seals")
	out, said, ok := python(t, "programs/seals.py", "check", folder)
	must.That(t, ok, "%v", said)
	answers := map[string]string{}
	for line := range strings.Lines(out) {
		name, verdict, _ := strings.Cut(strings.TrimSpace(line), " ")
		answers[name] = verdict
	}
	cases := must.Get(fixtures.ReadSamples[fixtures.SealAnswer](os.DirFS(folder)))(t)
	must.That(t, len(cases) == len(answers) && len(cases) >= 80, "%d answers to %d cases", len(answers), len(cases))
	for _, c := range cases {
		check.Equal(t, answers[c.Name] == "verified", c.Expect.Verdict == string(outcome.Verified),
			"%s: %s, expected %s", c.Name, answers[c.Name], c.Expect.Verdict)
	}
}

// TestSealsBothWays: each side verifies the seals of the other, a whole one by new keys, and
// neither verifies one that was changed.
func TestSealsBothWays(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	sealedAt := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for n := range 8 {
		k := must.Get(sealkey.Generate("office"))(t)
		pins := must.Get(sealkey.PinFile("office", k.Public(), sealedAt, time.Time{}))(t)
		must.Do(t, os.WriteFile(at("pins.json"), pins, 0o600))
		st := seal.Statement{Hash: seal.SHA512, Objects: int64(n + 1), Octets: int64(n), Trust: [][64]byte{{byte(n)}},
			SealedAt: sealedAt}
		ours := must.Get(seal.Sign(st, k))(t)
		must.Do(t, os.WriteFile(at("seal.json"), ours, 0o600))
		if out, said, ok := python(t, "programs/seals.py", "verify", at("pins.json"), at("seal.json")); !ok {
			t.Errorf("ours is refused: %s%s", out, said)
		}
		changed := strings.Replace(string(ours), `"octets":`, `"octets":1`, 1)
		must.Do(t, os.WriteFile(at("changed.json"), []byte(changed), 0o600))
		if _, _, ok := python(t, "programs/seals.py", "verify", at("pins.json"), at("changed.json")); ok {
			t.Error("a changed seal is verified")
		}
		judgeTheirs(t, k, pins, theirs(t, at, k, ours))
	}
}

// theirs returns the statement of a seal as the peer signs it with the same keys.
func theirs(t *testing.T, at func(string) string, k *sealkey.Key, ours []byte) []byte {
	t.Helper()
	must.Do(t, k.Create(at("office.key")))
	key := must.Get(os.ReadFile(at("office.key")))(t)
	must.Do(t, os.Remove(at("office.key")))
	var seeds struct {
		Ed25519 string `json:"ed25519_seed"`
		MLDSA65 string `json:"ml_dsa_65_seed"`
	}
	must.Do(t, json.Unmarshal(key, &seeds))
	var envelope struct{ Statement json.RawMessage }
	must.Do(t, json.Unmarshal(ours, &envelope))
	must.Do(t, os.WriteFile(at("statement.json"), envelope.Statement, 0o600))
	if _, said, ok := python(t, "programs/seals.py", "sign", hexed(t, seeds.Ed25519), hexed(t, seeds.MLDSA65),
		at("statement.json"), at("theirs.json")); !ok {
		t.Fatal(said)
	}
	return must.Get(os.ReadFile(at("theirs.json")))(t)
}

// hexed returns base64url in hexadecimal.
func hexed(t *testing.T, text string) string {
	t.Helper()
	return hex.EncodeToString(must.Get(base64.RawURLEncoding.DecodeString(text))(t))
}

func judgeTheirs(t *testing.T, k *sealkey.Key, pins, file []byte) {
	t.Helper()
	trusted := must.Get(sealkey.ParseTrust(pins))(t)
	r := must.Get(seal.Verify(context.Background(), file, trusted, seal.Against{}))(t)
	check.That(t, r.Verdict == outcome.Verified && r.Seal.Signer == k.Name(), "theirs is refused: %+v", r.Findings)
	changed := strings.Replace(string(file), `"octets":`, `"octets":1`, 1)
	if r, err := seal.Verify(context.Background(), []byte(changed), trusted, seal.Against{}); err != nil ||
		r.Verdict != outcome.Rejected {
		t.Errorf("a changed seal of theirs: %v, %v", r.Verdict, err)
	}
}
