package chromium

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/deployment"
)

const broken = "Audit chain could not be verified"

// TestConsole looks at a deployment through its console.
func TestConsole(t *testing.T) {
	x := open(t)
	for range 2 {
		x.issue()
	}
	x.chainLabels()
	x.flippedBytes()
	x.exports()
	x.looks()
	x.events()
	x.integrates()
	x.rotates()
	x.widths()
	x.tenantLabels()
	x.noTrouble()
	x.goesStale()
}

func (x *tab) issue() string {
	x.t.Helper()
	t := must.Get(x.running.Issue(x.t.Context(), deployment.Order{Profile: "payments-api", Lifetime: time.Hour}))(x.t)
	return seal.Text(t, "transaction_id")
}

// chainLabels wants each of the five labels from its cause.
func (x *tab) chainLabels() {
	x.t.Helper()
	x.waitText("chain", "Chain verified from genesis")
	x.eventually(func() error {
		if facts := x.text("witness"); !strings.Contains(facts, "/2 witnessed") || !strings.Contains(facts, "mesh-oslo-1") ||
			strings.Contains(facts, "Not anchored") {
			return fmt.Errorf("the banner says %q", facts)
		}
		return nil
	})
	x.unanchored()
	x.carrier.set(func(c *carrier) { c.narrow = 5 })
	x.waitText("chain", "Recent events verified")
	x.carrier.set(func(c *carrier) { c.narrow = 0 })

	hold := make(chan struct{})
	x.carrier.set(func(c *carrier) { c.hold = hold })
	x.navigate()
	x.waitText("chain", "Verifying audit chain…")
	x.carrier.set(func(c *carrier) { c.hold = nil })
	close(hold)
	x.waitText("chain", "Chain verified from genesis")

	x.alter(func(w *window) { w.Events, w.Head = nil, map[string]any{"sequence": 0, "hash": ""} })
	x.waitText("chain", "No audit events yet")
	x.alter(nil)
	x.waitText("chain", "Chain verified from genesis")
}

// unanchored looks at the banner of a log that has no checkpoint.
func (x *tab) unanchored() {
	x.t.Helper()
	x.alter(func(w *window) {
		delete(w.Rest, "checkpoint")
		w.Rest["witnesses"] = map[string]any{"received": 0, "required": 2, "node_ids": []string{}}
	})
	x.eventually(func() error {
		facts := x.text("witness")
		for _, want := range []string{"Not anchored", "0/2 witnessed", "Waiting for an eligible Mesh Node"} {
			if !strings.Contains(facts, want) {
				return fmt.Errorf("the banner says %q, want %q", facts, want)
			}
		}
		return nil
	})
	x.alter(nil)
}

func (x *tab) alter(f func(*window)) {
	x.carrier.set(func(c *carrier) { c.alter = f })
	x.do(chromedp.Click("#refresh"))
}

// flippedBytes flips one character at a time, in every place of an event.
func (x *tab) flippedBytes() {
	x.t.Helper()
	flip := func(text string) string {
		b := []byte(text)
		b[len(b)/2] ^= 1
		return string(b)
	}
	member := func(e map[string]any, name string) { e[name] = flip(e[name].(string)) }
	body := func(e map[string]any, name string) { member(e["body"].(map[string]any), name) }
	for name, f := range map[string]func(w *window){
		"hash":          func(w *window) { member(w.Events[6], "hash") },
		"previous_hash": func(w *window) { member(w.Events[6], "previous_hash") },
		"skip_hash":     func(w *window) { member(w.Events[6], "skip_hash") },
		"occurred_at":   func(w *window) { body(w.Events[6], "occurred_at") },
		"salt":          func(w *window) { body(w.Events[6], "salt") },
		"log_id":        func(w *window) { body(w.Events[6], "log_id") },
		"sequence":      func(w *window) { w.Events[6]["body"].(map[string]any)["sequence"] = json.Number("8") },
		"missing":       func(w *window) { w.Events = append(w.Events[:6], w.Events[7:]...) },
		"head":          func(w *window) { member(w.Head, "hash") },
		"cut":           func(w *window) { w.Events = w.Events[:len(w.Events)-1] },
	} {
		x.alter(f)
		x.waitText("chain", broken)
		if !x.truth(`document.querySelectorAll("#faults li").length > 0 && document.querySelectorAll("#events tr.broken").length > 0`) {
			x.t.Errorf("%s: the page does not show where", name)
		}
		if !x.truth(`getComputedStyle(document.getElementById("banner")).backgroundColor !== getComputedStyle(document.querySelector("section")).backgroundColor`) {
			x.t.Errorf("%s: the banner looks as ever", name)
		}
		x.alter(nil)
		x.waitText("chain", "Chain verified from genesis")
	}
}

