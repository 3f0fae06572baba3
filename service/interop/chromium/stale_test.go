package chromium

import (
	"fmt"
	"strings"
	"syscall"

	"github.com/chromedp/chromedp"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// goesStale stops the cloud, as SIGSTOP does, and then kills it: the page must not present its
// data as the state of now, and must show the time of the data.
func (x *tab) goesStale() {
	x.t.Helper()
	x.navigate()
	x.current()
	cloud := x.running.Process("cloud")
	x.signal(cloud.ID(), syscall.SIGSTOP)
	x.stale("no answer came in time")
	x.photograph("stale.png", chromedp.CaptureScreenshot())
	x.signal(cloud.ID(), syscall.SIGCONT)
	x.current()
	must.Do(x.t, cloud.Kill())
	x.stale("unavailable: the cloud does not answer")
	must.Get(x.running.Start("cloud"))(x.t)
	x.current()
	x.repeats()
	x.slow()
	x.server.CloseClientConnections()
	x.server.Listener.Close()
	x.stale("the console's server does not answer")
}

func (x *tab) signal(id int, s syscall.Signal) {
	x.t.Helper()
	must.Do(x.t, syscall.Kill(id, s))
}

// repeats has the console be given the same state again and again: that is no
// news, however often it comes.
func (x *tab) repeats() {
	x.t.Helper()
	x.carrier.set(func(c *carrier) { c.asOf = "2026-03-02T09:00:00.000Z" })
	x.eventually(func() error {
		if label := x.text("label"); label != "No current data" {
			return fmt.Errorf("the label is %q", label)
		}
		return nil
	})
	x.carrier.set(func(c *carrier) { c.asOf = "" })
	x.current()
}

// slow has the state take longer than the page waits: it is not current, however often the
// page requests it, and is current again when it comes in time.
func (x *tab) slow() {
	x.t.Helper()
	hold := make(chan struct{})
	x.carrier.set(func(c *carrier) { c.hold = hold })
	x.stale("no answer came in time")
	x.carrier.set(func(c *carrier) { c.hold = nil })
	close(hold)
	x.current()
}

// current waits until the page shows the state of now.
func (x *tab) current() {
	x.t.Helper()
	x.eventually(func() error {
		label, title, chain, age := x.text("label"), x.title(), x.text("chain"), x.text("as-of")
		good := label == "issuance paused" && strings.HasPrefix(title, label+" ·") && chain == "Chain verified from genesis"
		if !good || !strings.HasPrefix(age, "as of ") || strings.Contains(age, "then:") ||
			x.truth(`!document.getElementById("trouble").hidden`) {
			return fmt.Errorf("label %q, title %q, banner %q, %q", label, title, chain, age)
		}
		return nil
	})
	check.That(x.t, x.truth(`getComputedStyle(document.getElementById("label")).outlineStyle === "none"`),
		"the label looks as if it were old")
}

// stale waits until label, title and banner report that the data is old, its time, and the
// reason.
func (x *tab) stale(why string) {
	x.t.Helper()
	x.eventually(func() error {
		const none = "No current data"
		label, title, chain := x.text("label"), x.title(), x.text("chain")
		if label != none || title != none+" · acme-corp" || chain != none {
			return fmt.Errorf("label %q, title %q, banner %q", label, title, chain)
		}
		for id, want := range map[string]string{
			"as-of": " s ago · then: issuance paused", "chain-detail": " s ago: Chain verified from genesis",
			"trouble": "could not be brought up to date: " + why,
		} {
			if got := x.text(id); !strings.Contains(got, want) {
				return fmt.Errorf("%s says %q, want %q", id, got, want)
			}
		}
		return nil
	})
	if !x.truth(`{
		const probe = document.createElement("span");
		probe.style.color = "var(--good)";
		document.body.append(probe);
		const green = getComputedStyle(probe).color;
		probe.remove();
		["label", "banner"].every((id) => document.getElementById(id).dataset.state === "stale")
			&& [...document.querySelectorAll('[data-state="good"]')].every((e) => getComputedStyle(e).color !== green)
	}`) {
		x.t.Error("something is green")
	}
}

// title returns the title of the page.
func (x *tab) title() string {
	x.t.Helper()
	return must.Get(chromedp.Run(x.ctx, chromedp.Evaluate[string]("document.title")))(x.t)
}
