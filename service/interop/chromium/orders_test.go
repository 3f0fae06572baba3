package chromium

import (
	"fmt"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// events checks how the page describes single events.
func (x *tab) events() {
	x.t.Helper()
	x.waitText("chain", "Chain verified from genesis")
	check.That(x.t, x.truth(`document.querySelectorAll("#events tbody [tabindex='0']").length === 1`),
		"the tab key has to go through every event")
	x.press("#event-1")
	x.eventually(func() error {
		got := x.text("details-1")
		for _, want := range []string{`"previous_hash"`, `"sequence": 1`, `"signature"`} {
			if !strings.Contains(got, want) {
				return fmt.Errorf("the details are %q", got)
			}
		}
		return nil
	})
	// A filter hides events, and none that did not verify.
	x.filter("POLICY.published")
	x.eventually(func() error {
		got, said := x.count("#events tbody tr:not(.details)"), x.text("events")
		if got != 1 || !strings.Contains(said, "policy.published") {
			return fmt.Errorf("%d events are shown: %s", got, said)
		}
		return nil
	})
	x.alter(func(w *window) {
		body := w.Events[3]["body"].(map[string]any)
		body["data"].(map[string]any)["\u202eby"] = "x\u200b"
	})
	x.eventually(func() error {
		if x.count("#events tbody tr.broken") == 0 {
			return fmt.Errorf("a filter hides an event that did not verify")
		}
		return nil
	})
	x.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("event-4").click()`))
	x.eventually(func() error {
		if got := x.text("events"); !strings.Contains(got, `\u202eby`) || !strings.Contains(got, `x\u200b`) {
			return fmt.Errorf("what cannot be seen is not spelt out: %q", got)
		}
		return nil
	})
	x.alter(nil)
	x.filter("")
	x.waitText("chain", "Chain verified from genesis")
	x.older()
}

// press presses a button, wherever the page has moved it to by now.
func (x *tab) press(selector string) {
	x.t.Helper()
	x.eventually(func() error {
		if !x.truth(fmt.Sprintf(`{ const b = document.querySelector(%q); b?.click(); b !== null }`, selector)) {
			return fmt.Errorf("there is no %s", selector)
		}
		return nil
	})
}

// filter types a filter.
func (x *tab) filter(text string) {
	x.t.Helper()
	const types = `{ const f = document.getElementById("filter"); f.value = %q; f.dispatchEvent(new Event("input")) }`
	x.truth(fmt.Sprintf(types, text))
}

// older loads events before the newest ones.
func (x *tab) older() {
	x.t.Helper()
	x.carrier.set(func(c *carrier) { c.narrow = 5 })
	x.press("#refresh")
	x.waitText("chain", "Recent events verified")
	x.carrier.set(func(c *carrier) { c.page = 4 })
	x.press("#older")
	x.eventually(func() error {
		if got := x.count("#events tbody tr:not(.details)"); got < 9 {
			return fmt.Errorf("%d events are shown", got)
		}
		return nil
	})
	x.carrier.set(func(c *carrier) { c.page = 0 })
	x.issue() // the window moves on, and there is no gap
	x.press("#refresh")
	x.eventually(func() error {
		if got := x.count("#events tbody tr:not(.details)"); got < 14 || x.text("chain") != "Recent events verified" {
			return fmt.Errorf("%d events are shown, %s", got, x.text("chain"))
		}
		return nil
	})
	for range 20 {
		if x.truth(`document.getElementById("older").disabled`) {
			break
		}
		x.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("older").click()`))
		x.eventually(func() error {
			if x.text("events-result") == "…" {
				return fmt.Errorf("older events are on their way")
			}
			return nil
		})
	}
	x.waitText("chain", "Chain verified from genesis")
	x.press("#newest")
	x.waitText("chain", "Recent events verified")
	x.carrier.set(func(c *carrier) { c.narrow = 0 })
	x.waitText("chain", "Chain verified from genesis")
}

// count is how many elements a selector finds.
func (x *tab) count(selector string) int {
	x.t.Helper()
	n := must.Get(chromedp.Run(x.ctx,
		chromedp.Evaluate[int](fmt.Sprintf("document.querySelectorAll(%q).length", selector))))(x.t)
	return n
}

// integration waits until the page shows a text about an integration.
func (x *tab) integration(id, want string) {
	x.t.Helper()
	x.eventually(func() error {
		const entry = `[...document.querySelectorAll("#integrations-body li")]
			.find((li) => li.textContent.includes(%q))?.textContent ?? ""`
		got, err := chromedp.Run(x.ctx, chromedp.Evaluate[string](fmt.Sprintf(entry, id)))
		if err != nil {
			return err
		}
		if !strings.Contains(got, want) {
			return fmt.Errorf("the page says of %s: %q, want %q", id, got, want)
		}
		return nil
	})
}

