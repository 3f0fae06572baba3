package main

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/deployment"
)

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
