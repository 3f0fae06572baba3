package seal_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/mldsa"

	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// bare signs without the names of algorithms and keys.
func (m *maker) bare() string {
	s := newSealed(m.t, base).sign(m.t, key(m.t, 1))
	seed := bytes.Repeat([]byte{1}, 32)
	message := trust.PAE("svc.archive-seal.v1", []byte(canonical(m.t, s.statement)))
	ml := must.Get(mldsa.NewPrivateKey(mldsa.MLDSA65(), seed))(m.t)
	quantum := must.Get(ml.SignDeterministic(message, nil))(m.t)
	s.envelope["signatures"] = doc{"ed25519": text64(ed25519.Sign(ed25519.NewKeyFromSeed(seed), message)),
		"ml_dsa_65": text64(quantum)}
	return s.file(m.t)
}

// lists are lists of leaves that are not the seal's.
func (m *maker) lists() {
	t := m.t
	file := []byte(m.good().file(t))
	list := m.good().list(t)
	lines := strings.SplitAfter(strings.TrimSuffix(list, "\n"), "\n")
	lines[len(lines)-1] += "\n"
	join := func(l ...string) string { return strings.Join(l, "") }
	for name, c := range map[string]struct{ title, finding, list string }{
		"order": {"two leaves in the wrong order", "file.malformed",
			join(lines[1], lines[0], lines[2], lines[3], lines[4])},
		"twice": {"a path twice", "file.malformed",
			join(lines[0], lines[0], lines[1], lines[2], lines[3], lines[4])},
		"fewer": {"a leaf less", "seal.root", join(lines[:4]...)},
		"more":  {"a leaf more", "seal.root", list + canonical(t, leafOf("z", "z")) + "\n"},
		"digest": {"a digest changed", "seal.root",
			strings.Replace(list, hexed(sha("one")), hexed(sha("two")), 1)},
		"size":       {"a size changed", "seal.root", strings.Replace(list, `"size":7`, `"size":8`, 1)},
		"path":       {"a path changed", "seal.root", strings.Replace(list, "case.db", "casf.db", 1)},
		"empty":      {"no leaves", "seal.root", ""},
		"no-end":     {"without the last line feed", "file.malformed", strings.TrimSuffix(list, "\n")},
		"crlf":       {"with carriage returns", "file.malformed", strings.ReplaceAll(list, "\n", "\r\n")},
		"blank-line": {"with an empty line", "file.malformed", list + "\n"},
		"space": {"with white space in a line", "file.malformed",
			strings.Replace(list, `,"size"`, `, "size"`, 1)},
		"climbing": {"a path that leads out of the archive", "file.malformed",
			strings.Replace(list, "2026/tx-1.json", "../../tx-1.json", 1)},
		"path-text": {"a path with an escape that it does not need", "file.malformed",
			strings.Replace(list, "case.db", "case%2Edb", 1)},
	} {
		m.add("leaves-"+name, "16.5", c.title, "rejected", c.finding, "", given{Seal: file, Leaves: []byte(c.list)})
	}
}

// archives are archives that are not as they were sealed.
func (m *maker) archives() {
	t := m.t
	file, list := []byte(m.good().file(t)), []byte(m.good().list(t))
	other := "One"
	for name, c := range map[string]struct {
		title, finding, path string
		files                archive
	}{
		"altered": {"an object with other octets", "object.altered", "2026/tx-1.json",
			base.but(map[string]*string{"2026/tx-1.json": &other})},
		"missing": {"an object less", "object.missing", "case.db", base.but(map[string]*string{"case.db": nil})},
		"added": {"an object more", "object.unexpected", "2026/tx-3.json",
			base.but(map[string]*string{"2026/tx-3.json": &other})},
		"renamed": {"an object under another name", "object.unexpected", "2026/tx-0.json",
			base.but(map[string]*string{"2026/tx-1.json": nil, "2026/tx-0.json": &[]string{"one"}[0]})},
	} {
		m.add("archive-"+name, "16.9", c.title, "rejected", c.finding, c.path,
			given{Seal: file, Leaves: list, Archive: c.files.octets()})
		m.add("archive-"+name+"-without-leaves", "16.9", c.title+", without the list of leaves", "rejected", "seal.root", "",
			given{Seal: file, Archive: c.files.octets()})
	}
}

// proofs makes the proofs that hold, each of another object.
func (m *maker) proofs() {
	t, s := m.t, m.good()
	for i, l := range s.leaves {
		path := strings.ReplaceAll(l["path"].(string), "%25", "%")
		name := "proof-" + strings.NewReplacer("/", "-", ".json", "", ".db", "", " 100%", "-percent").Replace(path)
		m.add(strings.ToLower(name), "16.8", "the proof of an object", "verified", "", "",
			given{Proof: []byte(canonical(t, s.proof(t, i)) + "\n"), Object: []byte(base[path])})
	}
	one := newSealed(t, archive{"only": "object"}).sign(t, key(t, 1))
	m.add("proof-of-one", "16.7", "the proof of the only object has no path", "verified", "", "",
		given{Proof: []byte(canonical(t, one.proof(t, 0)) + "\n"), Object: []byte("object")})
	m.add("proof-of-another", "16.8", "the proof of an object, and another object", "rejected", "object.altered", "",
		given{Proof: []byte(canonical(t, s.proof(t, 0)) + "\n"), Object: []byte("two two")})
	m.add("proof-object-grown", "16.8", "an octet was added to the object", "rejected", "object.altered", "",
		given{Proof: []byte(canonical(t, s.proof(t, 0)) + "\n"), Object: []byte("one\n")})
}

