package chromium

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// explored is a report that is open as a file.
type explored struct {
	*view
	address  string
	troubles *troubles
}

// explore writes the page of a report and opens it.
func explore(t *testing.T, v *view, r *report.Report) *explored {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	file := must.Get(os.Create(path))(t)
	must.Do(t, report.HTML(file, r))
	must.Do(t, file.Close())
	x := &explored{view: v, address: (&url.URL{Scheme: "file", Path: path}).String()}
	x.troubles = watch(v)
	v.do(chromedp.Navigate(x.address))
	return x
}

// at opens a place of the page.
func (x *explored) at(place string) {
	x.t.Helper()
	x.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("{ location.hash = %q }", place)))
	x.waitFor("the place", "location.hash === "+fmt.Sprintf("%q", "#"+place)+
		" && document.querySelector('.explorer').childElementCount > 0")
}

func (x *explored) waitFor(what, condition string) {
	x.t.Helper()
	must.EventuallyOK(x.t, what, func() error {
		if !x.truth(condition) {
			return fmt.Errorf("not %s, at %s", condition, evaluate[string](x.view, "location.hash"))
		}
		return nil
	})
}

// press presses keys one after the other. As from a keyboard, a key that the page has handled types nothing.
func (x *explored) press(keys ...string) {
	x.t.Helper()
	for _, key := range strings.Join(keys, "") {
		all := kb.Encode(key)
		down, up := *all[0], *all[len(all)-1]
		if len(all) > 2 {
			down.Type, down.Text = kb.KeyDown, all[1].Text
		}
		call(x.view, input.DispatchKeyEvent, down)
		call(x.view, input.DispatchKeyEvent, up)
	}
}

// heading waits for a heading of the explorer.
func (x *explored) heading(want string) {
	x.t.Helper()
	x.waitFor(want, fmt.Sprintf("document.querySelector('.explorer h2')?.textContent === %q", want))
}

// lines are the lines of the list, each in one line.
func (x *explored) lines() []string {
	x.t.Helper()
	return evaluate[[]string](x.view, "[...document.querySelectorAll('.explorer .line')].map((a) => "+
		"[...a.children].map((e) => e.textContent.trim()).join(' | '))")
}

// quiet wants that the page asked for nothing but itself, and that the browser refused it nothing.
func (x *explored) quiet() {
	x.t.Helper()
	x.troubles.mu.Lock()
	defer x.troubles.mu.Unlock()
	check.That(x.t, len(x.troubles.messages) == 0, "the browser says %q", x.troubles.messages)
	for _, asked := range x.troubles.asked {
		check.That(x.t, strings.HasPrefix(asked, x.address), "the page asked for %s", asked)
	}
	check.That(x.t, len(x.troubles.asked) > 0, "no request was seen")
}

// TestExplorer drives the explorer of a report with the keyboard, from a file.
func TestExplorer(t *testing.T) {
	x := explore(t, browse(t), exploredReport(t))
	const report = "document.querySelector('h1').checkVisibility() && " +
		"document.querySelector('.explorer').childElementCount === 0"
	must.That(t, x.truth(report), "the page does not begin with the report")

	x.press("/", "chain.gap")
	x.heading("Findings and events")
	lines := x.lines()
	check.That(t, len(lines) >= 1 && strings.Contains(lines[len(lines)-1], "chain.gap"), "found %q", lines)
	check.That(t, !x.truth("document.querySelector('h1').checkVisibility()"), "both the report and the explorer are shown")
	x.press(kb.Enter, "j", "k")
	for range len(lines) - 1 {
		x.press("j")
	}
	x.press(kb.Enter)
	x.heading("high chain.gap")
	check.Equal(t, len(x.lines()), 7, "around the gap: %q", x.lines())

	// From the finding to a neighbour, and on to its neighbours.
	x.press(kb.Tab)
	x.do(chromedp.Evaluate[chromedp.Void]("{ document.querySelector('.explorer .line').focus() }"))
	x.press("j", "j", kb.Enter)
	x.heading("Event 9 of node/mesh-berlin-1")
	copies := evaluate[[]string](x.view, "[...document.querySelectorAll('.copy')].map((e) => e.textContent)")
	must.That(t, len(copies) == 1, "%d copies", len(copies))
	for _, want := range []string{"berlin.ndjson", "Hashholds", "Nextthat event is not here, event 10", "transaction_id"} {
		check.That(t, strings.Contains(copies[0], want), "no %q in %s", want, copies[0])
	}
	x.press(kb.ArrowRight)
	x.heading("Event 13 of node/mesh-berlin-1")
	x.press(kb.ArrowLeft, kb.ArrowLeft)
	x.heading("Event 8 of node/mesh-berlin-1")

	// Back to the list, where the search still is, and to the report.
	x.press(kb.Escape)
	x.heading("Findings and events")
	search := evaluate[string](x.view, "document.querySelector('.explorer-bar input').value")
	check.Equal(t, search, "chain.gap", "the search")
	x.press(kb.Escape)
	x.waitFor("the report", report)
	x.quiet()
}
