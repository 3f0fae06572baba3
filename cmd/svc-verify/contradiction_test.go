package main

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/harness/pairs"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// writePairs writes the contradiction file of each pair of package pairs, and its bundles and
// its trust file beside it. That of a near miss says split view.
func writePairs(t *testing.T, dir string) {
	all := must.Get(pairs.All())(t)
	must.Do(t, os.MkdirAll(dir, 0o755))
	for _, p := range all {
		doc := must.Get(contradiction.Marshal(finding.Code(cmp.Or(p.Code, "anchor.split-view")), p.A, p.B))(t)
		for name, doc := range map[string][]byte{p.Name + ".json": doc, p.Name + ".trust.json": seal.Canonical(p.Trust),
			p.Name + ".a.json": p.A, p.Name + ".b.json": p.B} {
			must.Do(t, os.WriteFile(filepath.Join(dir, name), doc, 0o644))
		}
	}
}
