package sqlitefile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/read/sqlitefile"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

const largest = 1 << 20

// made makes a database by statements, and returns its file.
func made(t must.T, dir string, statements ...string) []byte {
	path := filepath.Join(dir, "made.db")
	must.Do(t, os.RemoveAll(path))
	c, err := sqlite.Open(path, sqlite.Create)
	must.Do(t, err)
	for _, s := range statements {
		err = errors.Join(err, c.Exec(s))
	}
	b, err2 := os.ReadFile(path)
	must.Do(t, errors.Join(err, c.Close(), err2))
	return b
}

// shown is a value as quote() of SQL writes it.
func shown(v sqlitefile.Value) string {
	switch v.Kind {
	case sqlitefile.Int:
		return fmt.Sprint(v.Int)
	case sqlitefile.Text:
		return "'" + strings.ReplaceAll(string(v.Bytes), "'", "''") + "'"
	case sqlitefile.Blob:
		return fmt.Sprintf("X'%X'", v.Bytes)
	case sqlitefile.Float:
		return fmt.Sprintf("%.1f", v.Float)
	}
	return "NULL"
}

// all reads every row of every table, as one line for each, and what is damaged.
func all(b []byte) (rows, damage []string, err error) {
	f, err := sqlitefile.Open(bytes.NewReader(b), int64(len(b)), largest)
	if err != nil {
		return nil, nil, err
	}
	told := func(page uint32, _ []byte, what string) error {
		damage = append(damage, fmt.Sprintf("%d: %s", page, what))
		return nil
	}
	tables, err := f.Tables(told)
	for _, t := range tables {
		err = errors.Join(err, f.Rows(t, func(values []sqlitefile.Value) error {
			line := t.Name
			for i, v := range values {
				name := "?"
				if i < len(t.Columns) {
					name = t.Columns[i]
				}
				line += fmt.Sprintf(" %s=%s", name, shown(v))
			}
			rows = append(rows, line)
			return nil
		}, told))
	}
	return rows, damage, err
}

func TestDeclarations(t *testing.T) {
	b := made(t, t.TempDir(),
		`CREATE TABLE "a b" (id INTEGER PRIMARY KEY, [x y] TEXT DEFAULT 'a,b)' NOT NULL, /* , */ "q""q" VARCHAR(10, 2) -- , no
			CHECK (id > 0), v AS (id+1), w INT GENERATED ALWAYS AS (id*2) STORED, UNIQUE ("q""q", id))`,
		`INSERT INTO "a b" (id, [x y], "q""q") VALUES (7, 'it''s', x'00ff'), (9, '', NULL)`,
		`CREATE TABLE w (a, b TEXT, c INTEGER, PRIMARY KEY (c, a)) WITHOUT ROWID`,
		`INSERT INTO w VALUES ('k', 'v', 3)`,
		`CREATE TABLE later (a INTEGER, PRIMARY KEY (a))`, `INSERT INTO later VALUES (-5)`,
		`ALTER TABLE later ADD COLUMN b TEXT DEFAULT 'd'`, `INSERT INTO later VALUES (6, 'e')`,
		`CREATE TABLE down (a INTEGER PRIMARY KEY DESC, b)`, `INSERT INTO down VALUES (4, 1.5)`,
		`CREATE VIEW seen AS SELECT * FROM later`, `CREATE INDEX i ON later (b)`,
		`CREATE VIRTUAL TABLE words USING fts5(t)`, `INSERT INTO words VALUES ('hello')`)
	rows, damage, err := all(b)
	want := []string{
		`a b id=7 x y='it''s' q"q=X'00FF' w=14`, `a b id=9 x y='' q"q=NULL w=18`,
		`w c=3 a='k' b='v'`, `later a=-5`, `later a=6 b='e'`, `down a=4 b=1.5`, `words_content id=1 c0='hello'`,
	}
	rows = slices.DeleteFunc(rows, func(s string) bool {
		return strings.HasPrefix(s, "words_") && !strings.HasPrefix(s, "words_content")
	})
	if !slices.Equal(rows, want) || len(damage) > 0 || err != nil {
		t.Errorf("%q\n%q %v", rows, damage, err)
	}
}

// TestRowsAreThoseOfTheEngine: pages give the values that the engine gives.
func TestRowsAreThoseOfTheEngine(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		statements := []string{
			fmt.Sprintf("PRAGMA page_size=%d", rapid.SampledFrom([]int{512, 1024, 65536}).Draw(rt, "page")),
			fmt.Sprintf("PRAGMA encoding='%s'",
				rapid.SampledFrom([]string{"UTF-8", "UTF-16le", "UTF-16be"}).Draw(rt, "encoding")),
			fmt.Sprintf("PRAGMA auto_vacuum=%d", rapid.IntRange(0, 1).Draw(rt, "vacuum")),
			"CREATE TABLE t (k INTEGER PRIMARY KEY, v, w)" + rapid.SampledFrom([]string{"", " WITHOUT ROWID"}).Draw(rt, "rowid"),
			"CREATE INDEX i ON t (v)", "BEGIN",
		}
		number := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-300, 300))
		for range rapid.IntRange(0, 200).Draw(rt, "rows") {
			v := []string{"NULL", "'äöü€😀'", "x''", fmt.Sprint(number.Draw(rt, "v")),
				fmt.Sprintf("replace(hex(zeroblob(%d)), '00', 'ab')", rapid.IntRange(0, 3000).Draw(rt, "size"))}
			statements = append(statements, fmt.Sprintf("INSERT OR REPLACE INTO t VALUES (%d, %s, 1.5)", number.Draw(rt, "k"),
				rapid.SampledFrom(v).Draw(rt, "value")))
		}
		statements = append(statements, "COMMIT", "DELETE FROM t WHERE k % 7 = 3")
		b := made(rt, dir, statements...)
		rows, damage, err := all(b)
		if err != nil || len(damage) > 0 {
			rt.Fatal(damage, err)
		}
		var want []string
		c := must.Get(sqlite.Open(filepath.Join(dir, "made.db"), sqlite.ReadOnly))(rt)
		err = c.Each("SELECT 't k=' || k || ' v=' || quote(v) || ' w=' || quote(w) FROM t ORDER BY k", nil,
			func(s *sqlite.Stmt) error {
				want = append(want, utf8Of(b[59], s.Blob(0)))
				return nil
			})
		if err := errors.Join(err, c.Close()); err != nil || !slices.Equal(rows, want) {
			rt.Fatalf("%v\n got %.300q\nwant %.300q", err, rows, want)
		}
	})
}

