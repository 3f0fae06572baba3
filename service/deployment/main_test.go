package deployment_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/deployment"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// programs is the directory of the built programs.
var programs string

// TestMain builds the programs that the tests run as processes.
func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "svc-programs-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	programs = dir
	flags := append([]string{"build", "-ldflags=-s -w", "-o", dir}, buildFlags...) // without symbols it links faster
	for _, module := range []string{"..", "../.."} {                               // each has programs
		build := exec.Command("go", append(slices.Clone(flags), "./cmd/...")...)
		build.Dir, build.Stderr = module, os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "the programs could not be built:", err)
			return 1
		}
	}
	return m.Run()
}

// world is a running deployment of a test.
type world struct {
	t *testing.T
	*deployment.Running
	clients sync.Map // of the cloud and of nodes, by name
}

// client returns a client of a node or of the cloud. It keeps its connection, as
// each test asks many times.
func (w *world) client(name string) (*httpd.Client, error) {
	if kept, ok := w.clients.Load(name); ok {
		return kept.(*httpd.Client), nil
	}
	made, err := w.CallCloud("operator", "ada")
	if name != "cloud" {
		made, err = w.CallNode(name, "soc")
	}
	if err != nil {
		return nil, err
	}
	kept, there := w.clients.LoadOrStore(name, made)
	if !there {
		w.t.Cleanup(made.Close)
	}
	return kept.(*httpd.Client), nil
}

// do makes a call to the cloud.
func (w *world) do(method, path string, body seal.Object) (seal.Object, error) {
	cloud, err := w.client("cloud")
	if err != nil {
		return nil, err
	}
	return cloud.Do(context.WithoutCancel(w.t.Context()), method, path, body)
}

// start brings a deployment to life. The output of its processes is shown if the test fails.
func start(t *testing.T, nodes int) *world {
	t.Helper()
	return resume(t, prepare(t, deployment.Plan{TenantID: "acme-corp", Nodes: deployment.NodeIDs(nodes)}))
}

// prepare makes a deployment that does not run.
func prepare(t *testing.T, plan deployment.Plan) *deployment.Deployment {
	t.Helper()
	return must.Get(deployment.Prepare(filepath.Join(t.TempDir(), "deployment"), plan))(t)
}

// configure changes the configuration of a deployment's first node.
func configure(t *testing.T, d *deployment.Deployment, change func(config seal.Object)) {
	t.Helper()
	file := filepath.Join(d.Node(d.Nodes[0]), "config.json")
	doc := must.Get(os.ReadFile(file))(t)
	config := must.Get(seal.Parse(doc))(t)
	change(config)
	must.Do(t, os.WriteFile(file, seal.Canonical(config), 0o600))
}

// resume starts the processes of a deployment that is there.
func resume(t *testing.T, d *deployment.Deployment) *world {
	t.Helper()
	r := must.Get(d.Run(filepath.Join(programs, "svc-harness")))(t)
	w := &world{t: t, Running: r}
	t.Cleanup(func() {
		check.Do(t, r.Stop())
		w.checkLogs()
	})
	must.Do(t, r.Ready(t.Context()))
	return w
}

// checkLogs shows the ends of the processes' logs after a failure, and holds
// that no log ever has a private key in it.
func (w *world) checkLogs() {
	logs, _ := filepath.Glob(filepath.Join(w.Dir, "logs", "*.log"))
	for _, name := range logs {
		b, err := os.ReadFile(name)
		check.Do(w.t, err)
		check.That(w.t, !bytes.Contains(b, []byte("PRIVATE KEY")) && !bytes.Contains(b, []byte("DATA RACE")) &&
			!bytes.Contains(b, []byte("panic:")), "%s holds what it must not", name)
		if w.t.Failed() {
			w.t.Logf("%s ends with:\n%s", name, b[max(0, len(b)-3000):])
		}
	}
}

// overview returns the console's overview.
func (w *world) overview() seal.Object {
	w.t.Helper()
	return must.Get(w.do(http.MethodGet, "/api/v1/overview", nil))(w.t)
}

// waitLabel waits for a label of the tenant.
func (w *world) waitLabel(want string) {
	w.t.Helper()
	must.EventuallyOK(w.t, "the label "+want, func() error {
		if got := seal.Text(w.overview(), "label"); got != want {
			return fmt.Errorf("it is %q", got)
		}
		return nil
	})
}

// health is the health report of a node.
func (w *world) health(id string) (seal.Object, error) {
	node, err := w.client(id)
	if err != nil {
		return nil, err
	}
	return node.Do(w.t.Context(), http.MethodGet, "/healthz", nil)
}

// issue has a certificate issued.
func (w *world) issue() string {
	w.t.Helper()
	t := must.Get(w.Issue(w.t.Context(), deployment.Order{Profile: "payments-api", Lifetime: time.Hour}))(w.t)
	must.Equal(w.t, seal.Text(t, "status"), "issued", "the transaction")
	return seal.Text(t, "transaction_id")
}

// prove exports the proof of a transaction to a file.
func (w *world) prove(transactionID string) string {
	w.t.Helper()
	bundle := must.Get(w.Evidence(w.t.Context(), transactionID, time.Minute))(w.t)
	file := filepath.Join(w.t.TempDir(), "svc-evidence-"+transactionID+".json")
	must.Do(w.t, os.WriteFile(file, seal.Canonical(bundle), 0o600))
	return file
}

// program runs a program and returns its standard output and exit code.
func (w *world) program(name string, args ...string) (string, int) {
	w.t.Helper()
	command := exec.Command(filepath.Join(programs, name), args...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	code := command.ProcessState.ExitCode()
	must.That(w.t, code >= 0, "%s %s: %v", name, strings.Join(args, " "), err)
	if code != 0 {
		w.t.Logf("%s %s: exit %d\n%s%s", name, strings.Join(args, " "), code, stdout.String(), stderr.String())
	}
	return stdout.String(), code
}

// verify runs svc-verify on a proof and wants a status.
func (w *world) verify(file, status string) {
	w.t.Helper()
	out, code := w.program("svc-verify", "--evidence", file, "--trust", w.TrustFile())
	result, err := seal.Parse([]byte(out))
	must.That(w.t, err == nil && code == 0 && result["verified"] == true && seal.Text(result, "status") == status,
		"exit %d, %v: %s", code, err, out)
}
