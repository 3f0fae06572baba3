//go:build unix

package ingest

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/must"
)

// processTime is the CPU time that this process has used.
func processTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	must.Do(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measured runs a stage and reports its CPU time, over all threads, for each
// event.
func measured(b *testing.B, name string, events int, stage func(b *testing.B)) {
	b.Run(name, func(b *testing.B) {
		start := processTime(b)
		for b.Loop() {
			stage(b)
		}
		b.ReportMetric(float64((processTime(b)-start).Nanoseconds())/float64(b.N*events), "cpu-ns/event")
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "wall-ns/event")
	})
}

// BenchmarkIngest measures the stages of an ingest one by one and all together, and the cost
// of reading the case again.
func BenchmarkIngest(b *testing.B) {
	const events = 100_000
	lines := journal(berlin, events, 1)
	dir := b.TempDir()
	plain := write(b, dir, "journal", file(lines))
	var dump []byte
	for i := 0; i < events; i += 200 {
		dump = append(dump, batched(batchID(berlin, lines[i:i+200]...), lines[i:i+200]...)...)
	}
	first := write(b, dir, "first", dump)
	again := write(b, dir, "again", append(dump, '\n'))
	measured(b, "hash-source", events, func(b *testing.B) { sha256.Sum256(dump) })
	var l event.Line
	measured(b, "scan", events, func(b *testing.B) {
		for _, line := range lines {
			event.Scan(line, &l)
		}
	})
	measured(b, "read-and-scan", events, func(b *testing.B) { readAndScan(b, plain) })
	path := filepath.Join(dir, "case.db")
	whole := func(paths ...string) func(*testing.B) {
		return func(b *testing.B) {
			os.Remove(path)
			fill(b, path, Options{}, paths...)
		}
	}
	measured(b, "whole-batched", events, whole(first))
	measured(b, "whole-batched-twice", 2*events, whole(first, again))
	measured(b, "whole", events, whole(plain))
	info := must.Get(os.Stat(path))(b)
	b.Logf("the case has %d bytes an event, the journal %d", info.Size()/events, len(file(lines))/events)
	for name, wrap := range wrappings {
		var wrapped []byte
		for _, line := range lines {
			wrapped = append(append(wrapped, wrap(line)...), '\n')
		}
		source := write(b, dir, "wrapped", wrapped)
		measured(b, "read-and-scan-"+name, events, func(b *testing.B) { readAndScan(b, source) })
		measured(b, "whole-"+name, events, whole(source))
	}
	whole(plain)(b)
	c := openRead(b, path)
	measured(b, "index-again", events, func(b *testing.B) {
		for _, err := range c.Events(b.Context(), must.Have(c.Logs(b.Context()))[0], 0, events) {
			must.Do(b, err)
		}
	})
}

// wrappings are ways in which lines stand within other text.
var wrappings = map[string]func(line []byte) string{
	"escaped": func(line []byte) string { return prefix + strconv.Quote(string(line)) },
	"escaped-twice": func(line []byte) string {
		return prefix + strconv.Quote(strconv.Quote(string(line)))
	},
	"base64": func(line []byte) string { return prefix + base64.StdEncoding.EncodeToString(line) },
}

const prefix = "Mar  2 09:00:00 berlin edge[812]: "

// readAndScan is an ingest without the case.
func readAndScan(b *testing.B, path string) {
	f := must.Get(os.Open(path))(b)
	defer f.Close()
	source := newCounted(f)
	c := newCollector(source, func(raw *rawChunk) error {
		scanChunk(raw)
		raw.releaseMemory()
		return nil
	})
	must.Do(b, errors.Join(read.Read(b.Context(), source, read.Options{}, c), c.endChunk()))
}
