package ingest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/must"
)

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
		for got, err := range openRead(t, path).Arrivals().Batches(t.Context()) {
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

// TestRunsAreKnown: a batch that comes again is known as a whole, wherever it
// stands, and one that differs in anything is not.
func TestRunsAreKnown(t *testing.T) {
	a := journal(berlin, 60, 1)
	id := batchID(berlin, a[:10]...)
	dir := t.TempDir()
	first := write(t, dir, "first", batched(id, a[:10]...))
	for name, test := range map[string]struct {
		dump []byte
		want bool
	}{
		"again":         {slices.Concat(batched("y", a[30]), batched(id, a[:10]...)), true},
		"another id":    {batched("z", a[:10]...), true},
		"one less":      {batched(id, a[:9]...), false},
		"one altered":   {batched(id, append(slices.Clone(a[:9]), tampered(a[9]))...), false},
		"another order": {batched(id, append(slices.Clone(a[1:10]), a[0])...), false},
	} {
		w := must.Get(casefile.OpenWrite(filepath.Join(t.TempDir(), "case.db")))(t)
		must.Get(Paths(t.Context(), w, []string{first}, Options{}, nil))(t)
		known := false
		c := newCollector(newCounted(bytes.NewReader(nil)), func(raw *rawChunk) error {
			for _, r := range scan(raw, w.KnownRun).Runs {
				known = known || r.Known
			}
			return nil
		})
		c.records = 1000
		must.Do(t, errors.Join(read.Read(t.Context(), bytes.NewReader(test.dump), read.Options{}, c), c.end(),
			w.Close()))
		if known != test.want {
			t.Errorf("%s: known %t, want %t", name, known, test.want)
		}
	}
}
