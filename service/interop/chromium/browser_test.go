package chromium

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/svc-edge/svc-verify/internal/must"
)

// view is a page in Chromium.
type view struct {
	t   *testing.T
	ctx context.Context
}

// chromiumPath is the path of Chromium.
func chromiumPath(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		must.That(t, os.Getenv("CI") != "true", "chromium is not installed")
		t.Skip("chromium is not installed")
	}
	return path
}

// browse starts the browser. It reaches nothing but this machine.
func browse(t *testing.T) *view {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromiumPath(t)), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"))
	allocated, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocated)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 10*time.Minute)
	t.Cleanup(cancel)
	v := &view{t, ctx}
	v.do(chromedp.EmulateViewport(1280, 900))
	return v
}

func (v *view) do(actions ...chromedp.Action[chromedp.Void]) {
	v.t.Helper()
	must.Do(v.t, chromedp.Do(v.ctx, actions...))
}

// call makes a call of the browser's protocol.
func call[P, R any](v *view, command cdp.Command[P, R], params P) R {
	v.t.Helper()
	return must.Get(chromedp.Call(v.ctx, command, params))(v.t)
}

// evaluate returns the value of an expression.
func evaluate[T any](v *view, expression string) T {
	v.t.Helper()
	value, err := chromedp.Run(v.ctx, chromedp.Evaluate[T](expression))
	must.OK(v.t, err, "%s", expression)
	return value
}

// truth evaluates an expression that is true or false.
func (v *view) truth(expression string) bool {
	v.t.Helper()
	return evaluate[bool](v, expression)
}

// scheme has the system be light or dark.
func (v *view) scheme(name string) { v.media("", name) }

// media has the page be for a medium, and the system be light or dark.
func (v *view) media(medium, scheme string) {
	v.t.Helper()
	feature := &emulation.MediaFeature{Name: "prefers-color-scheme", Value: scheme}
	call(v, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Media: medium, Features: []*emulation.MediaFeature{feature}})
}

// photograph keeps a picture if SVC_PHOTOGRAPHS is set.
func (v *view) photograph(name string, picture chromedp.Action[[]byte]) {
	v.t.Helper()
	if os.Getenv("SVC_PHOTOGRAPHS") == "" {
		return
	}
	png := must.Get(chromedp.Run(v.ctx, picture))(v.t)
	v.keep(name, png)
}

// keep keeps a file if SVC_PHOTOGRAPHS is set.
func (v *view) keep(name string, content []byte) {
	v.t.Helper()
	directory := os.Getenv("SVC_PHOTOGRAPHS")
	if directory == "" {
		return
	}
	must.Do(v.t, os.WriteFile(filepath.Join(directory, name), content, 0o600))
}
