package sealkey_test

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"filippo.io/mldsa"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/vectors"
	"github.com/svc-edge/svc-verify/trust"
)

const protocol = "svc.test.v1"

// fixed returns the key of seeds that are all one byte.
func fixed(t testing.TB, name string, octet byte) *sealkey.Key {
	t.Helper()
	seed := [sealkey.SeedSize]byte(bytes.Repeat([]byte{octet}, sealkey.SeedSize))
	return must.Get(sealkey.FromSeeds(name, seed, seed))(t)
}

func sign(t testing.TB, k *sealkey.Key, protocol string, payload []byte) sealkey.Signatures {
	t.Helper()
	return must.Get(k.Sign(protocol, payload))(t)
}

// TestBothSignatures: neither half is enough, and each is named.
func TestBothSignatures(t *testing.T) {
	k, other := fixed(t, "office", 1), fixed(t, "stranger", 2)
	payload := []byte(`{"a":1}`)
	good, foreign := sign(t, k, protocol, payload), sign(t, other, protocol, payload)
	elsewhere := sign(t, k, "svc.test.v2", payload)
	for name, c := range map[string]struct {
		s                  sealkey.Signatures
		classical, quantum bool // which is at fault
	}{
		"good":                 {good, false, false},
		"neither":              {sealkey.Signatures{}, true, true},
		"no Ed25519":           {sealkey.Signatures{MLDSA65: good.MLDSA65}, true, false},
		"no ML-DSA":            {sealkey.Signatures{Ed25519: good.Ed25519}, false, true},
		"Ed25519 of another":   {sealkey.Signatures{Ed25519: foreign.Ed25519, MLDSA65: good.MLDSA65}, true, false},
		"ML-DSA of another":    {sealkey.Signatures{Ed25519: good.Ed25519, MLDSA65: foreign.MLDSA65}, false, true},
		"for another protocol": {elsewhere, true, true},
		"swapped":              {sealkey.Signatures{Ed25519: good.MLDSA65, MLDSA65: good.Ed25519}, true, true},
		"an octet after a half": {sealkey.Signatures{Ed25519: append(good.Ed25519[:64:64], 0), MLDSA65: good.MLDSA65},
			true, false},
		"an octet after the other": {sealkey.Signatures{Ed25519: good.Ed25519, MLDSA65: append(bytes.Clone(good.MLDSA65), 0)},
			false, true},
	} {
		err := k.Public().Verify(protocol, payload, c.s)
		check.That(t, errors.Is(err, sealkey.ErrEd25519) == c.classical && errors.Is(err, sealkey.ErrMLDSA65) == c.quantum,
			"%s: %v", name, err)
	}
}

// TestNotLifted: a half of a pair is no signature of its key alone, nor of its key
// in another pair.
func TestNotLifted(t *testing.T) {
	k := fixed(t, "office", 1)
	payload := []byte(`{"a":1}`)
	s := sign(t, k, protocol, payload)
	ed := ed25519.PublicKey(k.Public().Ed25519())
	ml := must.Get(mldsa.NewPublicKey(mldsa.MLDSA65(), k.Public().MLDSA65()))(t)
	hybrid := sealkey.Message(k.Public().ID(), protocol, payload)
	for name, message := range map[string][]byte{"bare": payload, "PAE": trust.PAE(protocol, payload)} {
		check.That(t, !ed25519.Verify(ed, message, s.Ed25519) && mldsa.Verify(ml, message, s.MLDSA65, nil) != nil,
			"%s: a half holds alone", name)
	}
	check.That(t, ed25519.Verify(ed, hybrid, s.Ed25519) && mldsa.Verify(ml, hybrid, s.MLDSA65, nil) != nil,
		"the half of ML-DSA holds without its context, or that of Ed25519 does not hold")
	seed := func(b byte) [sealkey.SeedSize]byte {
		return [sealkey.SeedSize]byte(bytes.Repeat([]byte{b}, sealkey.SeedSize))
	}
	mixed := must.Get(sealkey.FromSeeds("mixed", seed(1), seed(2)))(t)
	halves := sealkey.Signatures{Ed25519: s.Ed25519, MLDSA65: sign(t, mixed, protocol, payload).MLDSA65}
	err := mixed.Public().Verify(protocol, payload, halves)
	check.That(t, errors.Is(err, sealkey.ErrEd25519), "a half holds in another pair: %v", err)
}

