package chromium

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/console"
	"github.com/svc-edge/svc-verify/service/deployment"
)

// programs is the directory of the built programs.
var programs string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "svc-programs-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	programs = dir
	for module, program := range map[string]string{"../..": "./cmd/svc-harness", "../../..": "./cmd/svc-verify"} {
		build := exec.Command("go", "build", "-o", dir, program) // #nosec G204
		build.Dir, build.Stderr = module, os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "the programs could not be built:", err)
			return 1
		}
	}
	return m.Run()
}

// tab is the console of a running deployment, open in a browser.
type tab struct {
	*view
	running   *deployment.Running
	carrier   *carrier
	server    *httptest.Server
	console   *console.Console
	downloads string
	troubles  *troubles
}

// open brings a deployment to life and opens its console.
func open(t *testing.T) *tab {
	t.Helper()
	chromiumPath(t)
	d := must.Get(deployment.Prepare(filepath.Join(t.TempDir(), "deployment"),
		deployment.Plan{TenantID: "acme-corp", Nodes: deployment.NodeIDs(3)}))(t)
	running := must.Get(d.Run(filepath.Join(programs, "svc-harness")))(t)
	t.Cleanup(func() {
		check.Do(t, running.Stop())
	})
	must.Do(t, running.Ready(t.Context()))
	transport := must.Get(d.Transport("grace"))(t)
	x := &tab{running: running, carrier: &carrier{next: transport}, downloads: t.TempDir()}
	x.console = console.New(console.Config{Cloud: &url.URL{Scheme: "https", Host: d.At["cloud"]}, Transport: x.carrier})
	x.server = httptest.NewServer(x.console)
	t.Cleanup(x.server.Close)
	x.view = browse(t)
	x.troubles = watch(x.view)
	x.allowDownloads()
	x.navigate()
	return x
}

// navigate opens the page anew.
func (x *tab) navigate() {
	x.t.Helper()
	x.do(chromedp.Navigate(x.server.URL + x.console.Link()))
}

// text returns the text of an element.
func (x *tab) text(id string) string {
	x.t.Helper()
	return evaluate[string](x.view, fmt.Sprintf("document.getElementById(%q).textContent", id))
}

// waitText waits until an element has a text.
func (x *tab) waitText(id, want string) {
	x.t.Helper()
	x.eventually(func() error {
		if got := x.text(id); got != want {
			return fmt.Errorf("%s says %q, want %q", id, got, want)
		}
		return nil
	})
}

// eventually waits until a condition holds.
func (x *tab) eventually(holds func() error) {
	x.t.Helper()
	must.EventuallyOK(x.t, "what the page shows", func() error {
		must.Do(x.t, x.ctx.Err())
		return holds()
	})
}
