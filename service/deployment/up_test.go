package deployment_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/deployment"
)

// up is a running svc-harness up.
type up struct {
	command *exec.Cmd
	lines   *bufio.Scanner
	stdout  io.Closer
	said    string // until it was ready
	stderr  bytes.Buffer
}

// bringUp runs svc-harness up until it reports that it is ready.
func bringUp(t *testing.T, dir string, flags ...string) *up {
	t.Helper()
	u := &up{command: exec.Command(filepath.Join(programs, "svc-harness"),
		append([]string{"up", "--dir", dir, "--nodes", "1"}, flags...)...)}
	stdout, err := u.command.StdoutPipe()
	must.Do(t, err)
	u.command.Stderr, u.stdout = &u.stderr, stdout
	must.Do(t, u.command.Start())
	watchdog := time.AfterFunc(5*time.Minute, func() { _ = u.command.Process.Kill() })
	t.Cleanup(func() { watchdog.Stop() })
	u.lines = bufio.NewScanner(stdout)
	for u.lines.Scan() {
		u.said += u.lines.Text() + "\n"
		if strings.Contains(u.lines.Text(), "Ctrl-C") {
			return u
		}
	}
	err = u.command.Wait()
	t.Fatalf("it ended: %v\n%s", err, &u.stderr)
	return nil
}

// TestUp brings a deployment to life by the command, twice in the same
// directory, and ends it by an interrupt: nothing of it is left running. The
// secret store that it was made with is there again without being asked for.
func TestUp(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deployment")
	for _, flags := range [][]string{{"--secret-store"}, nil} {
		u := bringUp(t, dir, flags...)
		for _, text := range []string{"secret store ", "its workload ", "rotate --dir " + dir + " --adapter secret-store",
			"consumer.token"} {
			check.That(t, strings.Contains(u.said, text), "with %q it does not say %q:\n%s", flags, text, u.said)
		}
		second := exec.Command(filepath.Join(programs, "svc-harness"), "up", "--dir", dir)
		out, _ := second.CombinedOutput()
		code := second.ProcessState.ExitCode()
		check.That(t, code == 2 && bytes.Contains(out, []byte("does this deployment run already?")),
			"a second one: exit %d\n%s", code, out)
		must.Do(t, u.command.Process.Signal(os.Interrupt))
		err := u.command.Wait()
		check.That(t, err == nil, "interrupted: %v\n%s", err, &u.stderr)
		d := must.Get(deployment.Open(dir))(t)
		for _, address := range d.At {
			l, err := net.Listen("tcp", address)
			must.OK(t, err, "something is left")
			_ = l.Close()
		}
	}
}

// TestNoStore: a deployment that was made without a secret store stays as it is, and reports
// this whenever one is requested.
func TestNoStore(t *testing.T) {
	d := prepared(t)
	command := exec.Command(filepath.Join(programs, "svc-harness"), "up", "--dir", d.Dir, "--secret-store")
	out, _ := command.CombinedOutput()
	code := command.ProcessState.ExitCode()
	check.That(t, code == 2 &&
		bytes.Contains(out, []byte("has no secret store; choose another --dir")), "exit %d\n%s", code, out)
	check.That(t, len(d.Parts()) == 3 && len(d.At) == 4, "it has %q, at %q", d.Parts(), d.At)
	check.Fails(t, d.SetWorkloadMode("stuck"), "no secret store", "the mode of its workload")
	check.Fails(t, check.Err(d.RotateCertificate(t.Context(), automatic)), "no secret store",
		"a rotation in its secret store")
	config, err := os.ReadFile(filepath.Join(d.Node(d.Nodes[0]), "config.json"))
	check.That(t, err == nil && !bytes.Contains(config, []byte("secret_store")),
		"the node's configuration, %v:\n%s", err, config)
}

// prepared is a deployment of one node that does not run.
func prepared(t *testing.T) *deployment.Deployment {
	t.Helper()
	return prepare(t, deployment.Plan{TenantID: "acme-corp", Nodes: deployment.NodeIDs(1)})
}

// TestRunRefuses: a deployment does not run at all if its addresses are taken, or if one of
// its parts cannot run.
func TestRunRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*deployment.Deployment) error
		want  string
	}{
		"an address that is taken": {func(d *deployment.Deployment) error {
			l, err := net.Listen("tcp", d.At["console"])
			t.Cleanup(func() { _ = l.Close() })
			return err
		}, "not free: console at "},
		"a key that is damaged": {func(d *deployment.Deployment) error {
			return os.WriteFile(filepath.Join(d.Dir, "cloud", "server.key"), nil, 0o600)
		}, "cloud has ended: exit status 2; see "},
	} {
		t.Run(name, func(t *testing.T) {
			d := prepared(t)
			must.Do(t, c.spoil(d))
			check.Fails(t, check.Err(d.Run(filepath.Join(programs, "svc-harness"))), c.want, "a deployment that is spoiled")
			l, err := net.Listen("tcp", d.At["collector"])
			must.OK(t, err, "something is left")
			_ = l.Close()
		})
	}
}

// TestStopsAtOnce: a part that is terminated before it handles signals has ended well, and one
// that died otherwise has not.
func TestStopsAtOnce(t *testing.T) {
	r := must.Get(prepared(t).Run(filepath.Join(programs, "svc-harness")))(t)
	check.Do(t, r.Stop())
	p := must.Get(r.Start(r.Nodes[0]))(t)
	must.Do(t, p.Kill())
	var exit *exec.ExitError
	check.That(t, errors.As(p.Err(), &exit), "killed, and %v", p.Err())
}

// TestRefusesDirectories that hold no deployment, or cannot.
func TestRefusesDirectories(t *testing.T) {
	plan := deployment.Plan{TenantID: "acme-corp", Nodes: deployment.NodeIDs(1)}
	file := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(file, nil, 0o600))
	check.That(t, check.Err(deployment.Prepare(file, plan)) != nil, "a file is no directory")
	const begin = `{"tenant_id":"acme-corp","nodes":["mesh-oslo-1"],"secret_store":true,"addresses":{` +
		`"cloud":"127.0.0.1:1","console":"127.0.0.1:2","collector":"127.0.0.1:3","store":"127.0.0.1:5"`
	for _, content := range []string{"", "{}", begin + `,"mesh-oslo-1":"127.0.0.1:4"}}`,
		begin + `,"workload":"127.0.0.1:6"}}`} {
		dir := t.TempDir()
		must.Do(t, os.WriteFile(filepath.Join(dir, "deployment.json"), []byte(content), 0o600))
		check.Fails(t, check.Err(deployment.Prepare(dir, plan)), "deployment.json", "%q", content)
	}
	for _, tenant := range []string{"", "Acme", "acme corp", "-acme", "acme-", strings.Repeat("a", 64)} {
		dir := filepath.Join(t.TempDir(), "deployment")
		check.That(t, check.Err(deployment.Prepare(dir, deployment.Plan{TenantID: tenant, Nodes: plan.Nodes})) != nil,
			"%q is a tenant", tenant)
		check.That(t, check.Err(os.Stat(dir)) != nil, "%q: something was written", tenant)
	}
}