// proofChanges are changes of a proof that held.
func (m *maker) proofChanges() {
	t := m.t
	changed := func(f func(p doc)) []byte {
		s := m.good()
		p := s.proof(t, 1)
		f(p)
		return []byte(canonical(t, p) + "\n")
	}
	leaf := func(f func(l doc)) []byte { return changed(func(p doc) { f(p["leaf"].(doc)) }) }
	lines := m.good().lines(t)
	bigger := newSealed(t, base.but(map[string]*string{"z": &[]string{"z"}[0]}))
	const not = "seal.root"
	for name, c := range map[string]struct {
		title, finding string
		proof          []byte
	}{
		"path":       {"the path of the object changed", not, leaf(func(l doc) { l["path"] = "2026/tx-9.json" })},
		"size":       {"its size changed", not, leaf(func(l doc) { l["size"] = 8 })},
		"digest":     {"its digest changed", not, leaf(func(l doc) { l["digest"] = hexed(sha("x")) })},
		"index":      {"its index changed", not, changed(func(p doc) { p["index"] = 0 })},
		"index-high": {"an index that is not below the size of the tree", not, changed(func(p doc) { p["index"] = 5 })},
		"sibling": {"a hash of the way changed", not,
			changed(func(p doc) { p["inclusion"].([]any)[1] = hexed(sha("x")) })},
		"shorter": {"a hash of the way less", not, changed(func(p doc) { p["inclusion"] = p["inclusion"].([]any)[:2] })},
		"longer": {"a hash of the way more", not,
			changed(func(p doc) { p["inclusion"] = append(p["inclusion"].([]any), hexed(sha("x"))) })},
		"order": {"the way from the root down", not,
			changed(func(p doc) { i := p["inclusion"].([]any); i[0], i[2] = i[2], i[0] })},
		"other-tree": {"the way in a tree of another size", not,
			changed(func(p doc) { p["inclusion"] = bigger.proof(t, 1)["inclusion"] })},
		"node-as-leaf": {"two hashes of nodes as if they were a leaf", "form.bad-value", leaf(func(l doc) {
			l["digest"] = hexed(sha("\x00", lines[0]) + sha("\x00", lines[1]))
		})},
		"seal-signature": {"the seal in it was changed", "seal-signature.invalid", changed(func(p doc) {
			p["seal"].(doc)["statement"].(doc)["octets"] = 1
		})},
		"seal-unsigned": {"the seal in it lacks a signature", "form.bad-value", changed(func(p doc) {
			delete(p["seal"].(doc)["signatures"].(doc), "ml_dsa_65")
		})},
		"protocol": {"another protocol", "form.unknown-protocol",
			changed(func(p doc) { p["protocol"] = "svc.archive-seal.v1" })},
		"spelling": {"with white space", "file.malformed",
			bytes.Replace(changed(func(doc) {}), []byte(`,"leaf"`), []byte(`, "leaf"`), 1)},
	} {
		m.add("proof-changed-"+name, "16.7", c.title, "rejected", c.finding, "",
			given{Proof: c.proof, Object: []byte("two two")})
	}
}

var update = flag.Bool("update", false, "write the conformance cases")

var folder = filepath.Join("..", "..", "fixtures", "seals")

// answer judges a conformance case.
func answer(t *testing.T, c fixtures.Seal) fixtures.SealAnswer {
	t.Helper()
	trusted, err := sealkey.ParseTrust(c.Files["seal-trust.json"])
	must.Do(t, err)
	var r *seal.Report
	if proof, ok := c.Files["proof.json"]; ok {
		r, err = seal.VerifyObject(proof, trusted, bytes.NewReader(c.Files["object"]))
	} else {
		var a seal.Against
		if leaves, ok := c.Files["leaves.ndjson"]; ok {
			a.Leaves = bytes.NewReader(leaves)
		}
		if objects := c.Below("archive"); objects != nil {
			files := archive{}
			for path, content := range objects {
				files[path] = string(content)
			}
			a.Archive = open(t, must.WriteFiles(t, t.TempDir(), files))
		}
		r, err = seal.Verify(context.Background(), c.Files["seal.json"], trusted, a)
	}
	must.Do(t, err)
	got := fixtures.SealAnswer{Verdict: string(r.Verdict)}
	if len(r.Findings) > 0 {
		got.Finding = string(r.Findings[0].Code)
		if r.Findings[0].In == "archive" {
			got.Path = r.Findings[0].Path
		}
	}
	return got
}

// TestConformance: every case has its expected answer, every finding that files alone can have
// has a case, and the files match the generator's output.
func TestConformance(t *testing.T) {
	made := makeCases(t)
	must.KeepCases(t, folder, *update, made)
	cases := must.Get(fixtures.ReadSamples[fixtures.SealAnswer](os.DirFS(folder)))(t)
	must.That(t, len(cases) == len(made) && len(cases) >= 40, "%d cases on disk, %d generated", len(cases), len(made))
	seen := map[finding.Code]bool{}
	for _, c := range cases {
		check.Equal(t, answer(t, c), c.Expect, "%s", c.Name)
		seen[finding.Code(c.Expect.Finding)] = true
	}
	elsewhere := map[finding.Code]bool{seal.ObjectUnreadable: true,
		seal.ObjectNotAccepted: true} // which need a ledger or a folder with links
	codes := []finding.Code{seal.ObjectAltered, seal.ObjectMissing, seal.ObjectAdded}
	for _, e := range finding.Codes("seals") {
		codes = append(codes, e.Code)
	}
	for _, code := range codes {
		check.That(t, seen[code] || elsewhere[code], "no case of %s", code)
	}
}
