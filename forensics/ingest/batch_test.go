package ingest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/facts"
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
