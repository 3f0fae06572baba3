package ingest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestReadAgainInAnotherWay: a reading replaces an earlier one of the same content, and leaves
// the deliveries of other sources. The case then has the content that the last readings alone
// give.
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
	must.That(t, err == nil && sum.Sources == files && sum.Events == files, "%+v, %v", sum, err)
	each := (after.TotalAlloc - before.TotalAlloc) / files
	t.Logf("%d KiB for each file", each>>10)
	if each > chunkBytes { // the race detector lets the pool lose some
		t.Errorf("%d bytes are allocated for each file, want less than the buffer of a chunk", each)
	}
}

// batchID is the id of a batch as SPEC 9.2 has it.
func batchID(log string, lines ...[]byte) string {
	h := sha256.New()
	h.Write([]byte("svc.audit-batch.v1\x00" + log + "\x00"))
	for _, l := range lines {
		sum := hashOf(l)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

func TestBatches(t *testing.T) {
	a, b := journal(berlin, 60, 1), journal(oslo, 60, 2)
	id := batchID(berlin, a[:10]...)
	for name, test := range map[string]struct {
		dump        []byte
		want        facts.Batch
		conflicting bool
	}{
		"once": {batched(id, a[:10]...),
			facts.Batch{Events: 10, Deliveries: 10, Stretches: 1, Genuine: 10}, false},
		"redelivered": {slices.Concat(batched(id, a[:10]...), batched(id, a[:10]...)),
			facts.Batch{Events: 10, Deliveries: 20, Redelivered: 10, Stretches: 1, Genuine: 10}, false},
		"in another order and in parts": {slices.Concat(batched(id, a[6:10]...), batched("x", b[0]), batched(id, a[0:6]...)),
			facts.Batch{Events: 10, Deliveries: 10, Stretches: 1, Genuine: 10}, false},
		"incomplete": {batched(id, a[:9]...),
			facts.Batch{Events: 9, Deliveries: 9, Stretches: 1}, false},
		"with a hole": {slices.Concat(batched(id, a[:4]...), batched(id, a[5:10]...)),
			facts.Batch{Events: 9, Deliveries: 9, Stretches: 2}, false},
		"another content as well": {slices.Concat(batched(id, a[:10]...), batched(id, a[20:25]...)),
			facts.Batch{Events: 15, Deliveries: 15, Stretches: 2, Genuine: 10}, true},
		"what follows as well": {batched(id, a[:14]...),
			facts.Batch{Events: 14, Deliveries: 14, Stretches: 1, Genuine: 10}, true},
		"all of the log": {slices.Concat(batched("x", b[0]), batched(batchID(berlin, a[40:50]...), a...)),
			facts.Batch{ID: batchID(berlin, a[40:50]...), Events: 60, Deliveries: 60, Stretches: 1, Genuine: 10}, true},
		"another log as well": {slices.Concat(batched(id, b[:5]...), batched(id, a[:10]...)),
			facts.Batch{Events: 15, Deliveries: 15, Stretches: 2, Genuine: 10}, true},
		"an altered copy": {slices.Concat(batched(id, a[:10]...), batched(id, tampered(a[3]))),
			facts.Batch{Events: 11, Deliveries: 11, Differing: 1, Stretches: 1, Genuine: 10}, true},
	} {
		path := newCase(t, Options{}, write(t, t.TempDir(), "dump", test.dump))
		for got, err := range openRead(t, path).Batches(t.Context()) {
			must.Do(t, err)
			if got.ID == "x" {
				continue
			}
			test.want.ID = cmp.Or(test.want.ID, id)
			test.want.TenantID, test.want.LogID, test.want.First, test.want.Last = got.TenantID, got.LogID, got.First, got.Last
			if got != test.want || got.Conflicting() != test.conflicting {
				t.Errorf("%s: %+v, conflicting %t", name, got, got.Conflicting())
			}
		}
	}
}
