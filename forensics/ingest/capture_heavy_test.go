//go:build heavy

package ingest

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestCaptureIsWhatIngestReads: requests captured one by one give the same case as an ingest
// of a file of them, down to every place.
func TestCaptureIsWhatIngestReads(t *testing.T) {
	var wire []byte
	path := filepath.Join(t.TempDir(), "case.db")
	w := must.Have(store.OpenWrite(path))
	c := must.Have(NewCapture(w, "receive:x"))
	for _, r := range manyRequests(t) {
		wire = slices.Concat(wire, r.wire, r.body)
		must.Have(c.Add(w, r))
	}
	must.Do(t, errors.Join(w.Commit(), w.Close()))
	sameDump(t, dump(t, path), dump(t, newCase(t, Options{}, write(t, t.TempDir(), "capture", wire))))
}
