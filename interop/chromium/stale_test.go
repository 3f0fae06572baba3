package chromium

import (
	"fmt"
	"strings"
	"syscall"

	"github.com/chromedp/chromedp"
)

// goesStale stops the cloud, as SIGSTOP does, and then kills it: the page must
// not look as if what it shows were the state of now, and must say of when it is.
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
	if err := cloud.Kill(); err != nil {
		x.t.Fatal(err)
	}
	x.stale("the cloud does not answer")
	if _, err := x.running.Start("cloud"); err != nil {
		x.t.Fatal(err)
	}
	x.current()
	x.repeats()
	x.server.CloseClientConnections()
	x.server.Listener.Close()
	x.stale("the console's server does not answer")
}

func (x *tab) signal(id int, s syscall.Signal) {
	x.t.Helper()
	if err := syscall.Kill(id, s); err != nil {
		x.t.Fatal(err)
	}
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

// current waits until the page shows the state of now.
func (x *tab) current() {
	x.t.Helper()
	x.eventually(func() error {
		label, title, chain, age := x.text("label"), x.title(), x.text("chain"), x.text("as-of")
		if label != "issuance paused" || !strings.HasPrefix(title, label+" ·") || chain != "Chain verified from genesis" ||
			!strings.HasPrefix(age, "as of ") || strings.Contains(age, "then:") || x.truth(`!document.getElementById("trouble").hidden`) {
			return fmt.Errorf("label %q, title %q, banner %q, %q", label, title, chain, age)
		}
		return nil
	})
	if !x.truth(`getComputedStyle(document.getElementById("label")).outlineStyle === "none"`) {
		x.t.Error("the label looks as if it were old")
	}
}

// stale waits until label, title and banner say that what is shown is old, of
// when it is, and why.
func (x *tab) stale(why string) {
	x.t.Helper()
	x.eventually(func() error {
		label, title, chain, age, trouble := x.text("label"), x.title(), x.text("chain"), x.text("as-of"), x.text("trouble")
		if label != "No current data" || title != "No current data · acme-corp" || chain != "No current data" ||
			!strings.Contains(age, " s ago · then: issuance paused") || !strings.Contains(x.text("chain-detail"), " s ago: Chain verified from genesis") ||
			!strings.Contains(trouble, "could not be brought up to date: ") || !strings.Contains(trouble, why) {
			return fmt.Errorf("label %q, title %q, banner %q, %q, %q", label, title, chain, age, trouble)
		}
		return nil
	})
	if !x.truth(`[...document.querySelectorAll('[data-state="good"]')].every((e) => getComputedStyle(e).color !== getComputedStyle(document.documentElement).getPropertyValue("--good"))
		&& document.getElementById("label").dataset.state === "stale" && document.getElementById("banner").dataset.state === "stale"`) {
		x.t.Error("something is green")
	}
}

// title is that of the page.
func (x *tab) title() string {
	x.t.Helper()
	title, err := chromedp.Run(x.ctx, chromedp.Evaluate[string]("document.title"))
	if err != nil {
		x.t.Fatal(err)
	}
	return title
}
