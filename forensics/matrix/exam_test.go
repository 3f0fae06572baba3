package matrix

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// examineFiles ingests files and examines them.
func examineFiles(t *testing.T, files map[string]fleet.File, root *trust.Root) *verdict.Result {
	t.Helper()
	dir := t.TempDir()
	given := filepath.Join(dir, "evidence")
	must.Do(t, (&fleet.Evidence{Files: files}).Write(given))
	path := fleettest.Case(t, dir, []string{given})
	return must.Get(examine.Examine(t.Context(), path, root, examine.Options{}))(t)
}

// say is a finding without the words.
func say(f finding.Finding) string {
	return fmt.Sprintf("%s %s %s %d..%d", f.Severity, f.Code, f.LogID, f.Sequence, f.LastSequence)
}
