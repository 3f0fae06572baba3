package read_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/must"
)

// avroFile is a file of 20 rows that fastavro 1.12 wrote, in blocks of about five.
func avroFile(t testing.TB, codec string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(filepath.Join("testdata", "tables", codec+".avro")))(t)
}

// avroBody is the body of a row of those files.
func avroBody(i int) string { return fmt.Sprintf(`body %d "ü" \%s`, i, strings.Repeat("x", i)) }

func TestAvro(t *testing.T) {
	for _, codec := range []string{"null", "deflate", "snappy", "zstandard", "bzip2"} {
		found := find(t, avroFile(t, codec), read.Options{})
		if len(found.Records) != 20 || len(found.Skips) > 0 {
			t.Fatalf("%s: %d records, %+v", codec, len(found.Records), found.Skips)
		}
		for i, r := range found.Records {
			if string(r.Body) != avroBody(i) || r.Fidelity != read.Exact || len(r.Batches) != 1 ||
				r.ExportTime != 1772442000123456000+int64(i)*1_000_000 {
				t.Errorf("%s: %d: %q %+v", codec, i, r.Body, r)
			}
			if p := r.Place; p.Container != "avro" || p.Offset != int64(i) || p.Length != 1 {
				t.Errorf("%s: %d: %+v", codec, i, p)
			}
		}
	}
}

// Of every prefix, the rows of whole blocks come out, and of a last one in part as
// many as are whole.
func TestCutAvro(t *testing.T) {
	whole := avroFile(t, "null")
	last := 0
	for n := 4; n < len(whole); n += chance.Sized(3, 29) {
		found := find(t, whole[:n], read.Options{})
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
			found := find(t, append(damage(bytes.Clone(whole)), whole...), read.Options{})
			if n := len(found.Records); n < 26 || n > 36 || len(found.Skips) == 0 ||
				found.Skips[0].Code != finding.SourceUnparseable {
				t.Errorf("%s, %s: %d records, %+v", codec, name, n, found.Skips)
			}
		}
	}
	for _, text := range []string{"Obj\x01", "Obj\x01\x02\x16avro.schema\x04{}\x00" + strings.Repeat("x", 16),
		"Obj\x01\x02\x14avro.codec\x06lzo\x00" + strings.Repeat("x", 16)} {
		if found := find(t, []byte(text), read.Options{}); len(found.Skips) != 2 || len(found.Records) > 0 {
			t.Errorf("%q: %+v", text, found)
		}
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
		found := find(t, file, read.Options{Limits: read.Limits{Unit: 1 << 20}})
		if codes := found.Codes(); !slices.Contains(codes, finding.SourceLimit) &&
			!slices.Contains(codes, finding.SourceUnparseable) {
			t.Errorf("%s: %v", name, codes)
		}
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
