package ingest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/must"
)

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
