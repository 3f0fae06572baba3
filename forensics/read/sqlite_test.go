package read_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// sqliteOf writes bodies as rows of a database, alongside rows that have none.
func sqliteOf(t *testing.T, bodies [][]byte) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "logs.db")
	c := must.Get(sqlite.Open(path, sqlite.Create))(t)
	err := c.Exec(`PRAGMA page_size=1024; CREATE TABLE other (a, b); INSERT INTO other VALUES (1, 'x'), (NULL, 2.5);
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
		"a.db!sqlite:logs": []byte(must.Tar("a.db", string(file)))} {
		found := valueAt(t, dump, read.Options{})
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

// A cut file gives the rows that are there, some twice, as its pages are searched, too, and is
// reported as cut.
func TestCutSQLite(t *testing.T) {
	bodies := dumps.Bodies(30)
	file := sqliteOf(t, bodies)
	found := valueAt(t, file[:len(file)*2/3], read.Options{})
	whole := map[string]bool{}
	for _, r := range found.Records {
		whole[string(r.Body)] = true
	}
	if n := len(whole); n < 15 || n >= len(bodies) || found.Codes()[0] != finding.SourceTruncated {
		t.Errorf("%d bodies, %v", n, found.Codes())
	}
	found = valueAt(t, file[:50], read.Options{})
	check.That(t, len(found.Skips) == 2 && found.Skips[0].Code == finding.SourceTruncated, "%+v", found)
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
	found := valueAt(t, file, read.Options{})
	lost := 0
	for _, s := range found.Skips {
		if s.Code == finding.SourceUnparseable {
			lost++
		}
	}
	if lost < 2 { // the page, and pieces of its content
		t.Errorf("%d records, %+v", len(found.Records), found.Skips)
	}
}

// A stream that has to be held in memory is held up to the limit.
func TestSpoolIsBounded(t *testing.T) {
	file := sqliteOf(t, dumps.Bodies(30))
	dump := []byte(must.Tar("a.db", string(file)))
	found := valueAt(t, dump, read.Options{Limits: read.Limits{Unit: len(file) - 1}})
	check.That(t, len(found.Records) == 0 && found.Codes()[0] == finding.SourceLimit, "%+v", found)
	checkBodies(t, valueAt(t, dump, read.Options{Limits: read.Limits{Unit: len(file)}}), dumps.Bodies(30), read.Exact)
}

// avroFile is a file of 20 rows that fastavro 1.12 wrote, in blocks of about five.
func avroFile(t testing.TB, codec string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(filepath.Join("testdata", "tables", codec+".avro")))(t)
}

// avroBody is the body of a row of those files.
func avroBody(i int) string { return fmt.Sprintf(`body %d "ü" \%s`, i, strings.Repeat("x", i)) }

func TestAvro(t *testing.T) {
	for _, codec := range []string{"null", "deflate", "snappy", "zstandard", "bzip2"} {
		found := valueAt(t, avroFile(t, codec), read.Options{})
		must.That(t, len(found.Records) == 20 && len(found.Skips) == 0,
			"%s: %d records, %+v", codec, len(found.Records), found.Skips)
		for i, r := range found.Records {
			check.That(t, string(r.Body) == avroBody(i) && r.Fidelity == read.Exact && len(r.Batches) == 1 &&
				r.ExportTime == 1772442000123456000+int64(i)*1_000_000, "%s: %d: %q %+v", codec, i, r.Body, r)
			p := r.Place
			check.That(t, p.Container == "avro" && p.Offset == int64(i) && p.Length == 1, "%s: %d: %+v", codec, i, p)
		}
	}
}

// Of every prefix, the rows of whole blocks come out, and of a last one in part as
// many as are whole.
func TestCutAvro(t *testing.T) {
	whole := avroFile(t, "null")
	last := 0
	for n := 4; n < len(whole); n += chance.Sized(3, 29) {
		found := valueAt(t, whole[:n], read.Options{})
		got := len(found.Records)
		if got < last || got > 20 || got < 20 && len(found.Skips) == 0 && !bytes.HasSuffix(whole[:n], whole[len(whole)-16:]) {
			t.Fatalf("first %d bytes: %d records, %+v", n, got, found.Skips)
		}
		last = got
	}
}

// A damaged block costs itself, and two files may be one.
func TestDamagedAvro(t *testing.T) {
	for _, codec := range []string{"null", "deflate"} {
		whole := avroFile(t, codec)
		sync := whole[len(whole)-16:]
		second := bytes.Index(whole, sync) + 16
		second += bytes.Index(whole[second:], sync) + 16
		for name, damage := range map[string]func(b []byte) []byte{
			"zeros":  func(b []byte) []byte { clear(b[second : second+200]); return b },
			"length": func(b []byte) []byte { b[second+1] ^= 0x7e; return b },
			"marker": func(b []byte) []byte { b[second-1]++; return b },
			"hole":   func(b []byte) []byte { return append(b[:second+3], b[second+90:]...) },
		} {
			found := valueAt(t, append(damage(bytes.Clone(whole)), whole...), read.Options{})
			n := len(found.Records)
			check.That(t, n >= 26 && n <= 36 && len(found.Skips) != 0 && found.Skips[0].Code == finding.SourceUnparseable,
				"%s, %s: %d records, %+v", codec, name, n, found.Skips)
		}
	}
	for _, text := range []string{"Obj\x01", "Obj\x01\x02\x16avro.schema\x04{}\x00" + strings.Repeat("x", 16),
		"Obj\x01\x02\x14avro.codec\x06lzo\x00" + strings.Repeat("x", 16)} {
		found := valueAt(t, []byte(text), read.Options{})
		check.That(t, len(found.Skips) == 2 && len(found.Records) == 0, "%q: %+v", text, found)
	}
}

// avroOf is a file of one block with a schema.
func avroOf(schema string, count int64, data string) []byte {
	long := func(n int64) []byte {
		u, b := uint64(n)<<1^uint64(n>>63), []byte(nil)
		for ; u > 0x7f; u >>= 7 {
			b = append(b, byte(u)|0x80)
		}
		return append(b, byte(u))
	}
	sync := strings.Repeat("s", 16)
	return slicesOf("Obj\x01\x02\x16avro.schema", string(long(int64(len(schema)))), schema, "\x00", sync,
		string(long(count)), string(long(int64(len(data)))), data, sync)
}

func slicesOf(parts ...string) []byte { return []byte(strings.Join(parts, "")) }

// Schemas that make much of nothing end at a limit.
func TestHostileAvro(t *testing.T) {
	fields := func(of string) string {
		return fmt.Sprintf(`[{"name":"a","type":%s},{"name":"b","type":%[1]s},{"name":"c","type":%[1]s}]`, of)
	}
	nested := `"null"`
	for i := range 40 {
		nested = fmt.Sprintf(`{"type":"record","name":"r%d","fields":[{"name":"x","type":%s},{"name":"y","type":"r%d"}]}`,
			i, nested, i-1)
		if i == 0 {
			nested = `{"type":"record","name":"r0","fields":[{"name":"a","type":"null"}]}`
		}
	}
	for name, file := range map[string][]byte{
		"empty rows":  avroOf(`{"type":"record","name":"r","fields":[]}`, 1<<62, ""),
		"nulls":       avroOf(`{"type":"array","items":"null"}`, 1, "\xfe\xff\xff\xff\xff\xff\xff\xff\x7f"),
		"doubling":    avroOf(nested, 1, ""),
		"itself":      avroOf(`{"type":"record","name":"r","fields":`+fields(`"r"`)+`}`, 1, ""),
		"long string": avroOf(`"string"`, 1, "\xfe\xff\xff\xff\xff\xff\xff\xff\x7f"),
		"negative":    avroOf(`{"type":"map","values":"null"}`, 1, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00"),
		"deep":        avroOf(strings.Repeat("[", 9000)+strings.Repeat("]", 9000), 1, "\x00"),
	} {
		if testing.Short() && (name == "doubling" || name == "deep") { // these take seconds
			continue
		}
		found := valueAt(t, file, read.Options{Limits: read.Limits{Unit: 1 << 20}})
		codes := found.Codes()
		check.That(t, slices.Contains(codes, finding.SourceLimit) ||
			slices.Contains(codes, finding.SourceUnparseable), "%s: %v", name, codes)
	}
}

// FuzzAvro wants that all of every file is accounted for.
func FuzzAvro(f *testing.F) {
	f.Add(avroFile(f, "null"))
	f.Add(avroOf(`["null",{"type":"map","values":"long"}]`, 3, "\x00\x02\x02\x02a\x02\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		sound(t, append([]byte("Obj\x01"), b...), read.Options{Limits: read.Limits{Unit: 1 << 16}})
	})
}
