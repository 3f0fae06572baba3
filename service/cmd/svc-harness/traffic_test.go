package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/deployment"
)

// TestTrafficNeedsADeployment: the commands that drive a deployment name the missing part, and
// do nothing else.
func TestTrafficNeedsADeployment(t *testing.T) {
	there := filepath.Join(t.TempDir(), "deployment")
	must.Get(deployment.Prepare(there,
		deployment.Plan{TenantID: "acme-corp", Nodes: deployment.NodeIDs(1)}))(t)
	broken := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(broken, "deployment.json"), []byte("{"), 0o600))
	none := filepath.Join(t.TempDir(), "none")
	for _, c := range []struct{ dir, want string }{
		{none, "svc-harness up makes a deployment"}, {there, "svc-harness up runs the deployment"},
		{broken, "deployment.json: at byte"},
	} {
		for _, arguments := range [][]string{{"issue"}, {"rotate"}, {"call", "/api/v1/overview"},
			{"call", "/api/v1/issuance/pause", "{}"}} {
			var out, fault bytes.Buffer
			code := harnessProgram().Run(append(arguments, "--dir", c.dir), strings.NewReader(""), &out, &fault)
			check.That(t, code == 2 && out.Len() == 0 && strings.Contains(fault.String(), c.want),
				"%q: exit code %d\n%s%s", arguments, code, &out, &fault)
		}
	}
	check.That(t, check.Err(os.Stat(none)) != nil, "a directory was made")
}

// TestSecretStoreCommands: only a deployment with a secret store has an adapter for it, and
// one node of it delivers. The body of a call is a document.
func TestSecretStoreCommands(t *testing.T) {
	with, without := filepath.Join(t.TempDir(), "with"), filepath.Join(t.TempDir(), "without")
	for dir, store := range map[string]bool{with: true, without: false} {
		plan := deployment.Plan{TenantID: "acme-corp", Nodes: deployment.NodeIDs(2), SecretStore: store}
		must.Get(deployment.Prepare(dir, plan))(t)
	}
	for _, c := range []struct {
		want string // on standard error
		args []string
	}{
		{"no secret store", []string{"rotate", "--adapter", "secret-store", "--dir", without}},
		{"mesh-berlin-1 has no secret store; mesh-oslo-1 has",
			[]string{"rotate", "--adapter", "secret-store", "--node", "mesh-berlin-1", "--dir", with}},
		{"BODY: expected a JSON object", []string{"call", "/api/v1/issuance/pause", "[]", "--dir", with}},
		{"choose another --dir", []string{"up", "--secret-store", "--dir", without}},
	} {
		code, stdout, stderr := run(c.args...)
		check.That(t, code == 2 && stdout == "" && strings.Contains(stderr, c.want),
			"%q: exit code %d, stdout %q, stderr %q", c.args, code, stdout, stderr)
	}
}
