package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/deploy"
)

// TestTrafficNeedsADeployment: the commands that drive a deployment say what is
// missing, and do nothing else.
func TestTrafficNeedsADeployment(t *testing.T) {
	there := filepath.Join(t.TempDir(), "deployment")
	if _, err := deploy.Prepare(there, deploy.Plan{TenantID: "acme-corp", Nodes: deploy.NodeIDs(1)}); err != nil {
		t.Fatal(err)
	}
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "deployment.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(t.TempDir(), "none")
	for _, c := range []struct{ dir, want string }{
		{none, "svc-harness up makes a deployment"}, {there, "svc-harness up runs the deployment"}, {broken, "deployment.json: at byte"},
	} {
		for _, arguments := range [][]string{{"issue"}, {"prove", "tx-1"}, {"revoke", "tx-1"}, {"pause"}, {"resume"}, {"rotate"}, {"break", "disable", "--node", "mesh-oslo-1"}} {
			var out, fault bytes.Buffer
			code := program().Run(append(arguments, "--dir", c.dir), strings.NewReader(""), &out, &fault)
			if code != 2 || out.Len() > 0 || !strings.Contains(fault.String(), c.want) {
				t.Errorf("%q: exit code %d\n%s%s", arguments, code, &out, &fault)
			}
		}
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a directory was made")
	}
}