// integrates saves, tests, disables, assigns and unassigns an integration.
func (x *tab) integrates() {
	x.t.Helper()
	const id = "web-1"
	x.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("integration-form").open = true`),
		chromedp.SetValue("#integration-id", id), chromedp.SetValue("#integration-reference", "local/web"),
		chromedp.SetValue("#integration-profile", "payments-api"), chromedp.SetValue("#integration-node", x.running.Nodes[1]))
	x.press("#integration-save")
	x.waitText("integrations-result", id+" is saved")
	x.integration(id, "healthy")
	x.integration(id, "local/web → payments-api on "+x.running.Nodes[1]+", revision 1")
	x.press("#test-" + id)
	x.integration(id, "revision 2")
	x.press("#disable-" + id)
	x.waitText("integrations-result", id+" is disabled")
	x.integration(id, "disabled")
	x.press("#enable-" + id)
	x.integration(id, "healthy")
	x.cancels(id)
	x.press("#edit-" + id)
	x.do(chromedp.SetValue("#integration-reference", "local/other"))
	x.press("#integration-save")
	x.integration(id, "local/other")
	x.integration(id, "healthy")
	x.press("#unassign-" + id)
	x.waitText("integrations-result", id+" is unassigned")
	x.integration(id, "disabled")
	// A refusal of the cloud is shown.
	x.do(chromedp.SetValue("#integration-id", id), chromedp.SetValue("#integration-kind", "secret_store"))
	x.press("#integration-save")
	x.eventually(func() error {
		if got := x.text("integrations-result"); !strings.Contains(got, "conflict: integration web-1 is of kind nginx") {
			return fmt.Errorf("the page says %q", got)
		}
		return nil
	})
	x.named(id)
}

// cancels starts a rotation that waits for its promotion, and cancels it; the
// next one can begin.
func (x *tab) cancels(id string) {
	x.t.Helper()
	x.press("#rotate-" + id)
	x.do(chromedp.SetValue("#rotate-promotion", "manual"))
	x.press("#rotate-start")
	x.says("nginx · "+id, "Verify & promote")
	check.Equal(x.t, x.steps(), "requested+ issuing+ delivering+ staged+ promoting promoted", "the timeline")
	x.press("#rotate-start")
	x.eventually(func() error {
		if got := x.text("rotation-result"); !strings.Contains(got, "is under way") {
			return fmt.Errorf("the page says %q", got)
		}
		return nil
	})
	x.press(`#rotation-body button[id^="cancel-"]`)
	x.waitText("rotation-result", "the rotation is cancelled")
	x.says("An operator cancelled it. rotation_cancelled")
	x.integration(id, "healthy")
	x.press("#rotate-" + id)
	x.do(chromedp.SetValue("#rotate-promotion", "automatic_after_health"))
	x.press("#rotate-start")
	x.eventually(func() error {
		if got := x.steps(); !strings.HasSuffix(got, "promoted+") {
			return fmt.Errorf("the timeline is %q", got)
		}
		return nil
	})
}

// named wants the tenant log, and the page, to name who ordered all that.
func (x *tab) named(id string) {
	x.t.Helper()
	cloud := must.Get(x.running.CallCloud("operator", "ada"))(x.t)
	defer cloud.Close()
	window := must.Get(cloud.Do(x.t.Context(), "GET", "/api/v1/audit/events", nil))(x.t)
	by := map[string]string{}
	for _, e := range seal.List(window, "events") {
		body := seal.Member(e.(seal.Object), "body")
		data := seal.Member(body, "data")
		if data["integration_id"] == id && data["by"] != nil {
			by[seal.Text(body, "type")] = seal.Text(data, "by")
		}
	}
	for _, kind := range []string{"integration.changed", "rotation.requested", "rotation.denied"} {
		check.Equal(x.t, by[kind], "grace", "the log names %v", by)
	}
	check.Equal(x.t, x.text("operator"), "operator grace", "the page acts as")
}

// widths looks at the page in windows of several widths.
func (x *tab) widths() {
	x.t.Helper()
	for _, width := range []int64{1280, 390, 320} {
		x.do(chromedp.EmulateViewport(width, 900))
		check.That(x.t, x.truth(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`),
			"at %d pixels the page is wider than the window", width)
		x.photograph(fmt.Sprintf("page-%d.png", width), chromedp.FullScreenshot(100))
	}
	x.do(chromedp.EmulateViewport(1280, 900))
}
