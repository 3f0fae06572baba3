package seal_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/must"
)

func text64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// maker makes conformance cases.
type maker struct {
	t     *testing.T
	cases map[string]fixtures.Seal
	trust []byte
}

// base is the archive of all cases.
var base = archive{"2026/tx-1.json": "one", "2026/tx-2.json": "two two", "2026/tx-10.json": "", "case.db": "a case",
	"all 100%": "four"}

// given contains the files of a case; absent files are nil. Without a trust file the maker's
// counts.
type given struct {
	Trust, Seal, Leaves, Proof, Object []byte
	Archive                            map[string][]byte
}

// files returns the files by their names in a case.
func (g given) files() map[string][]byte {
	files := map[string][]byte{}
	for name, doc := range map[string][]byte{"seal-trust.json": g.Trust, "seal.json": g.Seal, "leaves.ndjson": g.Leaves,
		"proof.json": g.Proof, "object": g.Object} {
		if doc != nil {
			files[name] = doc
		}
	}
	for path, object := range g.Archive {
		files["archive/"+path] = object
	}
	return files
}

func (m *maker) add(name, spec, title, verdict, finding, path string, g given) {
	m.t.Helper()
	_, ok := m.cases[name]
	must.That(m.t, !ok, "two cases %s", name)
	if g.Trust == nil {
		g.Trust = m.trust
	}
	m.cases[name] = fixtures.Seal{Name: name, Spec: spec, Title: title, Files: g.files(),
		Expect: fixtures.SealAnswer{Verdict: verdict, Finding: finding, Path: path}}
}

// rejected adds a case of a seal that is rejected for a reason.
func (m *maker) rejected(name, spec, title, finding string, seal string) {
	m.t.Helper()
	m.add(name, spec, title, "rejected", finding, "", given{Seal: []byte(seal)})
}

// pins is a file of --seal-trust.
func pins(t *testing.T, from, until time.Time, keys ...*sealkey.Key) []byte {
	t.Helper()
	all := map[string]any{}
	for i, k := range keys {
		doc := must.Get(sealkey.PinFile("office", k.Public(), from, until))(t)
		var file struct{ Keys map[string]any }
		must.Do(t, json.Unmarshal(doc, &file))
		all[[]string{"office", "other"}[i]] = file.Keys["office"]
	}
	doc := must.Get(json.MarshalIndent(map[string]any{"protocol": sealkey.TrustProtocol, "keys": all}, "", "  "))(t)
	return append(doc, '\n')
}

// octets are the files of an archive as a case has them.
func (a archive) octets() map[string][]byte {
	all := map[string][]byte{}
	for path, content := range a {
		all[path] = []byte(content)
	}
	return all
}

// but returns the archive with changes; a nil content removes an object.
func (a archive) but(changes map[string]*string) archive {
	b := maps.Clone(a)
	for path, content := range changes {
		if delete(b, path); content != nil {
			b[path] = *content
		}
	}
	return b
}

func makeCases(t *testing.T) map[string]fixtures.Seal {
	m := &maker{t: t, cases: map[string]fixtures.Seal{}, trust: pins(t, sealedAt, time.Time{}, key(t, 1))}
	m.seals()
	m.signatures()
	m.statements()
	m.lists()
	m.archives()
	m.proofs()
	m.proofChanges()
	return m.cases
}

// good returns the base, sealed.
func (m *maker) good() *sealed { return newSealed(m.t, base).sign(m.t, key(m.t, 1)) }

// with returns the base with a changed statement that was signed after that.
func (m *maker) with(change func(statement doc)) string {
	s := newSealed(m.t, base)
	change(s.statement)
	return s.sign(m.t, key(m.t, 1)).file(m.t)
}

