package harness

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// short keeps the large scene small enough for a test. The others have their own
// length.
func short(name string) Options {
	if name == "large" {
		return Options{Events: 3000}
	}
	return Options{}
}

// built are the scenes of seed 1, each made once. No one changes them.
var built sync.Map

// build makes a scene of seed 1.
func build(t *testing.T, name string) *Scene {
	t.Helper()
	if scene, ok := built.Load(name); ok {
		return scene.(*Scene)
	}
	scene := must.Get(Build(name, 1, short(name)))(t)
	built.Store(name, scene)
	return scene
}

// scenes are the names of all scenes, without the one in a short run that finds
// primes for RSA keys.
func scenes() (names []string) {
	for _, d := range Scenes() {
		if !testing.Short() || d.Name != "algorithms" {
			names = append(names, d.Name)
		}
	}
	return names
}

// files are all files below a directory, by path.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	must.Do(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		found[strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(dir)+"/")] = content
		return err
	}))
	return found
}

func TestSameSeedSameBytes(t *testing.T) {
	for _, name := range scenes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept, streamed, other := t.TempDir(), t.TempDir(), t.TempDir()
			must.Do(t, build(t, name).Write(kept))
			must.Get(WriteScene(name, 1, short(name), streamed))(t)
			must.Get(WriteScene(name, 2, short(name), other))(t)
			first, second, third := files(t, kept), files(t, streamed), files(t, other)
			must.That(t, len(first) == len(second) && len(first) == len(third),
				"%d, %d and %d files", len(first), len(second), len(third))
			for name, content := range first {
				check.That(t, bytes.Equal(content, second[name]), "%s differs between two runs", name)
				check.That(t, !bytes.Equal(content, third[name]), "%s is the same for another seed", name)
			}
		})
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, build(t, "issued").Write(dir))
	want := []string{
		"certificates/tx-2026-0001.pem", "journals/mesh-berlin-1.ndjson", "journals/mesh-lisbon-1.ndjson",
		"journals/mesh-oslo-1.ndjson", "svc-evidence-tx-2026-0001.json", "tenant.ndjson", "trust.json",
	}
	found := files(t, dir)
	check.Equal(t, len(found), len(want), "files")
	for _, name := range want {
		content := found[name]
		check.That(t, len(content) != 0 && content[len(content)-1] == '\n',
			"%s: %d bytes, and no line break at the end", name, len(content))
		check.That(t, !strings.HasSuffix(name, ".json") || json.Valid(content), "%s is no JSON", name)
	}
}

// The numbers of each scene, as its description promises them.
func TestScenes(t *testing.T) {
	for _, c := range []struct {
		name      string
		exports   []string // transaction and status
		witnesses int
		required  any
	}{
		{"issued", []string{"tx-2026-0001 issued"}, 2, int64(2)},
		{"revoked", []string{"tx-2026-0001 issued", "tx-2026-0001 revoked", "tx-2026-0002 issued"}, 2, int64(2)},
		{"capability", []string{"tx-2026-0001 issued"}, 2, int64(2)},
		{"rotated-keys", []string{"tx-2026-0001 issued", "tx-2026-0002 revoked", "tx-2026-0003 issued",
			"tx-2026-0004 issued"}, 2, int64(2)},
		{"legacy", []string{"tx-2026-0001 issued"}, 0, nil},
		{"denied", nil, 0, nil},
		{"large", []string{"tx-2026-0001 issued"}, 2, int64(2)},
	} {
		scene := build(t, c.name)
		if len(scene.Exports) != len(c.exports) {
			t.Errorf("%s: %d exports, want %d", c.name, len(scene.Exports), len(c.exports))
			continue
		}
		for i, export := range scene.Exports {
			status := seal.Text(statement(export.Bundle, "status"), "status")
			check.Equal(t, export.TransactionID+" "+status, c.exports[i], "%s: export %d", c.name, i)
			check.Equal(t, len(seal.List(export.Bundle, "witness_receipts")), c.witnesses, "%s: witness receipts", c.name)
			got := statement(export.Bundle, "checkpoint")["required_witnesses"]
			check.That(t, got == c.required, "%s: %v witnesses required, want %v", c.name, got, c.required)
		}
	}
}

