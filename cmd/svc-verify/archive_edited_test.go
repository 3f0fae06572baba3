package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/harness/archives"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// pool is the evidence that archives of these tests are made of.
var pool = sync.OnceValue(func() *archives.Pool {
	p := must.Have(archives.NewPool(1))
	return p
})

// kept is an archive with its ledger, both on disk.
type kept struct {
	dir, ledger, trust string
	tree               archives.Tree
}

// keep writes an archive of bundles that verify and of files that are no evidence.
func keep(t *testing.T, size int) kept {
	t.Helper()
	base := t.TempDir()
	k := kept{dir: filepath.Join(base, "archive"), ledger: filepath.Join(base, "ledger.db"),
		trust: filepath.Join(base, "trust.json"), tree: pool().Quiet(chance.New(1).Stream("kept"), size)}
	must.Do(t, os.Mkdir(k.dir, 0o755))
	must.Do(t, k.tree.Write(k.dir, nil))
	must.Do(t, os.WriteFile(k.trust, pool().Trust, 0o644))
	return k
}

// check runs archive check.
func (k kept) check(more ...string) (code int, stdout, stderr string) {
	return call(nil, append([]string{"archive", "check", k.dir, "--ledger", k.ledger, "--trust", k.trust}, more...)...)
}

// must runs archive check, and wants it to end with a code.
func (k kept) must(t *testing.T, want int, more ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := k.check(more...)
	must.That(t, code == want, "archive check %v: exit code %d, want %d\n%s%s", more, code, want, stdout, stderr)
	return stdout
}

// edits are changes that a person makes to a ledger by hand; package ledger has all kinds of them.
var edits = map[string]string{
	"an object's entry": `UPDATE objects SET entry = CAST(entry || x'00' AS BLOB)
		WHERE path = (SELECT min(path) FROM objects)`,
	"all rows are removed": `DELETE FROM objects`,
}

// TestEditedLedger: the next check finds that a ledger was edited by hand, and changes
// nothing. A ledger that no one edited is as good as before.
func TestEditedLedger(t *testing.T) {
	k := keep(t, 12)
	k.must(t, 0)
	k.must(t, 0)
	good := must.Get(os.ReadFile(k.ledger))(t)
	for name, statement := range edits {
		t.Run(name, func(t *testing.T) {
			must.Do(t, os.WriteFile(k.ledger, good, 0o600))
			edit(t, k.ledger, statement)
			bad := must.Get(os.ReadFile(k.ledger))(t)
			must.That(t, !bytes.Equal(good, bad), "the statement changes nothing")
			for _, form := range []string{"text", "json"} {
				code, stdout, stderr := k.check("--output", form)
				check.That(t, code == 1 && strings.Contains(stdout+stderr, "ledger.altered"),
					"%s: exit code %d\n%s%s", form, code, stdout, stderr)
			}
			sameRows(t, k.ledger, bad)
		})
	}
	must.Do(t, os.WriteFile(k.ledger, good, 0o600))
	edit(t, k.ledger, `SELECT count(*) FROM objects`)
	k.must(t, 0)
}

// edit executes statements on a database.
func edit(t *testing.T, path string, statements ...string) {
	t.Helper()
	c := must.Get(sqlite.Open(path, sqlite.ReadWrite))(t)
	for _, s := range statements {
		must.Do(t, c.Exec(s))
	}
	must.Do(t, c.Close())
}

// header is the size of the part of a database that counts its writes, and nothing else.
const header = 100

// sameRows checks that a ledger is unchanged.
func sameRows(t *testing.T, path string, before []byte) {
	t.Helper()
	after := must.Get(os.ReadFile(path))(t)
	check.That(t, len(after) == len(before) && bytes.Equal(after[header:], before[header:]),
		"the ledger was written to")
}