// exports downloads the proof of the newest transaction and has it verified.
func (x *tab) exports() {
	x.t.Helper()
	transaction := x.issue()
	x.eventually(func() error {
		if !strings.Contains(x.text("events"), transaction) {
			return fmt.Errorf("the page does not show %s yet", transaction)
		}
		return nil
	})
	x.do(chromedp.Click("#export"))
	file := filepath.Join(x.downloads, "svc-evidence-"+transaction+".json")
	x.eventually(func() error {
		_, err := os.Stat(file)
		if err != nil {
			err = fmt.Errorf("%w; the page says %q", err, x.text("export-result"))
		}
		return err
	})
	x.waitText("export-result", "svc-evidence-"+transaction+".json was exported")
	out, err := exec.Command(filepath.Join(programs, "svc-verify"), "--evidence", file, "--trust",
		x.running.TrustFile()).CombinedOutput()
	check.That(x.t, err == nil && strings.Contains(string(out), `"verified": true`), "%v: %s", err, out)
}

// looks looks at the page at two widths and in two colour schemes.
func (x *tab) looks() {
	x.t.Helper()
	for _, width := range []int64{1280, 768, 390, 320} {
		x.do(chromedp.EmulateViewport(width, 800))
		check.That(x.t, x.truth(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`),
			"at %d pixels the page is wider than the window", width)
	}
	x.do(chromedp.EmulateViewport(1280, 900))
	ground := func(scheme string) string {
		x.scheme(scheme)
		colour := must.Get(chromedp.Run(x.ctx,
			chromedp.Evaluate[string](`getComputedStyle(document.body).backgroundColor`)))(x.t)
		return colour
	}
	if light, dark := ground("light"), ground("dark"); light == dark {
		x.t.Errorf("light and dark have the ground %s", light)
	}
	x.keyboard()
}

// keyboard reaches everything that can be used by the tab key alone.
func (x *tab) keyboard() {
	x.t.Helper()
	x.navigate()
	x.waitText("chain", "Chain verified from genesis")
	reached := map[string]bool{}
	for range 40 {
		x.do(chromedp.KeyEvent("\t"))
		id := must.Get(chromedp.Run(x.ctx,
			chromedp.Evaluate[string](
				`document.activeElement.id || document.activeElement.className || document.activeElement.tagName`)))(x.t)
		reached[id] = true
	}
	for _, id := range []string{"skip", "export", "refresh", "scroll", "filter", "reason", "switch-button", "SUMMARY"} {
		check.That(x.t, reached[id], "the tab key does not reach %s: %v", id, reached)
	}
}

// tenantLabels wants the tenant's labels from their causes.
func (x *tab) tenantLabels() {
	x.t.Helper()
	x.waitText("label", "trust path healthy")
	for _, label := range []string{"Degraded", "No Mesh Nodes connected"} { // whose causes are shown without a browser
		x.carrier.set(func(c *carrier) { c.label = label })
		x.waitText("label", label)
	}
	x.carrier.set(func(c *carrier) { c.label = "" })
	last := x.running.Nodes[2]
	must.Do(x.t, x.running.Process(last).End())
	x.waitText("label", "Degraded · 2/3 nodes healthy")
	must.Get(x.running.Start(last))(x.t)
	x.waitText("label", "trust path healthy")
	x.useSwitch("a drill", "Pause issuance")
	x.waitText("label", "issuance paused")
	x.useSwitch("it is over", "Request resume")
	x.waitText("switch-result", "another operator has to approve the request")
	check.Equal(x.t, x.text("label"), "issuance paused", "the console resumed issuance alone")
}

// useSwitch gives a reason and presses the button of the kill switch.
func (x *tab) useSwitch(reason, button string) {
	x.t.Helper()
	x.waitText("switch-button", button)
	x.do(chromedp.SetValue("#reason", reason), chromedp.Click("#switch-button"))
}

// noTrouble holds that the browser had nothing to complain about, and that the
// page asked no one but its own server.
func (x *tab) noTrouble() {
	x.t.Helper()
	x.troubles.mu.Lock()
	defer x.troubles.mu.Unlock()
	refused := 0 // an integration of another kind, and a rotation alongside another
	for _, message := range x.troubles.messages {
		if strings.Contains(message, "409 (Conflict)") {
			refused++
			continue
		}
		x.t.Errorf("the browser says: %s", message)
	}
	check.Equal(x.t, refused, 2, "orders were refused")
	for _, asked := range x.troubles.asked {
		check.That(x.t, strings.HasPrefix(asked, x.server.URL+"/") || strings.HasPrefix(asked, "blob:"+x.server.URL+"/"),
			"the page asked %s", asked)
	}
	check.That(x.t, len(x.troubles.asked) != 0, "no request was seen")
}
