package casefile

import (
	"testing"

	"github.com/svc-edge/svc-verify/chain"
)

// TestNewestWalk: the newest walk counts, under whatever trust file.
func TestNewestWalk(t *testing.T) {
	w := newWriterAs(t, 1)
	defer w.Close()
	if _, ok, err := w.Kept().NewestWalk(t.Context()); ok || err != nil {
		t.Errorf("a walk in an empty case: %v", err)
	}
	for i, verdict := range []string{"verified", "rejected", "inconclusive"} {
		if _, err := w.KeepWalk(Walk{TrustSHA256: chain.Hash{byte(i % 2)}, Verdict: verdict, Result: []byte("{}")},
			nil); err != nil {
			t.Fatal(err)
		}
		if got, ok, err := w.Kept().NewestWalk(t.Context()); !ok || err != nil || got.Verdict != verdict ||
			got.TrustSHA256[0] != byte(i%2) {
			t.Errorf("%+v, %t, %v, want %s", got, ok, err, verdict)
		}
	}
}
