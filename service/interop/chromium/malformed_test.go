package chromium

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/svc-edge/svc-verify/internal/check"
)

// ofJavaScript are words that no reader of the page should meet.
var ofJavaScript = regexp.MustCompile(
	`TypeError|RangeError|SyntaxError|undefined|\bnull\b|NaN|Infinity|\[object|Cannot |is not (a function|iterable)|BigInt`)

const document = "application/json"

// events garbles the answers with audit events only.
func events(change func(content string) string) garble {
	return func(path, content string) (int, string, string, bool) {
		if strings.HasSuffix(path, "/audit/events") {
			content = change(content)
		}
		return 200, document, content, false
	}
}

// members replaces the first of each of some texts.
func members(pairs ...string) garble {
	return events(func(content string) string {
		for i := 0; i < len(pairs); i += 2 {
			content = regexp.MustCompile(pairs[i]).ReplaceAllString(content, pairs[i+1])
		}
		return content
	})
}

// all garbles every answer.
func all(status int, kind, content string, cut bool) garble {
	return func(string, string) (int, string, string, bool) { return status, kind, content, cut }
}

// but garbles the answers to one call, and damages the log.
func but(suffix, content string) garble {
	return func(path, whole string) (int, string, string, bool) {
		if strings.HasSuffix(path, suffix) {
			return 200, document, content, false
		}
		return members(`"salt":"`, `"salt":"A`)(path, whole)
	}
}

// TestMalformed: an audit chain that could not be verified stays so whatever else the
// answers are, until it is verified again, and no words of JavaScript are shown.
func TestMalformed(t *testing.T) {
	x := open(t)
	x.issue()
	x.waitText("chain", "Chain verified from genesis")
	for name, g := range map[string]garble{ // by itself
		"an event is nothing":        members(`"events":\[`, `"events":[null,`),
		"an event is text":           members(`"events":\[`, `"events":["x",`),
		"no body":                    members(`"body":\{`, `"other":{`),
		"the body is nothing":        members(`"body":\{`, `"body":null,"other":{`),
		"the sequence is text":       members(`"sequence":3,`, `"sequence":"3",`),
		"the sequence is an object":  members(`"sequence":3,`, `"sequence":{},`),
		"the sequence is too large":  members(`"sequence":3,`, `"sequence":1e999,`),
		"the sequence is a fraction": members(`"sequence":3,`, `"sequence":3.5,`),
		"the type is a number":       members(`"type":"[^"]*"`, `"type":7`),
		"there is no time":           members(`"occurred_at":"[^"]*"`, `"other":""`),
		"the data is nothing":        members(`"data":\{`, `"data":null,"other":{`),
		"the hash is nothing":        members(`"hash":"[^"]*"`, `"hash":null`),
		"the links are lists":        members(`"previous_hash":"[^"]*"`, `"previous_hash":[]`),
		"it is nested deep":          members(`"data":\{`, `"data":`+strings.Repeat("[", 9000)+strings.Repeat("]", 9000)+`,"other":{`),
		"the events are nothing":     members(`"events":\[`, `"events":null,"other":[`),
		"the events are an object":   members(`"events":\[`, `"events":{},"other":[`),
		"the head is nothing":        members(`"head":\{`, `"head":null,"other":{`),
		"the head is text":           members(`"head":\{`, `"head":"x","other":{`),
		"the answer is nothing":      events(func(string) string { return "null" }),
		"the answer is a list":       events(func(string) string { return "[]" }),
		"the answer is a number":     events(func(string) string { return "7" }),
		"the answer is empty":        events(func(string) string { return "" }),
		"the answer is a page":       events(func(string) string { return "<html>error</html>" }),
		"the answer ends in between": events(func(c string) string { return c[:len(c)/2] }),
		"the witnesses are nothing":  members(`"witnesses":\{`, `"witnesses":null,"other":{`, `"salt":"`, `"salt":"A`),
		"the checkpoint is text":     members(`"checkpoint":\{`, `"checkpoint":"x","other":{`, `"salt":"`, `"salt":"A`),
		"the overview is nothing":    but("/overview", "null"),
		"the overview is empty":      but("/overview", "{}"),
		"the overview is a page":     but("/overview", "<html>error</html>"),
	} {
		x.garbles(g)
		x.accused(name)
		x.garbles(nil)
		x.waitText("chain", "Chain verified from genesis")
	}
	x.stays(t)
}

// stays damages the log, and then garbles everything: the damage that was found is not
// forgotten.
func (x *tab) stays(t *testing.T) {
	for name, g := range map[string]garble{
		"an HTML error page":          all(502, "text/html", "<html>bad gateway</html>", false),
		"a problem that is nothing":   all(503, document, "null", false),
		"a problem without a detail":  all(503, document, `{"code":"unavailable"}`, false),
		"a problem of the wrong type": all(503, document, `{"code":7,"detail":{}}`, false),
		"answers that are cut":        all(200, document, `{"events":[`, true),
		"empty answers":               all(200, document, "", false),
		"pages":                       all(200, "text/html", "<html>welcome</html>", false),
		"nothing":                     all(200, document, "null", false),
	} {
		x.garbles(members(`"salt":"`, `"salt":"A`))
		x.accused("the log is damaged")
		x.garbles(g)
		x.eventually(func() error {
			if x.truth(`document.getElementById("trouble").hidden`) {
				return fmt.Errorf("%s: no trouble is told", name)
			}
			return nil
		})
		x.accused(name)
		check.Equal(t, x.text("label"), "No current data", "%s: the label", name)
		x.photograph("malformed.png", chromedp.CaptureScreenshot())
	}
	x.garbles(nil)
	x.waitText("chain", "Chain verified from genesis")
	x.troubles.mu.Lock()
	defer x.troubles.mu.Unlock()
	for _, message := range x.troubles.messages {
		check.That(t, strings.Contains(message, "50") || strings.Contains(message, "net::ERR_"),
			"the browser says: %s", message)
	}
}

func (x *tab) garbles(g garble) {
	x.carrier.set(func(c *carrier) { c.garble = g })
	x.do(chromedp.Click("#refresh"))
}

// accused waits until the page reports that the chain could not be verified, and checks that
// it does so in plain words.
func (x *tab) accused(what string) {
	x.t.Helper()
	x.eventually(func() error {
		if got := x.text("chain"); got != broken {
			return fmt.Errorf("%s: the banner says %q", what, got)
		}
		return nil
	})
	shown := evaluate[string](x.view, `document.body.innerText`)
	if found := ofJavaScript.FindString(shown); found != "" {
		x.t.Errorf("%s: the page says %q:\n%s", what, found, shown)
	}
	if !x.truth(`document.getElementById("banner").dataset.state === "bad" && document.querySelectorAll("#faults li").length > 0`) {
		x.t.Errorf("%s: the banner does not say where", what)
	}
}
