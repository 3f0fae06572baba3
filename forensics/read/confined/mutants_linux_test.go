package confined

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// fewMutants is how many damaged files of each format are read in a usual test.
const fewMutants = 10

// TestMutants: a few damaged files of each format.
func TestMutants(t *testing.T) { readMutants(t, fewMutants) }

// readMutants reads so many damaged files of each format. Each ends in some way and
// with bounded memory; one that hangs ends the test.
func readMutants(t *testing.T, n int) {
	t.Helper()
	for format, seeds := range mutantSeeds(t) {
		random := rand.New(rand.NewPCG(1, uint64(len(format))))
		for i := range n {
			b := mutantOf(random, seeds[i%len(seeds)])
			j := must.Get(children.open(t.Context(),
				Source{Format: format, Octets: bytes.NewReader(b), Size: int64(len(b)), Members: 1000}))(t)
			pid := j.worker.cmd.Process.Pid
			got := drain(j)
			memory := memoryOf(pid)
			j.Close()
			const own = 64 << 10 // of a child that has read nothing, in KiB
			check.That(t, memory <= own+mostMemory>>10, "%s, mutant %d: %d KiB, %d bytes", format, i, memory, got)
		}
	}
}

// drain reads a job to its end, or until it made far more than any seed has.
func drain(j *Job) (got int) {
	b := make([]byte, 64<<10)
	for got < 64<<20 {
		it, err := j.Next()
		if err != nil || it.Kind == Final {
			break
		}
		got += len(it.Row) + 1
		for it.Kind == Member && got < 64<<20 {
			n, err := j.Read(b)
			if got += n; err != nil {
				break
			}
		}
	}
	return got
}

// memoryOf returns the most memory that a process had, in KiB; 0 if it has ended.
func memoryOf(pid int) (kib int) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	if i := bytes.Index(b, []byte("VmHWM:")); i >= 0 {
		_, _ = fmt.Sscan(string(b[i+len("VmHWM:"):]), &kib)
	}
	return kib
}

// mutantOf returns a copy with some damage.
func mutantOf(r *rand.Rand, seed []byte) []byte {
	b := bytes.Clone(seed)
	for range 1 + r.IntN(4) {
		at := r.IntN(len(b))
		switch r.IntN(6) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = []byte{0, 0xff, 0x7f, 0x80}[r.IntN(4)]
		case 2:
			clear(b[at:min(len(b), at+1+r.IntN(16))])
		case 3:
			b = b[:max(at, 1)]
		case 4:
			b = slices.Insert(b, at, b[at:min(len(b), at+r.IntN(64))]...)
		case 5:
			for i := range min(8, len(b)-at) {
				b[at+i] = byte(r.Uint32())
			}
		}
	}
	return b
}

// mutantSeeds are whole files of each format.
func mutantSeeds(t *testing.T) map[string][][]byte {
	t.Helper()
	seeds := map[string][][]byte{"sqlite": {smallDatabase(t)}, "rar": {smallRar}}
	for _, name := range []string{"Copy", "LZMA", "LZMA2", "Deflate", "BZip2", "PPMd", "solid", "names-encrypted"} {
		text := must.Get(os.ReadFile("../testdata/packed/7z-" + name + ".base64"))(t)
		text = bytes.ReplaceAll(text, []byte("\n"), nil)
		seeds["7z"] = append(seeds["7z"], must.Get(base64.StdEncoding.AppendDecode(nil, text))(t))
	}
	for _, name := range []string{"null", "deflate", "snappy", "zstandard", "bzip2"} {
		seeds["avro"] = append(seeds["avro"], must.Get(os.ReadFile("../testdata/tables/"+name+".avro"))(t))
	}
	return seeds
}

// smallRar is an archive of RAR 5 with two members, one of them empty.
var smallRar = []byte("Rar!\x1a\x07\x01\x00\xc5\x1a32\x03\x01\x00\x00\x9dc\x03\xd5\x15\x02\x02\x18\x04\x18" +
	"\xa4\x83\x02l\xb5\xd7\x1c\x00\x01\x06logs/a{\"x\":1}\n{\"x\":1}\n{\"x\":1}\n" +
	"\xb6\xd8)\xcc\x13\x02\x00\x04\x00\xa4\x83\x02\x00\x00\x00\x00\x00\x01\x05empty\x19\xb2:5\x03\x05\x00\x00")

// smallDatabase is an SQLite file with tables, an index and a view.
func smallDatabase(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.db")
	c := must.Get(sqlite.Open(path, sqlite.Create))(t)
	must.Do(t, c.Exec(`PRAGMA page_size=512; CREATE TABLE a (id INTEGER PRIMARY KEY, body TEXT, b BLOB);
		CREATE TABLE w (k TEXT PRIMARY KEY, v) WITHOUT ROWID; CREATE INDEX i ON a (body);
		CREATE TABLE g (x, y AS (x || x)); INSERT INTO g VALUES ('a');
		CREATE VIEW v AS SELECT * FROM a; INSERT INTO w VALUES ('k', 1.5)`))
	for i := range int64(40) {
		must.Do(t, c.Run("INSERT INTO a (body, b) VALUES (?, ?)", fmt.Sprint(i, strings.Repeat("x", int(i)*9)),
			[]byte{0xff, byte(i)}))
	}
	must.Do(t, c.Close())
	return must.Get(os.ReadFile(path))(t)
}
