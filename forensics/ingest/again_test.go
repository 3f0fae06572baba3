package ingest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestReadAgainInAnotherWay: a reading takes the place of an earlier one of the
// same content, and leaves what other sources delivered. What the case holds is
// then what the last readings alone give.
func TestReadAgainInAnotherWay(t *testing.T) {
	dir, paths, want := folderOfSources(t)
	other := Options{Read: read.Options{BatchAttributes: []string{"not-there"}}}
	wrong := Options{Read: read.Options{Format: read.Kafka}}
	for i, first := range append(paths, dir) {
		if first != dir && i%chance.Sized(2, 13) != 0 {
			continue
		}
		for name, o := range map[string]Options{"another attribute": other, "another format": wrong} {
			if name == "another format" && first != dir {
				continue
			}
			path := newCase(t, o, dir)
			fill(t, path, Options{}, first) // some
			if name == "another attribute" {
				sameDump(t, dump(t, path), want)
			}
			fill(t, path, Options{}, dir) // all
			sameDump(t, dump(t, path), want)
		}
	}
}

// TestManySmallFiles: a file of one event is read with buffers that the file
// before it has left, and not with new ones of the size that a large file wants.
func TestManySmallFiles(t *testing.T) {
	const files = 150
	dir := t.TempDir()
	for i, line := range bytes.SplitAfter(file(journal("node/n", files, 1)), []byte("\n"))[:files] {
		must.Do(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d.ndjson", i)), line, 0o600))
	}
	w := must.Get(store.OpenWrite(filepath.Join(t.TempDir(), "case.db")))(t)
	defer w.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	sum, err := Paths(t.Context(), w, []string{dir}, Options{}, nil)
	runtime.ReadMemStats(&after)
	if err != nil || sum.Sources != files || sum.Events != files {
		t.Fatalf("%+v, %v", sum, err)
	}
	each := (after.TotalAlloc - before.TotalAlloc) / files
	t.Logf("%d KiB for each file", each>>10)
	if each > chunkBytes { // the race detector lets the pool lose some
		t.Errorf("%d bytes are allocated for each file, want less than the buffer of a chunk", each)
	}
}
