//go:build unix

package examine_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// The users of a case: the one who made and walked it, another one, and one
// without a key.
var users = map[string][]store.Option{"maker": {cases.As(1)}, "another": {cases.As(2)}, "nobody": nil}

// someUsers are all users, or one with -short.
func someUsers() map[string][]store.Option {
	if testing.Short() {
		return map[string][]store.Option{"another": users["another"]}
	}
	return users
}

// exhibit is a case that its maker walked.
type exhibit struct {
	file []byte
	root *trust.Root
	walk []byte // the result, as JSON
	dir  string
}

func newExhibit(t *testing.T) exhibit {
	t.Helper()
	e := exhibit{dir: t.TempDir()}
	scene := must.Get(harness.Build("rotated-keys", 1, harness.Options{}))(t)
	must.Do(t, scene.Write(e.dir))
	doc := must.Get(os.ReadFile(filepath.Join(e.dir, "trust.json")))(t)
	e.root = must.Get(trust.Parse(doc))(t)
	e.addCopy(t)
	path := filepath.Join(t.TempDir(), "case.db")
	e.ingest(t, path, users["maker"], ingest.Options{}, "journals", "tenant.ndjson", ".")
	e.walk = must.Get(e.walked(path, users["maker"]))(t)
	e.file = must.Get(os.ReadFile(path))(t)
	return e
}

// addCopy adds a file that has some events of a journal again, one of them
// altered.
func (e *exhibit) addCopy(t *testing.T) {
	t.Helper()
	journal := must.Get(os.ReadFile(filepath.Join(e.dir, "journals", "mesh-berlin-1.ndjson")))(t)
	lines := bytes.SplitAfterN(journal, []byte("\n"), 9)[:8]
	const link = `"previous_hash":"`
	at := bytes.Index(lines[5], []byte(link)) + len(link)
	lines[5] = slices.Concat(lines[5][:at], []byte("0123"), lines[5][at+4:])
	must.Do(t, os.WriteFile(filepath.Join(e.dir, "copy.ndjson"), slices.Concat(lines...), 0o600))
}

// ingest ingests files of the scene.
func (e *exhibit) ingest(t *testing.T, path string, user []store.Option, o ingest.Options,
	names ...string) ingest.Summary {
	t.Helper()
	w := must.Get(store.OpenWrite(path, user...))(t)
	for i, name := range names {
		if !filepath.IsAbs(name) {
			names[i] = filepath.Join(e.dir, name)
		}
	}
	sum, err := ingest.Paths(t.Context(), w, names, o, nil)
	must.Do(t, errors.Join(err, w.Close()))
	return sum
}

// walked walks a case and returns the result as JSON.
func (e *exhibit) walked(path string, user []store.Option) ([]byte, error) {
	r, err := examine.Examine(context.Background(), path, e.root, examine.Options{Workers: 2, Case: user})
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(r, "", "  ")
}

// last returns the result that findings, gaps, show and report use.
func last(path string, user []store.Option) ([]byte, error) {
	c, err := store.OpenCase(path, user...)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	r, err := verdict.Last(context.Background(), c, chain.Hash{})
	if err != nil || r == nil {
		return nil, err
	}
	return json.MarshalIndent(r, "", "  ")
}

// lay lays a copy of the case down.
func (e *exhibit) lay(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.db")
	must.Do(t, os.WriteFile(path, e.file, 0o600))
	return path
}

// change runs SQL on a case, as anyone with write access can.
func change(t *testing.T, path string, statements ...string) {
	t.Helper()
	must.OK(t, try(t, path, statements...), "%s", statements)
}

func try(t *testing.T, path string, statements ...string) error {
	t.Helper()
	db := must.Get(sql.Open("sqlite", path))(t)
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return err
		}
	}
	return nil
}

// columns lists the columns of a table.
func columns(t *testing.T, path, table string) (all []string) {
	t.Helper()
	db := must.Get(sql.Open("sqlite", path))(t)
	defer db.Close()
	rows := must.Get(db.Query("SELECT name FROM pragma_table_info(?)", table))(t)
	defer rows.Close()
	for rows.Next() {
		var name string
		must.Do(t, rows.Scan(&name))
		all = append(all, name)
	}
	return all
}

// manipulation is something that is done to a case.
type manipulation struct {
	what string
	sql  []string
	want outcome
}

// outcome is the effect of a manipulation on a walk, for every user alike.
type outcome string

const (
	same    outcome = "same"    // the answer does not change
	refused outcome = "refused" // the file is not opened
	found   outcome = "found"   // the file is not opened, or the walk finds fault with it
)

