package read_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// sqliteOf writes bodies as rows of a database, beside rows that have none.
func sqliteOf(t *testing.T, bodies [][]byte) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "logs.db")
	c, err := sqlite.Open(path, sqlite.Create)
	must.Do(t, err)
	err = c.Exec(`PRAGMA page_size=1024; CREATE TABLE other (a, b); INSERT INTO other VALUES (1, 'x'), (NULL, 2.5);
		CREATE TABLE logs (id INTEGER PRIMARY KEY, "Timestamp" TEXT, "Body" TEXT, LogAttributes);
		CREATE INDEX i ON logs ("Body"); CREATE VIEW v AS SELECT * FROM logs`)
	for _, body := range bodies {
		err = errors.Join(err,
			c.Run(`INSERT INTO logs ("Timestamp", "Body") VALUES ('2026-03-02 09:00:00', ?)`, string(body)))
	}
	b, err2 := os.ReadFile(path)
	must.Do(t, errors.Join(err, err2, c.Close()))
	return b
}

func TestSQLite(t *testing.T) {
	bodies := dumps.Bodies(30)
	file := sqliteOf(t, bodies)
	for container, dump := range map[string][]byte{"sqlite:logs": file,
		"a.db!sqlite:logs": []byte(tarOf("a.db", string(file)))} {
		found := find(t, dump, read.Options{})
		checkBodies(t, found, bodies, read.Exact)
		for i, r := range found.Records {
			if p := r.Place; p.Container != container || p.Offset != int64(i) || p.Length != 1 || r.ExportTime == 0 {
				t.Errorf("%d: %+v", i, r)
			}
		}
		if len(found.Skips) != 2 || !harmless(found) { // the rows of the other table
			t.Errorf("%+v", found.Skips)
		}
	}
}

// A cut file gives the rows that are there, some twice, as its pages are searched, too, and
// says that it is cut.
func TestCutSQLite(t *testing.T) {
	bodies := dumps.Bodies(30)
	file := sqliteOf(t, bodies)
	found := find(t, file[:len(file)*2/3], read.Options{})
	whole := map[string]bool{}
	for _, r := range found.Records {
		whole[string(r.Body)] = true
	}
	if n := len(whole); n < 15 || n >= len(bodies) || found.Codes()[0] != finding.SourceTruncated {
		t.Errorf("%d bodies, %v", n, found.Codes())
	}
	found = find(t, file[:50], read.Options{})
	if len(found.Skips) != 2 || found.Skips[0].Code != finding.SourceTruncated {
		t.Errorf("%+v", found)
	}
}

// A page that no tree leads to any more is looked through for events.
func TestOrphansOfSQLite(t *testing.T) {
	file := sqliteOf(t, dumps.Bodies(30))
	root := 0
	for at := 1024; at < len(file); at += 1024 {
		if file[at] == 5 {
			root = at
		}
	}
	clear(file[root : root+1024])
	found := find(t, file, read.Options{})
	lost := 0
	for _, s := range found.Skips {
		if s.Code == finding.SourceUnparseable {
			lost++
		}
	}
	if lost < 2 { // the page, and pieces of what stood on it
		t.Errorf("%d records, %+v", len(found.Records), found.Skips)
	}
}

// A stream that has to be held in memory is held up to the limit.
func TestSpoolIsBounded(t *testing.T) {
	file := sqliteOf(t, dumps.Bodies(30))
	dump := []byte(tarOf("a.db", string(file)))
	found := find(t, dump, read.Options{Limits: read.Limits{Unit: len(file) - 1}})
	if len(found.Records) > 0 || found.Codes()[0] != finding.SourceLimit {
		t.Errorf("%+v", found)
	}
	checkBodies(t, find(t, dump, read.Options{Limits: read.Limits{Unit: len(file)}}), dumps.Bodies(30), read.Exact)
}