func TestCapabilityIsReliedOn(t *testing.T) {
	bundle := build(t, "capability").Bundle(first)
	var relied []int
	for _, approval := range seal.List(bundle, "approvals") {
		relied = append(relied, len(seal.List(seal.Member(approval.(seal.Object), "statement"), "capability_evidence")))
	}
	check.That(t, len(relied) == 2 && relied[0]+relied[1] == 3 && len(seal.List(bundle, "capability_evidence")) == 2,
		"the approvals rely on %v of %d", relied, len(seal.List(bundle, "capability_evidence")))
}

func TestRotatedKeys(t *testing.T) {
	scene := build(t, "rotated-keys")
	for id, want := range map[string]string{
		"tx-2026-0001": "mesh-berlin-1 audit-2026-1 signer-2026-1 audit-2026-1 mesh-berlin-1",
		"tx-2026-0002": "mesh-berlin-1 audit-2026-1 signer-2026-1 audit-2026-2 mesh-berlin-1/2",
		"tx-2026-0003": "mesh-berlin-1 audit-2026-2 signer-2026-2 audit-2026-2 mesh-berlin-1/2",
		"tx-2026-0004": "mesh-berlin-1/2 audit-2026-2 signer-2026-2 audit-2026-2 mesh-berlin-1/2",
	} {
		b := scene.Bundle(id)
		got := strings.Join([]string{
			seal.Text(seal.List(b, "approvals")[0].(seal.Object), "key_id"),
			seal.Text(seal.Member(seal.Member(b, "decisions"), "service"), "key_id"),
			seal.Text(seal.Member(b, "signer_receipt"), "key_id"),
			seal.Text(seal.Member(b, "checkpoint"), "key_id"),
			seal.Text(seal.List(b, "witness_receipts")[0].(seal.Object), "key_id"),
		}, " ")
		check.Equal(t, got, want, "%s: signed by", id)
	}
	check.Equal(t, len(seal.List(scene.Bundle("tx-2026-0002"), "signer_registries")), 2,
		"the revocation under the second registry comes with registries")
	check.Equal(t, seal.Text(scene.Bundle("tx-2026-0002")["revocation_receipt"].(seal.Object),
		"key_id"), "signer-2026-2", "revoked by")
}

func TestPathsUseSkipLinks(t *testing.T) {
	for _, name := range []string{"issued", "revoked", "large"} {
		scene := build(t, name)
		bundle := scene.Bundle(first)
		head := seal.Integer(statement(bundle, "checkpoint"), "sequence")
		links := seal.List(seal.Member(bundle, "audit_path"), "links")
		event := seal.Member(links[len(links)-1].(seal.Object), "event")
		issuance := seal.Integer(seal.Member(event, "body"), "sequence")
		check.That(t, issuance >= 20 && issuance <= 60 && head-issuance >= 2*int64(len(links)),
			"%s: %d links from %d to %d", name, len(links), head, issuance)
		check.That(t, name != "large" || head == int64(short(name).Events),
			"large: the log has %d events, want %d", head, short(name).Events)
	}
}

func TestBuildRefuses(t *testing.T) {
	check.That(t, check.Err(Build("unheard-of", 1, Options{})) != nil, "an unknown scene was built")
	check.That(t, check.Err(WriteScene("unheard-of", 1, Options{}, filepath.Join(t.TempDir(), "new"))) != nil,
		"an unknown scene was written")
	check.That(t, check.Err(Build("large", 1, Options{Events: 10})) != nil,
		"a large scene was built that ends before its transaction")
}

func TestKeysAreThoseOfTheTrustFile(t *testing.T) {
	scene := build(t, "rotated-keys")
	for section, keys := range map[string]map[string]seal.Key{
		"audit_keys": scene.Keys.Audit, "protected_signer_keys": scene.Keys.Signer, "nodes": scene.Keys.Node,
	} {
		check.That(t, len(keys) == len(seal.Member(scene.Trust, section)) && len(keys) >= 2,
			"%s: %d keys, %d in the trust file", section, len(keys), len(seal.Member(scene.Trust, section)))
		for id, key := range keys {
			public := key.Private.Public().(ed25519.PublicKey)
			check.That(t, key.ID == id && seal.Text(seal.Member(scene.Trust, section), id) == seal.Base64(public),
				"%s: the key of %s is another one", section, id)
		}
	}
}

// statement is the statement of one of the bundle's envelopes.
func statement(bundle seal.Object, part string) seal.Object {
	return seal.Member(seal.Member(bundle, part), "statement")
}