// manipulations makes them: everything that can be done to each column of a
// derived table, everything that can be added to a schema, and an alteration of
// each column of evidence that can be derived again.
func manipulations(t *testing.T, path string) (all []manipulation) {
	add := func(want outcome, sql ...string) { all = append(all, manipulation{strings.Join(sql, "; "), sql, want}) }
	for _, table := range []string{"signatures", "walks", "findings", "vouched"} {
		add(same, "DELETE FROM "+table)
		names := columns(t, path, table)
		for _, column := range names {
			for _, value := range []string{"zeroblob(32)", "'{}'", "-1", "9223372036854775807", column + " || 'x'", "NULL"} {
				add(same, "UPDATE OR IGNORE "+table+" SET "+column+" = "+value)
			}
			rest := strings.Join(slices.DeleteFunc(slices.Clone(names), func(s string) bool { return s == column }), ", ")
			if len(names) > 1 {
				for _, value := range []string{"randomblob(32)", "1099511627775"} {
					add(same, fmt.Sprintf("INSERT OR IGNORE INTO %s (%s, %s) SELECT %s, %s FROM %s LIMIT 9", table, column, rest,
						value, rest, table))
				}
			}
		}
	}
	add(same, "UPDATE walks SET verdict = 'verified', result = replace(result, 'inconclusive', 'verified')")
	add(same, "UPDATE findings SET severity = 'info', finding = replace(finding, 'critical', 'info')")
	add(same, "DELETE FROM findings WHERE number = 0")
	add(same, "INSERT INTO signatures SELECT randomblob(32) FROM blocks")
	for _, pragma := range []string{"page_size=1024; VACUUM", "page_size=65536; VACUUM", "journal_mode=WAL",
		"cache_size=-1", "incremental_vacuum", "default_cache_size=1"} {
		add(same, "PRAGMA "+pragma)
	}
	for _, pragma := range []string{"user_version=0", "user_version=1", "user_version=99", "user_version=-4",
		"application_id=1", "auto_vacuum=FULL; VACUUM"} {
		add(refused, "PRAGMA "+pragma)
	}
	for _, table := range []string{"sources", "blocks", "bodies", "statements", "documents", "logs", "signatures",
		"walks", "vouched"} {
		add(refused, "CREATE TRIGGER t BEFORE INSERT ON "+table+" BEGIN SELECT RAISE(IGNORE); END")
		add(refused, "CREATE TRIGGER t AFTER DELETE ON "+table+" BEGIN DELETE FROM blocks; END")
		add(refused, "CREATE INDEX i ON "+table+" (1)")
		add(refused, "ALTER TABLE "+table+" ADD COLUMN more TEXT")
		add(refused, "ALTER TABLE "+table+" RENAME TO mine", "CREATE VIEW "+table+" AS SELECT * FROM mine")
		add(refused, "ALTER TABLE "+table+" RENAME TO mine",
			"CREATE VIEW "+table+" AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r, mine")
	}
	add(refused, "CREATE TABLE more (a)")
	add(refused, "CREATE VIRTUAL TABLE more USING fts5(a)")
	add(refused, "CREATE VIEW more AS SELECT 1")
	add(refused, "DROP INDEX skips_by_record")
	add(refused,
		"PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '') WHERE name = 'blocks'")

	for _, column := range []string{"blocks.copies", "blocks.kept", "bodies.octets", "statements.octets",
		"documents.bytes"} {
		table, column, _ := strings.Cut(column, ".")
		add(found, "UPDATE "+table+" SET "+column+" = zeroblob(length("+column+"))")
		add(found, "UPDATE "+table+" SET "+column+" = substr("+column+", 1, 10)")
		add(found, "UPDATE "+table+" SET "+column+" = CAST("+column+" || x'00' AS BLOB)")
	}
	for _, column := range []string{"blocks.first", "blocks.last", "blocks.log", "statements.kind", "statements.log"} {
		table, column, _ := strings.Cut(column, ".")
		add(found, "UPDATE "+table+" SET "+column+" = "+column+" + 1")
		add(found, "UPDATE "+table+" SET "+column+" = 999999")
	}
	add(found, "UPDATE documents SET sha256 = randomblob(32)")
	add(found, "UPDATE blocks SET kept = NULL")
	add(found, "UPDATE bodies SET body = body + 1000")
	add(found, "DELETE FROM bodies")
	add(found, "DELETE FROM blocks")
	add(found, "DELETE FROM statements")
	add(found, "INSERT INTO blocks SELECT block + 1000, run, log, first, last, copies, kept FROM blocks")
	add(found, "UPDATE logs SET log_id = log_id || 'x'")
	add(found, "UPDATE logs SET tenant_id = tenant_id || 'x'")
	add(found, "DELETE FROM logs")
	return all
}

