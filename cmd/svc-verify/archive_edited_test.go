package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/harness/archives"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// pool is the evidence that archives of these tests are made of.
var pool = sync.OnceValue(func() *archives.Pool {
	p, err := archives.NewPool(1)
	if err != nil {
		panic(err)
	}
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

// edits are changes that a person makes to a ledger by hand. Each is a list of
// statements, and none of them says that anything but the rows has changed.
var edits = map[string][]string{
	"an object's entry":        {`UPDATE objects SET entry = CAST(entry || x'00' AS BLOB) WHERE path = (SELECT min(path) FROM objects)`},
	"a bit of an entry":        {`UPDATE objects SET entry = CAST(x'7f' || substr(entry, 2) AS BLOB) WHERE path = (SELECT max(path) FROM objects)`},
	"an object's code":         {`UPDATE objects SET code = zeroblob(length(code)) WHERE path = (SELECT min(path) FROM objects)`},
	"a path":                   {`UPDATE objects SET path = CAST(path || x'21' AS BLOB) WHERE path = (SELECT max(path) FROM objects)`},
	"a row is removed":         {`DELETE FROM objects WHERE path = (SELECT min(path) FROM objects)`},
	"all rows are removed":     {`DELETE FROM objects`},
	"a row under another path": {`INSERT INTO objects SELECT CAST(path || x'21' AS BLOB), entry, code FROM objects LIMIT 1`},
	"two entries are swapped": {`CREATE TEMP TABLE two AS SELECT * FROM objects ORDER BY path LIMIT 2`,
		`UPDATE objects SET (entry, code) = (SELECT entry, code FROM two WHERE two.path <> objects.path)
			WHERE path IN (SELECT path FROM two)`},
	"a record":              {`UPDATE runs SET record = CAST(replace(CAST(record AS TEXT), '"exit":0', '"exit":1') AS BLOB) WHERE run = 1`},
	"the newest run":        {`DELETE FROM runs WHERE run = (SELECT max(run) FROM runs)`},
	"the first run":         {`DELETE FROM runs WHERE run = 1`},
	"a run is repeated":     {`INSERT INTO runs SELECT run + 1, record, code FROM runs ORDER BY run DESC LIMIT 1`},
	"the newest run's name": {`UPDATE state SET newest = zeroblob(32)`},
	"the number of runs":    {`UPDATE state SET runs = runs - 1`},
	"a run that goes on":    {`UPDATE state SET began = 1`},
	"the code of all":       {`UPDATE state SET code = zeroblob(length(code))`},
	"no state":              {`DELETE FROM state`},
	"a name":                {`UPDATE names SET value = CAST(value || x'21' AS BLOB) WHERE name = (SELECT min(name) FROM names)`},
	"names are removed":     {`DELETE FROM names`},
}

// TestEditedLedger: the next check finds that a ledger was edited by hand, and changes
// nothing. A ledger that no one edited is as good as before.
func TestEditedLedger(t *testing.T) {
	k := keep(t, 12)
	k.must(t, 0)
	k.must(t, 0)
	good := must.Get(os.ReadFile(k.ledger))(t)
	for name, statements := range edits {
		t.Run(name, func(t *testing.T) {
			must.Do(t, os.WriteFile(k.ledger, good, 0o600))
			edit(t, k.ledger, statements...)
			bad := must.Get(os.ReadFile(k.ledger))(t)
			must.That(t, !bytes.Equal(good, bad), "the statements change nothing")
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

// TestLedgerPutBack: a ledger that is put back whole to an earlier state cannot be
// distinguished from one at that time, unless the digest of a newer run was kept elsewhere.
// Then it has another history.
func TestLedgerPutBack(t *testing.T) {
	k := keep(t, 6)
	k.must(t, 0)
	earlier := must.Get(os.ReadFile(k.ledger))(t)
	newest := newestRun(t, k.must(t, 0, "--output", "json"))
	k.must(t, 0, "--expect-run", newest)
	newest = newestRun(t, k.must(t, 0, "--output", "json"))
	must.Do(t, os.WriteFile(k.ledger, earlier, 0o600))
	code, stdout, stderr := k.check("--expect-run", newest)
	check.That(t, code == 3 && strings.Contains(stdout, "history.another"), "exit code %d\n%s%s", code, stdout, stderr)
	must.Do(t, os.WriteFile(k.ledger, earlier, 0o600))
	k.must(t, 0)
}

// TestEditedHistory: the record of a run, if it has one, commits to its changes. A reader of
// the history notices that it was edited; a check does not read it.
func TestEditedHistory(t *testing.T) {
	k := keep(t, 6)
	k.must(t, 0)
	must.Do(t, os.WriteFile(filepath.Join(k.dir, "more"), []byte("more"), 0o600))
	k.must(t, 0)
	good := must.Get(os.ReadFile(k.ledger))(t)
	for name, statement := range map[string]string{
		"edited":  `UPDATE changes SET line = CAST(replace(CAST(line AS TEXT), 'added', 'moved') AS BLOB) WHERE run = 2`,
		"removed": `DELETE FROM changes WHERE run = 2`,
	} {
		must.Do(t, os.WriteFile(k.ledger, good, 0o600))
		if code, stdout, stderr := call(nil, "archive", "log", "--ledger", k.ledger); code != 0 {
			t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
		}
		edit(t, k.ledger, statement)
		if code, stdout, stderr := call(nil, "archive", "log", "--ledger", k.ledger); code != 1 ||
			!strings.Contains(stdout+stderr, "ledger.altered") {
			t.Errorf("%s: exit code %d\n%s%s", name, code, stdout, stderr)
		}
	}
}

// newestRun is the digest of the run of a check.
func newestRun(t *testing.T, answer string) string {
	t.Helper()
	var r archive.Result
	must.Do(t, json.Unmarshal([]byte(answer), &r))
	must.That(t, r.Run != nil, "no run: %s", answer)
	return r.Run.Digest
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
