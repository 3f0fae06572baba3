package share_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// Other evidence than was planned is refused: longer, or of the same size.
func TestOtherThanPlanned(t *testing.T) {
	dir, root := written(t)
	path := filepath.Join(dir, fleet.Journal("mesh-oslo-1"))
	doc := must.Get(os.ReadFile(path))(t)
	p := must.Get(plan.Make(t.Context(), []string{path},
		plan.Options{Shares: 2, Ingest: ingest.Options{Read: read.Options{}}}, nil))(t)
	altered := bytes.Clone(doc)
	altered[len(altered)-10] ^= 1
	for _, now := range [][]byte{append(bytes.Clone(doc), doc...), altered} {
		must.Do(t, os.WriteFile(path, now, 0o600))
		refused := false
		for i := range 2 {
			s, err := share.ReadPlanned(t.Context(), share.Planned{Plan: p, Index: i}, root, share.Options{})
			var other *ingest.Other
			if errors.As(err, &other) {
				refused = true
			} else if err != nil {
				t.Error(err)
			} else if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		check.That(t, refused, "other evidence was read")
	}
	if _, err := share.ReadPlanned(t.Context(), share.Planned{Plan: p, Index: 2}, root, share.Options{}); err == nil {
		t.Error("a share was read that is not in the plan")
	}
}