func (m *maker) seals() {
	t, good := m.t, m.good()
	file := good.file(t)
	m.add("seal", "16.8", "a seal alone", "verified", "", "", given{Seal: []byte(file)})
	m.add("seal-with-all", "16.9", "a seal, its leaves and its archive", "verified", "", "",
		given{Seal: []byte(file), Leaves: []byte(good.list(t)), Archive: base.octets()})
	m.add("seal-with-archive", "16.9", "a seal and its archive, without leaves", "verified", "", "",
		given{Seal: []byte(file), Archive: base.octets()})
	one := newSealed(t, archive{"only": "object"}).sign(t, key(t, 1))
	m.add("seal-of-one", "16.5", "an archive of one object: the root is the hash of its leaf", "verified", "", "",
		given{Seal: []byte(one.file(t)), Leaves: []byte(one.list(t)),
			Archive: map[string][]byte{"only": []byte("object")}})
	m.add("seal-previous", "16.6", "a seal that names the one before", "verified", "", "",
		given{Seal: []byte(m.with(func(s doc) { s["previous"] = hexed(sha(file)) }))})
	m.add("seal-two-keys-pinned", "16.4", "another pair is pinned as well", "verified", "", "",
		given{Seal: []byte(file), Trust: pins(t, sealedAt, time.Time{}, key(t, 1), key(t, 2))})
	m.add("seal-last-moment", "16.4", "the claimed time is the last millisecond for which the keys are trusted",
		"verified", "", "",
		given{Seal: []byte(file),
			Trust: pins(t, sealedAt.AddDate(-1, 0, 0), sealedAt.Add(time.Millisecond), key(t, 1))})
	m.add("seal-too-late", "16.4", "the claimed time is where the trust in the keys ends", "rejected",
		"seal-key.not-valid", "",
		given{Seal: []byte(file), Trust: pins(t, sealedAt.AddDate(-1, 0, 0), sealedAt, key(t, 1))})
	m.add("seal-too-early", "16.4", "the claimed time is before the keys are trusted", "rejected", "seal-key.not-valid",
		"", given{Seal: []byte(file), Trust: pins(t, sealedAt.Add(time.Millisecond), time.Time{}, key(t, 1))})
	octets := m.with(func(s doc) { s["octets"] = 21 })
	m.add("octets-and-leaves", "16.5", "another number of octets was signed than the leaves have", "rejected",
		"seal.root", "", given{Seal: []byte(octets), Leaves: []byte(good.list(t))})
	m.add("octets-and-archive", "16.9", "another number of octets was signed than the archive has", "rejected",
		"seal.root", "", given{Seal: []byte(octets), Archive: base.octets()})
	m.add("blank", "16.8", "an empty file", "inconclusive", "json.empty", "", given{Seal: []byte{}})
	m.rejected("too-large", "16.6", "more octets than a seal may have", "form.too-large", file+strings.Repeat(" ", 64<<10))
	m.rejected("spelling-no-line-feed", "16.6", "without the line feed", "file.malformed", strings.TrimSuffix(file, "\n"))
	m.rejected("spelling-two-line-feeds", "16.6", "with one line feed more", "file.malformed", file+"\n")
	m.rejected("spelling-space", "16.6", "with white space", "file.malformed", strings.Replace(file, `{"sig`, `{ "sig`, 1))
	m.rejected("spelling-order", "16.6", "members in another order", "file.malformed",
		`{"statement":`+canonical(t, good.statement)+`,"signatures":`+canonical(t, good.envelope["signatures"])+"}\n")
	m.rejected("spelling-escape", "16.6", "a character that is escaped without need", "file.malformed",
		strings.Replace(file, "sha-512", `sha\u002d512`, 1))
	m.rejected("cut", "1.1", "cut off", "json.syntax", file[:len(file)/2])
	m.rejected("member-too-many", "1.2", "a member that the format does not name", "form.unknown-member",
		strings.Replace(file, `},"statement"`, `},"stamp":1,"statement"`, 1))
}