// TestForeignCase manipulates a case as anyone with write access to its file, or to the files
// next to it, can.
func TestForeignCase(t *testing.T) {
	e := newExhibit(t)
	for name, try := range map[string]func(*testing.T, exhibit){"manipulated": tryManipulations,
		"another WAL": tryAnotherWAL, "remembering": tryRemembering, "claimed sources": tryClaimedSources,
		"wrong format": tryWrongFormat, "companions": tryCompanions} {
		t.Run(name, func(t *testing.T) { try(t, e) })
	}
}

// tryManipulations manipulates a case as anyone with write access to its file can. Changes to
// derived data change no answer, for any user; a foreign schema is not opened; and alterations
// of the evidence are found.
func tryManipulations(t *testing.T, e exhibit) {
	all := manipulations(t, e.lay(t))
	counts := map[outcome]int{}
	for i, m := range all {
		if counts[m.want]++; testing.Short() && i%60 != 0 {
			continue
		}
		for user, options := range users {
			if user != "maker" && m.want == same && i%4 != 0 { // the cache is hardly read
				continue
			}
			path := e.lay(t)
			if err := try(t, path, m.sql...); err != nil && m.want != same { // a table does not accept every value
				t.Fatalf("%s: %v", m.what, err)
			}
			before, err := last(path, options)
			check.That(t, err != nil || before == nil || bytes.Equal(before, e.walk),
				"%s: to %s the findings are\n%s", m.what, user, before)
			check.That(t, user == "maker" || before == nil, "%s: %s is shown somebody else's walk", m.what, user)
			got, err := e.walked(path, options)
			switch {
			case m.want == refused && !errors.Is(err, store.ErrForeign) && !errors.Is(err, store.ErrNotCase) &&
				!strings.Contains(fmt.Sprint(err), "version"):
				t.Errorf("%s: %s gets %v", m.what, user, err)
			case m.want == same && (err != nil || !bytes.Equal(got, e.walk)):
				t.Errorf("%s: %s gets %v\n%s", m.what, user, err, got)
			case m.want == found && err == nil && bytes.Equal(got, e.walk):
				t.Errorf("%s: %s gets the same answer", m.what, user)
			}
		}
	}
	total := counts[same] + counts[refused] + counts[found]
	check.That(t, total >= 100 && counts[same] >= 50 && counts[found] >= 30, "%v", counts)
}

// tryAnotherWAL: the content of a write-ahead log or a journal next to a case is part of the
// case.
func tryAnotherWAL(t *testing.T, e exhibit) {
	for _, m := range []manipulation{
		{"DELETE FROM signatures", nil, same},
		{"UPDATE walks SET verdict = 'verified'", nil, same},
		{"UPDATE blocks SET copies = zeroblob(length(copies))", nil, found},
		{"CREATE TRIGGER t BEFORE INSERT ON blocks BEGIN SELECT RAISE(IGNORE); END", nil, refused},
	} {
		for user, options := range someUsers() {
			path, changed := e.lay(t), e.lay(t)
			db := must.Get(sql.Open("sqlite", changed))(t)
			db.SetMaxOpenConns(1)
			for _, s := range []string{"PRAGMA journal_mode=WAL", m.what} {
				must.Get(db.Exec(s))(t)
			}
			for _, suffix := range []string{"", "-wal"} {
				b := must.Get(os.ReadFile(changed + suffix))(t)
				must.Do(t, os.WriteFile(path+suffix, b, 0o600))
			}
			db.Close()
			got, err := e.walked(path, options)
			switch {
			case m.want == same && (err != nil || !bytes.Equal(got, e.walk)):
				t.Errorf("%s: %s gets %v\n%s", m.what, user, err, got)
			case m.want != same && err == nil:
				t.Errorf("%s: %s gets no error", m.what, user)
			}
		}
	}
}

