package chromium

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/svc-edge/svc-verify/harness/console"
	"github.com/svc-edge/svc-verify/harness/deploy"
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
	build := exec.Command("go", "build", "-o", dir, "./cmd/svc-harness", "./cmd/svc-verify")
	build.Dir, build.Stderr = "../..", os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "the programs could not be built:", err)
		return 1
	}
	return m.Run()
}

// chromiumPath is the path of Chromium.
func chromiumPath(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("chromium is not installed")
		}
		t.Skip("chromium is not installed")
	}
	return path
}

// tab is the console of a running deployment, open in a browser.
type tab struct {
	t         *testing.T
	ctx       context.Context
	running   *deploy.Running
	carrier   *carrier
	server    *httptest.Server
	console   *console.Console
	downloads string
	troubles  *troubles
}

// open brings a deployment to life and opens its console.
func open(t *testing.T) *tab {
	t.Helper()
	path := chromiumPath(t)
	d, err := deploy.Prepare(filepath.Join(t.TempDir(), "deployment"), deploy.Plan{TenantID: "acme-corp", Nodes: deploy.NodeIDs(3)})
	if err != nil {
		t.Fatal(err)
	}
	running, err := d.Run(filepath.Join(programs, "svc-harness"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := running.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := running.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	transport, err := d.Transport("grace")
	if err != nil {
		t.Fatal(err)
	}
	x := &tab{t: t, running: running, carrier: &carrier{next: transport}, downloads: t.TempDir()}
	x.console = console.New(console.Config{Cloud: &url.URL{Scheme: "https", Host: d.Cloud}, Transport: x.carrier})
	x.server = httptest.NewServer(x.console)
	t.Cleanup(x.server.Close)
	x.start(path)
	return x
}

// start starts the browser, and opens the page by its link.
func (x *tab) start(path string) {
	x.t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(x.t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"))
	allocated, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	x.t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocated)
	x.t.Cleanup(cancel)
	x.ctx, cancel = context.WithTimeout(ctx, 10*time.Minute)
	x.t.Cleanup(cancel)
	x.do(chromedp.EmulateViewport(1280, 900))
	x.troubles = watch(x)
	x.allowDownloads()
	x.navigate()
}

// navigate opens the page anew.
func (x *tab) navigate() {
	x.t.Helper()
	x.do(chromedp.Navigate(x.server.URL + x.console.Link()))
}

func (x *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	x.t.Helper()
	if err := chromedp.Do(x.ctx, actions...); err != nil {
		x.t.Fatal(err)
	}
}

// text is what an element says.
func (x *tab) text(id string) string {
	x.t.Helper()
	text, err := chromedp.Run(x.ctx, chromedp.Evaluate[string](fmt.Sprintf("document.getElementById(%q).textContent", id)))
	if err != nil {
		x.t.Fatal(err)
	}
	return text
}

// truth evaluates an expression that is true or false.
func (x *tab) truth(expression string) bool {
	x.t.Helper()
	holds, err := chromedp.Run(x.ctx, chromedp.Evaluate[bool](expression))
	if err != nil {
		x.t.Fatalf("%s: %v", expression, err)
	}
	return holds
}

// waitText waits until an element says something.
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
	deadline := time.Now().Add(2 * time.Minute)
	for {
		err := holds()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			x.t.Fatal(err)
		}
		select {
		case <-x.ctx.Done():
			x.t.Fatal(errors.Join(err, x.ctx.Err()))
		case <-time.After(100 * time.Millisecond):
		}
	}
}
