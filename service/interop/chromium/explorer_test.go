package chromium

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
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
func explore(t *testing.T, r *report.Report) *explored {
	t.Helper()
	v := browse(t)
	x := &explored{view: v, troubles: watch(v)}
	x.open(r)
	return x
}

// open writes the page of another report and opens it.
func (x *explored) open(r *report.Report) {
	x.t.Helper()
	var page strings.Builder
	must.Do(x.t, report.HTML(&page, r))
	x.openPage(page.String())
}

func (x *explored) openPage(page string) {
	x.t.Helper()
	path := filepath.Join(x.t.TempDir(), "report.html")
	must.Do(x.t, os.WriteFile(path, []byte(page), 0o600))
	x.troubles.mu.Lock()
	x.troubles.asked, x.address = nil, (&url.URL{Scheme: "file", Path: path}).String()
	x.troubles.mu.Unlock()
	x.do(chromedp.Navigate(x.address))
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
	x := explore(t, exploredReport(t))
	const report = "document.querySelector('h1').checkVisibility() && " +
		"document.querySelector('.explorer').childElementCount === 0"
	must.That(t, x.truth(report), "the page does not begin with the report")

	x.press("/", "chain.gap")
	x.heading("Findings and events")
	lines := x.lines()
	check.That(t, len(lines) >= 1 && strings.Contains(lines[len(lines)-1], "chain.gap"), "found %q", lines)
	check.That(t, !x.truth("document.querySelector('h1').checkVisibility()"), "both the report and the explorer are shown")
	x.at("/list?log=0&only=gap")
	gaps := "by 2026-03-02 09:01:59.665 | node/mesh-berlin-1 10 to 12 | missing: 3 events"
	check.Equal(t, strings.Join(x.lines(), "\n"), gaps, "gaps")
	x.at("/list?log=0")
	order := strings.Join(x.lines(), "\n")
	for _, want := range []string{"mesh-berlin-1 9 |", "missing: 3 events", "chain.gap", "mesh-berlin-1 13 |"} {
		_, after, found := strings.Cut(order, want)
		must.That(t, found, "no %q in the rest of the list:\n%s", want, order)
		order = after
	}

	x.at("/list?q=chain.gap")
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
	x.press(kb.ArrowLeft)
	x.heading("Event 9 of node/mesh-berlin-1")
	x.press(kb.ArrowLeft)
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

// views are places of the golden report: each view, and the special events of the case.
var views = map[string]string{"list": "/list", "search": "/list?q=transaction:tx-2026-1015&only=event",
	"finding": "/finding/1", "altered": "/event/0/7", "fork": "/event/0/18", "missing": "/event/0/11",
	"incident": "/incident/0"}

// TestExplorerLooks looks at each view on screens of several widths, in both colour schemes. On paper, the report is
// there whatever the screen shows.
func TestExplorerLooks(t *testing.T) {
	x := explore(t, exploredReport(t))
	for name, place := range views {
		x.at(place)
		for _, scheme := range []string{"light", "dark"} {
			x.media("screen", scheme)
			for _, width := range []int64{1280, 768, 360, 320} {
				x.do(chromedp.EmulateViewport(width, 900))
				x.fits(fmt.Sprintf("%s, %d pixels wide", name, width))
				x.photograph(fmt.Sprintf("explorer-%s-%s-%d.png", name, scheme, width), chromedp.FullScreenshot(100))
			}
		}
	}
	x.paper("plain")
	check.That(t, x.truth("document.querySelector('h1').checkVisibility() && "+
		"!document.querySelector('.explorer, .explorer-bar').checkVisibility()"), "the explorer is on paper")
}

// TestExplorerOfLargeCase: a page with a part of the events names its limit, has totals of all events, and marks where
// the list of a log has a hole that the case does not have.
func TestExplorerOfLargeCase(t *testing.T) {
	var values map[string]any
	must.Do(t, json.Unmarshal(must.Get(json.Marshal(exploredReport(t).Explorer))(t), &values))
	values["total"], values["more_incidents"] = 1_000_000, 1
	values["totals"] = map[string]any{"bucket_ms": 86_400_000, "start_ms": []int{1772409600000}, "log": []int{0},
		"type": []int{1}, "events": []int{999_998}, "left": 2}
	events, _ := values["events"].(map[string]any)
	logs, _ := events["log"].([]any)
	sequences, _ := events["sequence"].([]any)
	for i := range sequences {
		if sequence, _ := sequences[i].(float64); logs[i] == 0.0 && sequence > 20 {
			sequences[i] = sequence + 1_000
		}
	}
	r := plainReport(t)
	must.Do(t, json.Unmarshal(must.Get(json.Marshal(values))(t), &r.Explorer))
	x := explore(t, r)
	x.at("/list")
	check.That(t, strings.HasSuffix(x.lines()[0], ": 999,998 events in this day"), "%s", x.lines()[0])
	words := evaluate[string](x.view, "document.querySelector('.explorer').lastChild.textContent")
	for _, want := range []string{"174 of 1,000,000: those near findings, as there are more than 20,000.",
		"totals by day, log and type", "Not here: 1 more incident.", "Not here: 2 events in no total."} {
		check.That(t, strings.Contains(words, want), "no %q in %s", want, words)
	}
	x.at("/event/0/19")
	hole := " | node/mesh-berlin-1 21 to 1020 | not in this list"
	check.That(t, slices.Contains(x.lines(), hole), "around: %q", x.lines())
	x.quiet()
}
