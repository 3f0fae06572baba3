package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/deployment"
)

// TestOutputsFirst: node init makes no key while a file that it writes besides cannot be
// written.
func TestOutputsFirst(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "config.json")
	must.Do(t, os.WriteFile(config, []byte(`{"tenant_id":"acme","node_id":"mesh-oslo-1","state_directory":"state"}`),
		0o600))
	blocked := filepath.Join(dir, "state", publicFile)
	must.Do(t, os.MkdirAll(blocked, 0o700))
	initialise := func() (int, bool) {
		code, _, _ := run("node", "init", "--config", config)
		_, err := os.Stat(filepath.Join(dir, "state", "identity.key"))
		return code, err == nil
	}
	code, made := initialise()
	check.That(t, code == 2 && !made, "exit %d, a key was made: %t", code, made)
	must.Do(t, os.Remove(blocked))
	must.Do(t, os.Chmod(filepath.Join(dir, "state"), 0o700))
	code, made = initialise()
	check.That(t, code == 0 && made, "exit %d, a key was made: %t", code, made)
}

// TestPartRefuses: only the parts of a deployment run, and a node is none of them.
func TestPartRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	plan := deployment.Plan{TenantID: "acme-corp", Nodes: deployment.NodeIDs(2)}
	must.Get(deployment.Prepare("made", plan))(t)
	for _, c := range []struct{ want, dir, part string }{
		{"svc-harness up makes", "none", "cloud"},
		{"its parts are collector, cloud", "made", "store"},
		{"its parts are collector, cloud", "made", plan.Nodes[0]},
	} {
		code, stdout, stderr := run("part", "--dir", c.dir, c.part)
		check.That(t, code == 2 && stdout == "" && strings.Contains(stderr, c.want),
			"%+v: exit code %d, stdout %q, stderr %q", c, code, stdout, stderr)
	}
}