func (m *maker) signatures() {
	t := m.t
	change := func(f func(signatures doc)) string {
		s := m.good()
		f(s.envelope["signatures"].(doc))
		return s.file(t)
	}
	other := newSealed(t, base).sign(t, key(t, 2)).envelope["signatures"].(doc)
	flip := func(name string) string {
		return change(func(s doc) {
			raw, _ := base64.RawURLEncoding.DecodeString(s[name].(string))
			raw[10] ^= 1
			s[name] = text64(raw)
		})
	}
	m.rejected("signature-ed25519-missing", "16.3", "without the Ed25519 signature", "form.bad-value",
		change(func(s doc) { delete(s, "ed25519") }))
	m.rejected("signature-ml-dsa-missing", "16.3", "without the ML-DSA-65 signature", "form.bad-value",
		change(func(s doc) { delete(s, "ml_dsa_65") }))
	m.rejected("signature-ed25519-wrong", "16.3", "one bit of the Ed25519 signature changed",
		"seal-signature.invalid", flip("ed25519"))
	m.rejected("signature-ml-dsa-wrong", "16.3", "one bit of the ML-DSA-65 signature changed", "seal-signature.invalid",
		flip("ml_dsa_65"))
	m.rejected("signature-ed25519-of-another", "16.3", "the Ed25519 signature is by another key", "seal-signature.invalid",
		change(func(s doc) { s["ed25519"] = other["ed25519"] }))
	m.rejected("signature-ml-dsa-of-another", "16.3", "the ML-DSA-65 signature is by another key",
		"seal-signature.invalid", change(func(s doc) { s["ml_dsa_65"] = other["ml_dsa_65"] }))
	m.rejected("signatures-swapped", "16.3", "each signature in the place of the other", "form.bad-value",
		change(func(s doc) { s["ed25519"], s["ml_dsa_65"] = s["ml_dsa_65"], s["ed25519"] }))
	m.rejected("signatures-of-another", "16.3", "both signatures are by other keys than the statement names",
		"seal-signature.invalid", newSealed(t, base).sign(t, key(t, 2)).file(t))
	m.rejected("key-unknown", "16.3", "signed by keys that are not pinned, and that it names",
		"seal-key.unknown", m.by(key(t, 2)))
	seed := func(b byte) [32]byte { return [32]byte(bytes.Repeat([]byte{b}, 32)) }
	mixed := must.Get(sealkey.FromSeeds("mixed", seed(1), seed(2)))(t)
	m.rejected("key-of-a-pair", "16.3", "signed by the pinned Ed25519 key and another ML-DSA-65 key",
		"seal-key.unknown", m.by(mixed))
	m.add("key-pairs-mixed", "16.3", "signed by the halves of two pinned pairs", "rejected", "seal-key.unknown", "",
		given{Seal: []byte(m.by(mixed)), Trust: pins(t, sealedAt, time.Time{}, key(t, 1), key(t, 2))})
	m.rejected("signature-over-bare-statement", "16.2", "both signatures are over the statement's PAE alone",
		"seal-signature.invalid", m.bare())
}

// by returns the base, sealed by a key that it names.
func (m *maker) by(k *sealkey.Key) string {
	s := newSealed(m.t, base)
	s.statement["signer"] = signer(k.Public().ID())
	return s.sign(m.t, k).file(m.t)
}

// statements are changes of a statement after it was signed, and statements that break
// a rule.
func (m *maker) statements() {
	t := m.t
	for name, change := range map[string]func(s doc){
		"root": func(s doc) { s["root"] = hexed(sha("other")) }, "objects": func(s doc) { s["objects"] = 4 },
		"octets": func(s doc) { s["octets"] = 21 }, "run": func(s doc) { s["run_sha256"] = strings.Repeat("ab", 32) },
		"trust": func(s doc) { s["trust_sha512"] = []any{hexed(sha("other"))} },
		"time":  func(s doc) { s["sealed_at"] = "2026-11-22T12:00:00.001Z" },
		"hash":  func(s doc) { s["hash"] = "sha3-512" }, "previous": func(s doc) { s["previous"] = hexed(sha("before")) },
	} {
		s := m.good()
		change(s.statement)
		m.rejected("changed-"+name, "16.3", "the member about "+name+" was changed after it was signed",
			"seal-signature.invalid", s.file(t))
	}
	for name, c := range map[string]struct {
		finding string
		change  func(s doc)
	}{
		"no-object":   {"form.bad-value", func(s doc) { s["objects"] = 0 }},
		"hash":        {"form.bad-value", func(s doc) { s["hash"] = "sha-256" }},
		"root-short":  {"form.bad-value", func(s doc) { s["root"] = strings.Repeat("ab", 32) }},
		"no-trust":    {"form.bad-value", func(s doc) { s["trust_sha512"] = []any{} }},
		"trust-twice": {"form.unordered", func(s doc) { s["trust_sha512"] = []any{hexed(sha("a")), hexed(sha("a"))} }},
		"trust-unsorted": {"form.unordered",
			func(s doc) { s["trust_sha512"] = []any{strings.Repeat("b", 128), strings.Repeat("a", 128)} }},
		"no-signer":    {"form.bad-value", func(s doc) { delete(s, "signer") }},
		"signer-alone": {"form.bad-value", func(s doc) { s["signer"] = doc{"ed25519": strings.Repeat("a", 128)} }},
		"protocol":     {"form.unknown-protocol", func(s doc) { s["protocol"] = "svc.archive-seal.v2" }},
	} {
		m.rejected("statement-"+name, "16.6", "a statement that has not its form, and is signed", c.finding, m.with(c.change))
	}
}
