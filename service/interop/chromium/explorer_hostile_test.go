package chromium

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/answer/answertest"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

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
