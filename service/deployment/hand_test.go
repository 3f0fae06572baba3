//go:build heavy

package deployment_test

import (
	"bytes"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/deployment"
)

// harness runs a command of svc-harness and returns its exit code and streams.
func harness(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	c := exec.Command(filepath.Join(programs, "svc-harness"), args...)
	c.Stdout, c.Stderr = &out, &errs
	_ = c.Run() // the exit code reports a failure
	return c.ProcessState.ExitCode(), out.String(), errs.String()
}

// TestIssueWaits: with too few nodes it gives up at its time limit. It asks for nothing if it
// cannot write the proof.
func TestIssueWaits(t *testing.T) {
	w := start(t, 2)
	count := func() int {
		newest := must.Get(w.do(http.MethodGet, "/api/v1/audit/events", nil))(t)
		return bytes.Count(seal.Canonical(newest), []byte("issuance.requested"))
	}
	before := count()
	if code, _, stderr := harness("issue", "--dir", w.Dir, "--proof",
		filepath.Join(w.Dir, "none", "proof.json")); code != 2 || !strings.Contains(stderr, "no such file or directory") ||
		count() != before {
		t.Errorf("exit %d, %d requests: %s", code, count()-before, stderr)
	}
	if code, _, stderr := harness("issue", "--dir", w.Dir, "--timeout", "60s"); code != 0 || stderr != "" ||
		count() != before+1 {
		t.Errorf("all are there: exit %d, %d requests: %s", code, count()-before, stderr)
	}
	must.Do(t, w.Process(w.Nodes[1]).Kill())
	w.waitLabel("Degraded · 1/2 nodes healthy")
	code, stdout, stderr := harness("issue", "--dir", w.Dir, "--timeout", "3s")
	check.That(t, code == 2 && strings.Contains(stdout, "pending") && strings.Contains(stderr, "gave up after 3 seconds"),
		"one is away: exit %d\n%s%s", code, stdout, stderr)
	must.Get(w.Start(w.Nodes[1]))(t)
	if code, _, stderr := harness("issue", "--dir", w.Dir, "--timeout", "60s"); code != 0 {
		t.Errorf("it is back: exit %d: %s", code, stderr)
	}
}

// TestUpEnds: when it is left by its terminal it ends, with all parts. The
// deployment then runs in another place, where no file names the first one but for
// the logs.
func TestUpEnds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "first")
	u := bringUp(t, dir, "--secret-store")
	must.Do(t, u.stdout.Close())
	must.Do(t, u.command.Process.Signal(syscall.SIGHUP))
	if err := u.command.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &u.stderr)
	}
	d := must.Get(deployment.Open(dir))(t)
	taken := d.Taken()
	check.That(t, len(taken) == 0, "left: %q", taken)
	must.Do(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || filepath.Dir(path) == filepath.Join(dir, "logs") {
			return err
		}
		if b, err := os.ReadFile(path); err != nil || bytes.Contains(b, []byte(dir)) {
			t.Errorf("%s names %s, %v", path, dir, err)
		}
		return nil
	}))
	moved := filepath.Join(filepath.Dir(dir), "second")
	must.Do(t, os.Rename(dir, moved))
	u = bringUp(t, moved)
	code, _, stderr := harness("issue", "--dir", moved)
	check.That(t, code == 0, "in the new place: exit %d: %s", code, stderr)
	byHand(t, u, moved)
}

// byHand kills a node of a deployment, starts it by hand and ends the rest.
func byHand(t *testing.T, u *up, dir string) {
	d := must.Get(deployment.Open(dir))(t)
	config := filepath.Join(dir, "nodes", d.Nodes[0], "config.json")
	out, err := exec.Command("pkill", "-KILL", "-f", "node run "+config).CombinedOutput()
	must.That(t, err == nil, "%v: %s", err, out)
	name := d.Nodes[0] + " at " + d.At[d.Nodes[0]]
	must.Eventually(t, "the node is gone", func() bool { return !acceptsAt(d.At[d.Nodes[0]]) })
	node := exec.Command(filepath.Join(programs, "svc-harness"), "node", "run", config)
	must.Do(t, node.Start())
	t.Cleanup(func() { _ = node.Process.Kill(); _ = node.Wait() })
	must.Eventually(t, "the node is back", func() bool { return acceptsAt(d.At[d.Nodes[0]]) })
	must.Do(t, u.command.Process.Signal(os.Interrupt))
	if err := u.command.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &u.stderr)
	}
	check.That(t, strings.Contains(u.stderr.String(), "started by hand, and still there: "+name),
		"it does not name %s:\n%s", name, &u.stderr)
	code, _, stderr := harness("up", "--dir", dir)
	check.That(t, code == 2 && strings.Contains(stderr, "not free: "+name+"; nothing was started"),
		"exit %d: %s", code, stderr)
}

// acceptsAt reports whether connections are accepted at an address.
func acceptsAt(address string) bool {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}
