package chromium

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/svc-edge/svc-verify/answer/answertest"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/safetext"
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

// TestExplorerHostile: whatever the evidence contains, each view has the same elements and safe words, no script
// runs, and the page makes no request.
func TestExplorerHostile(t *testing.T) {
	x := explore(t, exploredReport(t))
	elements := func(place string) []string {
		x.at(place)
		return evaluate[[]string](x.view, "[...document.querySelectorAll('.explorer *')].map((e) => "+
			"e.tagName + ' ' + e.getAttributeNames() + (e.href?.replace(/^file:[^#]*#.*/, '') ?? ''))"+
			".filter((e) => !/^(SPAN class|WBR )$/.test(e))")
	}
	want := map[string][]string{}
	for name, place := range views {
		want[name] = elements(place)
	}
	for _, text := range answertest.Hostile {
		text = strings.ToValidUTF8(text, "?")
		r := exploredReport(t)
		r.Explorer = garbled(t, r.Explorer, text)
		x.open(r)
		for name, place := range views {
			if name == "search" {
				continue // for a name that has changed
			}
			got := elements(place)
			check.Equal(t, strings.Join(got, "\n"), strings.Join(want[name], "\n"), "%s of %q", name, text)
			words := evaluate[string](x.view, "document.querySelector('.explorer').textContent")
			if at := answertest.UnsafeAt(words); at >= 0 {
				t.Errorf("%s of %q: unsafe: %q", name, text, words[at:min(at+40, len(words))])
			}
		}
		if len(text) < 200 {
			x.at(views["fork"])
			x.heading("Event 18 of " + safetext.Quote("node/mesh-berlin-1"+text))
		}
		x.quiet()
	}
}

// garbled is an explorer with a text behind every text of the evidence.
func garbled(t *testing.T, x *report.Explorer, text string) *report.Explorer {
	t.Helper()
	var values any
	must.Do(t, json.Unmarshal(must.Get(json.Marshal(x))(t), &values))
	ours := map[string]bool{"severity": true, "card": true, "state": true, "fidelity": true}
	var garble func(v any) any
	garble = func(v any) any {
		switch v := v.(type) {
		case string:
			if v != "" {
				return v + text
			}
		case []any:
			for i := range v {
				v[i] = garble(v[i])
			}
		case map[string]any:
			for name := range v {
				if !ours[name] {
					v[name] = garble(v[name])
				}
			}
		}
		return v
	}
	doc := must.Get(json.Marshal(garble(values)))(t)
	var all report.Explorer
	must.Do(t, json.Unmarshal(doc, &all))
	return &all
}

// TestExplorerPolicy: the browser refuses any other script, markup made of text, and every request.
func TestExplorerPolicy(t *testing.T) {
	x := explore(t, exploredReport(t))
	var page strings.Builder
	must.Do(t, report.HTML(&page, exploredReport(t)))
	x.openPage(strings.Replace(page.String(), "</body>", "<script>globalThis.foreign = 1</script></body>", 1))
	check.That(t, x.truth("globalThis.foreign === undefined"), "a foreign script ran")
	x.at("/list") // its own does
	ran := evaluate[string](x.view, `(() => {
		globalThis.ran = []; globalThis.refused = [];
		document.addEventListener("securitypolicyviolation", (e) => refused.push(e.effectiveDirective));
		for (const attempt of [
			() => { document.body.innerHTML = "<img src=x onerror='ran.push(1)'>"; },
			() => { const s = document.createElement("script"); s.textContent = "ran.push(2)"; document.body.append(s); },
			() => { const s = document.createElement("script"); s.append("ran.push(3)"); document.body.append(s); },
			() => document.body.setAttribute("onclick", "ran.push(4)"),
		]) try { attempt(); } catch {}
		document.body.click();
		new Image().src = "https://evil.example/x";
		return String(ran);
	})()`)
	check.Equal(t, ran, "", "scripts that ran")
	x.waitFor("refusals", "['require-trusted-types-for', 'img-src'].every((one) => refused.includes(one))")
}