// tryRemembering: the maker's second walk verifies no signature again,
// and another user's walk does not take that from the maker.
func tryRemembering(t *testing.T, e exhibit) {
	path := e.lay(t)
	remembered := func(user string) (is store.Standing, signatures int64) {
		must.Get(examine.Examine(context.Background(), path, e.root, examine.Options{Case: users[user],
			Remembered: func(s store.Standing, n int64) { is, signatures = s, n }}))(t)
		return is, signatures
	}
	for i, step := range []struct {
		user string
		is   store.Standing
		some bool
	}{
		{"maker", store.Made, true}, {"another", store.Unknown, false}, {"another", store.Checked, true},
		{"nobody", store.Unknown, false}, {"maker", store.Made, true},
	} {
		is, n := remembered(step.user)
		check.That(t, is == step.is && (n > 0) == step.some, "step %d, %s: standing %d, %d signatures", i, step.user, is, n)
	}
	for user, want := range map[string]bool{"maker": true, "another": true, "nobody": false} {
		got, err := last(path, users[user])
		check.That(t, err == nil && (got != nil) == want, "%s is shown a walk: %t, %v", user, got != nil, err)
	}
}

// tryClaimedSources: a case is not believed about files that it has no rows of.
func tryClaimedSources(t *testing.T, e exhibit) {
	for what, claim := range map[string]string{
		"rows that were removed": "DELETE FROM blocks WHERE log = 1; DELETE FROM statements WHERE log = 1",
		"nothing but the source": "DELETE FROM blocks; DELETE FROM statements; DELETE FROM bodies; DELETE FROM logs; " +
			"DELETE FROM run_sources; DELETE FROM document_places; DELETE FROM documents",
	} {
		for user, options := range someUsers() {
			path := e.lay(t)
			change(t, path, claim)
			sum := e.ingest(t, path, options, ingest.Options{}, "journals", "tenant.ndjson", ".")
			check.That(t, sum.Known != 0 && sum.Sources == 0 && sum.Events == 0,
				"%s: %s is told %+v", what, user, sum)
			got, err := e.walked(path, options)
			check.That(t, err == nil && bytes.Equal(got, e.walk), "%s: after an ingest %s gets %v\n%s", what, user, err, got)
		}
	}
}

// tryWrongFormat: a reading in the right format replaces a reading in a wrong one, which no
// longer counts for the verdict.
func tryWrongFormat(t *testing.T, e exhibit) {
	for user, options := range someUsers() {
		path := filepath.Join(t.TempDir(), "case.db")
		wrong := ingest.Options{}
		wrong.Read.Format = "otlp-proto-frames"
		sum := e.ingest(t, path, options, wrong, "journals", "tenant.ndjson", "copy.ndjson")
		check.That(t, sum.Skipped != 0 &&
			sum.Events == 0, "in the wrong format: %+v", sum)
		sum = e.ingest(t, path, options, ingest.Options{}, "journals", "tenant.ndjson", ".")
		check.That(t, sum.Sources >= 3 &&
			sum.Events != 0, "in the right format: %+v", sum)
		got, err := e.walked(path, options)
		check.That(t, err == nil && bytes.Equal(got, e.walk), "%s gets %v\n%s", user, err, got)
	}
}

// tryCompanions: files next to a case are looked at before the engine opens it.
func tryCompanions(t *testing.T, e exhibit) {
	kept := filepath.Join(t.TempDir(), "kept")
	journal := slices.Concat([]byte("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"), make([]byte, 600), []byte(kept),
		[]byte{0, 0, 0, byte(len(kept)), 0, 0, 0, 0}, []byte("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"))
	for what, lay := range map[string]func(path string) error{
		"a linked -wal":         func(path string) error { return os.Symlink(kept, path+"-wal") },
		"a pipe as -wal":        func(path string) error { return syscall.Mkfifo(path+"-wal", 0o600) },
		"a pipe as -shm":        func(path string) error { return syscall.Mkfifo(path+"-shm", 0o600) },
		"a pipe as lock":        func(path string) error { return syscall.Mkfifo(path+".lock", 0o600) },
		"a linked lock":         func(path string) error { return os.Symlink(kept, path+".lock") },
		"a pipe as -journal":    func(path string) error { return syscall.Mkfifo(path+"-journal", 0o600) },
		"a journal with a name": func(path string) error { return os.WriteFile(path+"-journal", journal, 0o600) },
		"a pipe instead of a case": func(path string) error {
			return errors.Join(os.Remove(path),
				syscall.Mkfifo(path, 0o600))
		},
		"a folder instead of a case": func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		path := e.lay(t)
		must.Do(t, errors.Join(os.WriteFile(kept, []byte("x"), 0o600), lay(path)))
		if c, err := store.OpenCase(path); err == nil {
			t.Errorf("%s: the case is read", what)
			c.Close()
		}
		if w, err := store.OpenWrite(path); err == nil {
			t.Errorf("%s: the case is written to", what)
			w.Close()
		}
		b, err := os.ReadFile(kept)
		check.That(t, err == nil && string(b) == "x", "%s: the other file holds %q, %v", what, b, err)
	}
}
