//go:build heavy

package read_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// endless repeats some bytes until so many were read.
type endless struct {
	b    []byte
	left int
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 && e.at == 0 {
		return 0, io.EOF
	}
	n := copy(p, e.b[e.at:])
	e.at = (e.at + n) % len(e.b)
	e.left -= n
	return n, nil
}

// Memory does not grow with the file.
func TestMemoryStaysFlat(t *testing.T) {
	for _, name := range []string{"journal", "file-proto"} {
		dump := dumps.Named(name).Write(dumps.Bodies(64), dumps.Options{})
		var h counter
		must.Do(t, read.Read(context.Background(), &endless{b: dump, left: 32 << 20}, read.Options{}, &h))
		check.That(t, h.records >= 10_000 && h.skips == 0, "%s: %d records, %d skips", name, h.records, h.skips)
		check.That(t, h.peak <= 48<<20, "%s: %d bytes in use", name, h.peak)
	}
}

// TestManySmallParts: each part of a file needs much memory, and there are many. The file
// allocates in proportion to its size, or is given up.
func TestManySmallParts(t *testing.T) {
	allocated := func(part string, count int) float64 {
		var before, after runtime.MemStats
		file := []byte(strings.Repeat(part, count))
		runtime.ReadMemStats(&before)
		valueAt(t, file, read.Options{})
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	for name, part := range map[string]string{"lz4": lz4ed(""), "xz": xzed(""), "snappy": snapped(""),
		"gzip": must.Gzip(""), "zstd": zstded(""), "zlib": zlibbed("")} {
		const count, pools = 150, 16 << 20 // pools: the memory that a decoder keeps for the next part
		once, twice := allocated(part, count), allocated(part, 2*count)
		check.That(t, twice <= 2.5*once+pools,
			"%s: %.0f octets are allocated for %d parts, %.0f for %d", name, once, count, twice, 2*count)
	}
	bzip2 := packed(t, "bzip2")[:14] // the head of a stream and of a block, and nothing
	a := valueAt(t, []byte(strings.Repeat(bzip2, 10_000)), read.Options{})
	codes := a.Codes()
	check.That(t, slices.Contains(codes, finding.SourceLimit), "%d skips, no limit", len(codes))
}

// The decompressed size of all pieces is bounded as if one reader had read them.
func TestPiecesAreBounded(t *testing.T) {
	text := base64.StdEncoding.EncodeToString([]byte(must.Gzip(strings.Repeat("- ", 3<<20))))
	line := fmt.Sprintf("{\"message\":%q,\"data\":%q}\n", dumps.Bodies(1)[0], text)
	few := read.Options{Limits: read.Limits{Expansion: 1}}
	aside := samePieces(t, []byte(strings.Repeat(line, 14)), few, 2*len(line))
	check.That(t, aside != 0, "nothing was read in pieces")
}

// Rows that are far larger than their file end at the limit: empty values have names.
func TestSwollenRows(t *testing.T) {
	header := bytes.Repeat([]byte("n"), 120)
	table := bytes.Join([][]byte{header, append(header, 'x')}, []byte(","))
	table = append(table, "\n"...)
	table = append(table, bytes.Repeat([]byte("a,b\n"), 500_000)...)
	found := valueAt(t, table, read.Options{Limits: read.Limits{Expansion: 1}})
	last := found.Skips[len(found.Skips)-1]
	check.That(t, last.Code == finding.SourceLimit, "%d, %+v", len(found.Skips), last)
}