// utf8Of is a text in the encoding that the header of a file names.
func utf8Of(encoding byte, text []byte) string {
	var order binary.ByteOrder = binary.LittleEndian
	switch encoding {
	case 1:
		return string(text)
	case 3:
		order = binary.BigEndian
	}
	var units []uint16
	for ; len(text) > 1; text = text[2:] {
		units = append(units, order.Uint16(text))
	}
	return string(utf16.Decode(units))
}

// large makes a database of many rows in small pages.
func large(t *testing.T) []byte {
	return made(t, t.TempDir(), "PRAGMA page_size=512", "CREATE TABLE t (k INTEGER PRIMARY KEY, v)",
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 3000)
			INSERT INTO t SELECT i, 'row ' || i || ' ' || hex(zeroblob(i % 40)) FROM n`,
		"INSERT INTO t VALUES (9999, hex(zeroblob(5000)))")
}

// TestDamageCostsItsRows: whatever is done to a page, the rows of others come out.
func TestDamageCostsItsRows(t *testing.T) {
	whole := large(t)
	want, _, _ := all(whole)
	for name, spoil := range map[string]func(page []byte){
		"zeros":       func(p []byte) { clear(p) },
		"other kind":  func(p []byte) { p[0] = 10 },
		"many cells":  func(p []byte) { p[3], p[4] = 0xff, 0xff },
		"outside":     func(p []byte) { p[8], p[9] = 0xff, 0xff },
		"overlapping": func(p []byte) { copy(p[10:], bytes.Repeat(p[8:10], 100)); p[3], p[4] = 0, 100 },
		"loop":        func(p []byte) { p[0] = 5; binary.BigEndian.PutUint32(p[8:], 2) },
		"row":         func(p []byte) { at := binary.BigEndian.Uint16(p[8:]); copy(p[at:], "\xff\xff\xff\xff") },
	} {
		b := bytes.Clone(whole)
		leaf := 512 * 20
		if b[leaf] != 13 {
			t.Fatal("no leaf")
		}
		spoil(b[leaf : leaf+512])
		rows, damage, err := all(b)
		if err != nil || len(damage) == 0 || len(rows) < len(want)-50 || len(rows) > len(want)+500 {
			t.Errorf("%s: %d of %d rows, %q, %v", name, len(rows), len(want), damage, err)
		}
	}
}

// TestTruncated: the rows of the pages that are there come out.
func TestTruncated(t *testing.T) {
	whole := large(t)
	want, _, _ := all(whole)
	for _, size := range []int{len(whole) / 2, len(whole) - 1, 1024, 512, 100} {
		f := must.Get(sqlitefile.Open(bytes.NewReader(whole[:size]), int64(size), largest))(t)
		rows, damage, err := all(whole[:size])
		if lost := size < len(whole)-512; err != nil || f.Truncated() != lost || lost != (len(damage) > 0) ||
			size > len(whole)/3 && len(rows) < len(want)/3 {
			t.Errorf("%d octets: %d rows, %d damages, %v", size, len(rows), len(damage), err)
		}
	}
	if _, err := sqlitefile.Open(bytes.NewReader(whole[:99]), 99, largest); !errors.Is(err, sqlitefile.ErrHeader) {
		t.Error(err)
	}
}

// reads counts what is read of a file.
type reads struct {
	b []byte
	n int
}

func (r *reads) ReadAt(p []byte, at int64) (int, error) {
	r.n += len(p)
	return bytes.NewReader(r.b).ReadAt(p, at)
}

// FuzzFile wants that no page is read twice, and that the rows are not more than the
// pages.
func FuzzFile(f *testing.F) {
	path := filepath.Join("testdata", "small.db")
	if b, err := os.ReadFile(path); err == nil {
		f.Add(b)
	} else {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		counted := &reads{b: b}
		file, err := sqlitefile.Open(counted, int64(len(b)), largest)
		if err != nil {
			return
		}
		octets := 0
		told := func(uint32, []byte, string) error { return nil }
		tables, err := file.Tables(told)
		for _, table := range tables {
			err = errors.Join(err, file.Rows(table, func(values []sqlitefile.Value) error {
				for _, v := range values {
					octets += len(v.Bytes)
				}
				return nil
			}, told))
		}
		err = errors.Join(err, file.Unread(func(uint32, []byte) error { return nil }))
		if err != nil || counted.n > len(b)+file.PageSize()+100 || octets > 3*(len(b)+file.PageSize()) {
			t.Fatalf("%v: %d octets of rows and %d read, of %d", err, octets, counted.n, len(b))
		}
	})
}