// TestMutations: no change of payload, protocol or signatures verifies.
func TestMutations(t *testing.T) {
	k := fixed(t, "office", 1)
	payload := []byte(`{"protocol":"svc.test.v1","size":12}`)
	s := sign(t, k, protocol, payload)
	rapid.Check(t, func(t *rapid.T) {
		p, w := bytes.Clone(payload), sealkey.Signatures{Ed25519: bytes.Clone(s.Ed25519), MLDSA65: bytes.Clone(s.MLDSA65)}
		target := rapid.SampledFrom([][]byte{p, w.Ed25519, w.MLDSA65}).Draw(t, "what")
		target[rapid.IntRange(0, len(target)-1).Draw(t, "where")] ^= byte(rapid.IntRange(1, 255).Draw(t, "how"))
		must.That(t, k.Public().Verify(protocol, p, w) != nil, "it verifies")
	})
}

// TestKeyFile: a key comes back from its file, which is never replaced, and which
// no one else may use.
func TestKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "office.key")
	k := must.Get(sealkey.Generate(""))(t)
	must.Do(t, k.Create(path))
	check.That(t, k.Create(path) != nil, "a key file was replaced")
	back, err := sealkey.Load(path)
	must.That(t, err == nil && back.Name() == k.Name() && back.Public().ID() == k.Public().ID(), "%+v, %v", back, err)
	if runtime.GOOS == "windows" {
		return // internal/access tests the effect of its lists
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o602} {
		must.Do(t, os.Chmod(path, mode))
		check.That(t, check.Err(sealkey.Load(path)) != nil, "a file with the permissions %v is read", mode)
	}
}

// TestKeyFileForm: a file that is no key file gives an error that repeats nothing of it.
func TestKeyFileForm(t *testing.T) {
	seed := "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"
	good := `{"protocol":"svc.seal-key.v1","name":"office","ed25519_seed":"` + seed + `","ml_dsa_65_seed":"` + seed + `"}`
	for name, c := range map[string]struct {
		doc string
		ok  bool
	}{
		"good":             {good, true},
		"empty":            {"", false},
		"another protocol": {`{"protocol":"svc.seal-key.v2"` + good[len(`{"protocol":"svc.seal-key.v1"`):], false},
		"one seed":         {`{"protocol":"svc.seal-key.v1","name":"office","ed25519_seed":"` + seed + `"}`, false},
		"short seed":       {good[:len(good)-3] + `"}`, false},
		"too long":         {good + string(bytes.Repeat([]byte{' '}, 5000)), false},
	} {
		path := filepath.Join(t.TempDir(), "key")
		must.Do(t, os.WriteFile(path, []byte(c.doc), 0o600))
		_, err := sealkey.Load(path)
		check.That(t, (err == nil) == c.ok || runtime.GOOS == "windows", "%s: %v", name, err)
		check.That(t, err == nil || !bytes.Contains([]byte(err.Error()), []byte(seed[:20])),
			"%s: the error shows a seed: %v", name, err)
	}
	check.That(t, check.Err(sealkey.Load(t.TempDir())) != nil, "a folder is a key")
}

// TestVectors: the library agrees with the public vectors of ML-DSA-65.
func TestVectors(t *testing.T) {
	verify := func(v vectors.MLDSASignature) bool {
		public, err := mldsa.NewPublicKey(mldsa.MLDSA65(), v.Public)
		return err == nil && mldsa.Verify(public, v.Message, v.Signature, &mldsa.Options{Context: string(v.Context)}) == nil
	}
	valid := map[bool]int{}
	for _, v := range vectors.MLDSA65(t) {
		valid[v.Valid]++
		got := verify(v)
		check.That(t, got == v.Valid, "%s: %v", v.Comment, got)
	}
	check.That(t, valid[true] >= 10 && valid[false] >= 20,
		"%d valid and %d invalid signatures", valid[true], valid[false])
	for _, v := range vectors.MLDSA65Seeds(t) {
		key, err := mldsa.NewPrivateKey(mldsa.MLDSA65(), v.Seed)
		var signature []byte
		if err == nil {
			signature, err = key.SignDeterministic(v.Message, &mldsa.Options{Context: string(v.Context)})
		}
		check.That(t, (err == nil) == v.Valid && (!v.Valid || bytes.Equal(signature, v.Signature) &&
			bytes.Equal(key.PublicKey().Bytes(), v.Public)), "by a seed: %s: %v", v.Comment, err)
	}
}
