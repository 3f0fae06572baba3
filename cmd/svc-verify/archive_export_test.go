package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// damagedParts are files that go along with an export, damaged, with the answer.
var damagedParts = []struct {
	part, said string
	do         func(t *testing.T, b bagFiles, name string)
}{
	{"s.seal", "1 finding, the first: file.malformed. ", cutEnd}, // its leaves and its record are not at fault
	{"s.seal", "file.malformed: svc-verify/seals/s.seal: ", alterFirst},
	{"s.seal", "object.altered: svc-verify/seals/s.seal.er: ", func(_ *testing.T, b bagFiles, name string) {
		i := strings.Index(string(b[name]), `"ed25519":"`) + len(`"ed25519":"`)
		b[name] = slices.Concat(b[name][:i], b[name][i+1:i+3], b[name][i:i+1], b[name][i+3:])
	}},
	{"s.seal.leaves", "seal.root: svc-verify/seals/s.seal.leaves: ", cutEnd},
	{"s.seal.leaves", "seal.root: svc-verify/seals/s.seal.leaves: ", flipDigest},
	{"s.seal.leaves-2", "seal.root: svc-verify/seals/s.seal.leaves: ", flipDigest},
	{"s.seal.er", "file.malformed: svc-verify/seals/s.seal.er: ", cutEnd},
	{"s.seal.er", "file.malformed: svc-verify/seals/s.seal.er: ", alterFirst},
	{"s.seal.er", "object.altered: svc-verify/seals/s.seal.er: ", func(_ *testing.T, b bagFiles, name string) {
		b[name] = b["a.proof.er"]
	}},
	{"a.proof", "file.malformed: svc-verify/seals/a.proof: ", alterFirst},
	{"a.proof", "seal.root: svc-verify/seals/a.proof: ", flipDigest},
	{"a.proof.er", "file.malformed: svc-verify/seals/a.proof.er: ", cutEnd},
	{"a.proof.seal.er", "file.malformed: svc-verify/seals/a.proof.seal.er: ", cutEnd},
	{"trust.history/history.ndjson", "file.malformed: svc-verify/trust/history.ndjson: ", cutEnd},
	{"trust.history/trust-*", "history.contradiction: svc-verify/trust/trust-", cutEnd},
}

func cutEnd(_ *testing.T, b bagFiles, name string) { b[name] = b[name][:len(b[name])-2] }

func alterFirst(_ *testing.T, b bagFiles, name string) {
	b[name] = slices.Clone(b[name])
	b[name][0]++
}

func flipDigest(t *testing.T, b bagFiles, name string) { b.flipHex(t, name, `"digest":"`) }

// TestExportDamaged: a damaged part is named with the expected and the found, and no bag is left.
// The same parts undamaged are a bag, and so is a seal of another history, which is said.
func TestExportDamaged(t *testing.T) {
	s := newSealedScene(t)
	versions := must.Get(filepath.Glob("trust.history/*.*"))(t)
	export := func() (code int, stdout string) {
		must.Do(t, os.MkdirAll("made", 0o700))
		line := "archive export --ledger l.db --trust trust.json --trust " + strings.Join(versions, " --trust ") +
			" --seal s.seal --seal a.proof --out made/bag --tar made/bag.tar data --full"
		code, stdout, _ = call(nil, strings.Fields(line)...)
		return code, strings.Join(strings.Fields(stdout), " ")
	}
	for _, c := range damagedParts {
		names := must.Get(filepath.Glob(c.part))(t)
		must.That(t, len(names) == 1, "%s: %v", c.part, names)
		damaged := bagFiles(maps.Clone(s.files))
		c.do(t, damaged, names[0])
		must.Do(t, os.WriteFile(names[0], damaged[names[0]], 0o600))
		code, said := export()
		left := must.Get(os.ReadDir("made"))(t)
		check.That(t, code == 1 && len(left) == 0 && strings.Contains(said, c.said) && strings.Contains(said, "expected "),
			"%s: exit code %d, left %v\n%s", c.part, code, left, said)
		must.Do(t, os.WriteFile(names[0], s.files[names[0]], 0o600))
	}
	code, said := export()
	left := must.Get(os.ReadDir("made"))(t)
	check.That(t, code == 0 && len(left) == 2, "%d, %v\n%s", code, left, said)
	must.Do(t, os.RemoveAll("made"))
	for _, edited := range []string{
		`UPDATE changes SET line = CAST(replace(CAST(line AS TEXT), 'added', 'moved') AS BLOB)`,
		`DELETE FROM changes`,
	} {
		must.Do(t, os.WriteFile("l.db", s.files["l.db"], 0o600))
		edit(t, "l.db", edited)
		code, _ := export()
		left := must.Get(os.ReadDir("made"))(t)
		check.That(t, code == 2 && len(left) == 0, "%s: exit code %d, left %v", edited, code, left)
		code, _, stderr := call(nil, "archive", "export", "--premis", "--ledger", "l.db", "--out", "made/premis.xml")
		left = must.Get(os.ReadDir("made"))(t)
		check.That(t, code == 2 && len(left) == 0 && strings.Contains(stderr, "expected 2 with the root"),
			"%s: exit code %d, left %v\n%s", edited, code, left, stderr)
	}
	must.Do(t, os.Remove("l.db"))
	s.must(t, "archive check data --ledger l.db --trust trust.json --at 2026-02-05T00:00:00Z")
	code, said = export()
	left = must.Get(os.ReadDir("made"))(t)
	check.That(t, code == 3 && len(left) == 2 && strings.Contains(said, "history.another: svc-verify/seals/s.seal"),
		"%d, %v\n%s", code, left, said)
}
