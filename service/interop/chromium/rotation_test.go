package chromium

import (
	"fmt"
	"strings"

	"github.com/chromedp/chromedp"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/deployment"
)

// rotates promotes a certificate from the page, by keyboard alone.
func (x *tab) rotates() {
	x.t.Helper()
	must.Get(x.running.RotateCertificate(x.t.Context(),
		deployment.Rotation{Node: x.running.Nodes[0], Adapter: adapter.Nginx, Promotion: adapter.PromotionManual}))(x.t)
	x.says("Verify & promote", "nginx", x.running.Nodes[0], "promoted by hand",
		"requestedissuingdeliveringstagedpromotingpromoted", "lead to it")
	check.Equal(x.t, x.steps(), "requested+ issuing+ delivering+ staged+ promoting promoted", "the timeline")
	check.That(x.t, x.truth(`document.querySelector("#rotation-body button").focus(), true`), "there is no button")
	x.freshened()
	check.That(x.t, x.truth(`document.activeElement.textContent === "Verify & promote"`),
		"the button lost the focus when the page was brought up to date")
	x.do(chromedp.KeyEvent("\r"))
	x.eventually(func() error {
		if got := x.steps(); got != "requested+ issuing+ delivering+ staged+ promoting+ promoted+" {
			return fmt.Errorf("the timeline is %q", got)
		}
		return nil
	})
	x.rotationEnds()
}

// steps is the timeline of the first rotation, a + behind each step that it has
// gone.
func (x *tab) steps() string {
	x.t.Helper()
	return must.Get(chromedp.Run(x.ctx,
		chromedp.Evaluate[string](`[...(document.querySelector("#rotation-body .steps")?.children ?? [])].map((step) =>
		step.querySelector("span").textContent + (step.querySelector("time") ? "+" : "")).join(" ")`)))(x.t)
}

// says waits until the Rotation view shows all of these texts; times are left out.
func (x *tab) says(texts ...string) {
	x.t.Helper()
	x.eventually(func() error {
		got, err := chromedp.Run(x.ctx, chromedp.Evaluate[string](`{
			const copy = document.getElementById("rotation-body").cloneNode(true);
			copy.querySelectorAll("time").forEach((time) => time.remove());
			copy.textContent
		}`))
		if err != nil {
			return err
		}
		for _, text := range texts {
			if !strings.Contains(got, text) {
				return fmt.Errorf("the page says %q, want %q", got, text)
			}
		}
		return nil
	})
}

// freshened waits until the page has been brought up to date.
func (x *tab) freshened() {
	x.t.Helper()
	x.truth(`document.querySelector("#rotation-body ul").dataset.old = "yes", true`)
	x.eventually(func() error {
		if x.truth(`document.querySelector("#rotation-body ul").dataset.old === "yes"`) {
			return fmt.Errorf("the page was not brought up to date")
		}
		return nil
	})
}

// ended is a rotation that ended for a reason.
func ended(status, code, integrationCode string) map[string]any {
	step := func(status, second string) map[string]any {
		return map[string]any{"status": status, "at": "2026-03-02T09:00:" + second + ".000Z"}
	}
	o := map[string]any{
		"transaction_id": "tx-" + code, "integration_id": "payments-store", "kind": "secret_store", "node_id": "mesh-oslo-1",
		"promotion": "automatic_after_health", "status": status, "code": code, "detail": "as the node said",
		"steps": []any{step("requested", "01"), step("issuing", "02"), step("delivering", "03"), step(status, "59")},
	}
	if integrationCode != "" {
		o["integration_error_code"] = integrationCode
	}
	return o
}

// rotationEnds checks that a rotation that failed shows the reason, in words, on every width
// and in both colour schemes.
func (x *tab) rotationEnds() {
	x.t.Helper()
	staged := ended("staged", "", "")
	staged["transaction_id"], staged["promotion"] = "tx-<b>staged</b>", "manual"
	delete(staged, "code")
	x.carrier.set(func(c *carrier) {
		c.more = []any{
			staged, ended("failed", "promotion_unconfirmed", ""), ended("failed", "promotion_interrupted", ""),
			ended("failed", "reload_failed", ""),
			ended("denied", "secret_store_integration_unavailable", "store_unavailable"), ended("denied", "a_code_to_come", ""),
		}
	})
	x.says("Rolled back: the health check did not see the new certificate. promotion_unconfirmed",
		"Rolled back: the node was interrupted",
		"Rolled back: the reload program", "not in operation. secret_store_integration_unavailable",
		"its token was refused. store_unavailable",
		"as the node said a_code_to_come", "tx-<b>staged</b>",
		"moves it back unless the health check sees the new certificate")
	for _, scheme := range []string{"dark", "light"} {
		x.scheme(scheme)
		for _, width := range []int64{1280, 390, 320} {
			x.do(chromedp.EmulateViewport(width, 900))
			check.That(x.t, x.truth(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`),
				"at %d pixels the rotations are wider than the window", width)
			x.photograph(fmt.Sprintf("rotation-%s-%d.png", scheme, width), chromedp.Screenshot("section#rotation"))
		}
	}
	x.do(chromedp.EmulateViewport(1280, 900))
	x.carrier.set(func(c *carrier) { c.more = nil })
}
