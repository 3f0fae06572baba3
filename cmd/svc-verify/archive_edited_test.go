package main

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/harness/archives"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// pool is the evidence that archives of these tests are made of.
var pool = sync.OnceValue(func() *archives.Pool { return archives.NewPool(1) })

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

// edit executes statements on a database.
func edit(t *testing.T, path string, statements ...string) {
	t.Helper()
	c := must.Get(sqlite.Open(path, sqlite.ReadWrite))(t)
	for _, s := range statements {
		must.Do(t, c.Exec(s))
	}
	must.Do(t, c.Close())
}
