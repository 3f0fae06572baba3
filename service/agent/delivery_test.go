package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/agent"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// delivers has the node begin the automatic delivery of a rotation, and waits until the
// adapter is in the middle of its promotion.
func (d *deployment) delivers(s *scripted, transaction string) {
	d.t.Helper()
	chain := chainFor(d.t, issuer(d.t), d.rotationOf(transaction, d.intent(transaction, 1, automatic)), names...)
	d.cloud.ask(deliverWork(transaction, 1, chain))
	must.Eventually(d.t, "the promotion", func() bool { return s.count("promote "+transaction) == 1 })
}

// promoting is a node in the middle of the promotion of tx-1, which its adapter does in
// the given way.
func promoting(t *testing.T, does func(context.Context) error) (d *deployment, s *scripted, a *agent.Agent,
	stop func()) {
	t.Helper()
	d = deploy(t)
	s = d.scripts("nginx")
	s.told("promote", does)
	a, stop = d.run()
	d.assign(desired("web", "nginx", 1))
	d.delivers(s, "tx-1")
	return d, s, a, stop
}

// A promotion may take a day. Meanwhile the node continues, begins nothing twice, leaves the
// adapter alone, and does not ask the cloud all the time.
func TestDeliversBesideTheLoop(t *testing.T) {
	d := deploy(t)
	s := d.scripts("nginx")
	d.configure = func(c *nodeconfig.Config) { c.Cloud.PollInterval = time.Hour }
	release := make(chan struct{})
	s.told("promote", until(release))
	a, stop := d.run()
	d.assign(desired("web", "nginx", 1))
	d.delivers(s, "tx-long")
	d.cloud.publish(policy(8))
	a.Wake()
	must.Eventually(t, "the policy", func() bool { return seal.Integer(d.health(a), "policy_version") == 8 })
	d.cloud.ask(approveWork("tx-1", terms(policy(8), same)))
	a.Wake()
	check.Equal(t, decisionOf(d.cloud.result("approve", "tx-1"), "approval"), "allow", "another transaction")
	checks, polls := s.count("check"), d.cloud.syncCount()
	for i := 1; i <= 5; i++ {
		a.Wake()
		must.Eventually(t, "another poll", func() bool { return d.cloud.syncCount() >= polls+i })
	}
	n := s.count("check")
	check.That(t, n == checks, "%d checks of an integration with a delivery under way", n-checks)
	check.Equal(t, d.cloud.count("deliver"), 0, "it was concluded before its end")
	close(release)
	check.Equal(t, seal.Text(d.cloud.result("deliver", "tx-long"), "status"), "promoted", "it is")
	must.Eventually(t, "the next check", func() bool { return s.count("check") > checks })
	stop()
	// One for each time that it was woken, and few for news.
	n = d.cloud.syncCount() - polls
	check.That(t, n <= 16, "%d polls while there was nothing to do", n)
	check.That(t, s.count("stage tx-long") == 1 && s.count("promote tx-long") == 1 && !s.overlapped(),
		"the adapter was asked %q", s.calls)
}

// A delivery is given up when its integration is no longer the one that it is bound to, and
// then the adapter is called.
func TestGivesDeliveriesUp(t *testing.T) {
	given := map[string]error{ // the adapter's result
		"the cause": nil, "its own": adapter.NewFault(adapter.StoreUnavailable, errors.New("context canceled")),
	}
	for name, c := range map[string]struct {
		change func(seal.Object)
		want   string
		next   string
	}{
		"revision": {same, "integration_binding_mismatch", "check"},
		"reference": {func(o seal.Object) { o["adapter_reference"] = "local/other" },
			"integration_binding_mismatch", "check"},
		"profile":  {func(o seal.Object) { o["profile_id"] = "other" }, "integration_binding_mismatch", "check"},
		"disabled": {func(o seal.Object) { o["enabled"] = false }, "integration_unavailable", "withdraw"},
	} {
		for answer, fault := range given {
			d, s, _, stop := promoting(t, func(ctx context.Context) error {
				<-ctx.Done()
				if fault != nil {
					return fault
				}
				return context.Cause(ctx)
			})
			o := desired("web", "nginx", 2)
			c.change(o)
			d.assign(o)
			check.Equal(t, seal.Text(d.cloud.result("deliver", "tx-1"), "error_code"), c.want, "%s, %s", name, answer)
			stop()
			if next := s.after("promote tx-1"); len(next) == 0 || next[0] != c.next || s.overlapped() {
				t.Errorf("%s, %s: then the adapter was asked %q", name, answer, next)
			}
			got := types(d.checkJournal())
			check.That(t, got["rotation.failed"] == 1 && got["rotation.promoted"] == 0, "%s, %s: journal %v", name, answer, got)
		}
	}
}

// Nothing else ends a delivery: not the same desired state again, nor another integration's,
// nor another policy.
func TestKeepsDeliveriesUp(t *testing.T) {
	release := make(chan struct{})
	d, _, a, _ := promoting(t, until(release))
	d.cloud.change(func() {
		d.cloud.offers["integrations"] = seal.Objects([]seal.Object{desired("web", "nginx", 1), desired("other", "nginx", 9)})
	})
	must.Eventually(t, "the other one", func() bool { return d.cloud.count("integration") == 2 })
	d.cloud.publish(policy(8))
	must.Eventually(t, "the policy", func() bool { return seal.Integer(d.health(a), "policy_version") == 8 })
	close(release)
	check.Equal(t, seal.Text(d.cloud.result("deliver", "tx-1"), "status"), "promoted", "it is")
}

// When the node ends in the middle of a delivery nothing is concluded. After the
// restart the adapter is checked, and then asked again.
func TestConcludesAfterARestart(t *testing.T) {
	for want, answer := range map[string]error{
		"promoted": nil, "failed": adapter.NewFault(adapter.PromotionInterrupted, errors.New("the node ended")),
	} {
		d, s, _, stop := promoting(t, until(nil))
		stop()
		if got := types(d.journal()); d.cloud.count("deliver") != 0 || got["rotation.promoted"]+got["rotation.failed"] != 0 {
			t.Errorf("%s: concluded when the node ended: %v", want, got)
		}
		s.told("promote", func(context.Context) error { return answer })
		a, stop := d.run()
		result := d.cloud.result("deliver", "tx-1")
		check.That(t, seal.Text(result, "status") == want && seal.Text(result, "error_code") == adapter.CodeOf(answer),
			"%s: %s", want, seal.Canonical(result))
		counted := d.metric(a, "svc_node_rotations_promoted_total")
		check.Equal(t, counted == "1", want == "promoted", "%s: %s promotions counted", want, counted)
		stop()
		got := types(d.checkJournal())
		check.That(t, got["rotation.staged"] == 1 && got["rotation."+want] == 1, "%s: journal %v", want, got)
		next := s.after("promote tx-1")
		check.That(t, s.count("stage tx-1") == 1 && (len(next) == 0 || next[0] != "promote tx-1") && !s.overlapped(),
			"%s: the adapter was asked %q", want, s.calls)
		check.That(t, strings.Contains(strings.Join(s.calls, ","), "promote tx-1,check"),
			"%s: it was not checked first: %q", want, s.calls)
	}
}

// Work that an adapter finished counts, also when the node ends.
func TestConcludesWhatIsDone(t *testing.T) {
	d, s, _, stop := promoting(t, func(ctx context.Context) error { <-ctx.Done(); return nil })
	stop()
	got := types(d.checkJournal())
	check.That(t, got["rotation.promoted"] == 1, "journal %v", got)
	s.told("promote", nil)
	_, stop = d.run()
	d.cloud.result("deliver", "tx-1")
	stop()
	check.Equal(t, s.count("promote tx-1"), 1, "promotions")
}

// An adapter that does not answer holds up its own integration only.
func TestChecksBesideTheLoop(t *testing.T) {
	d := deploy(t)
	s := d.scripts("nginx")
	release := make(chan struct{})
	s.told("check", until(release))
	a, _ := d.run()
	d.cloud.change(func() { d.cloud.offers["integrations"] = seal.Objects([]seal.Object{desired("web", "nginx", 1)}) })
	must.Eventually(t, "the check", func() bool { return s.count("check") == 1 })
	d.cloud.publish(policy(7))
	must.Eventually(t, "the policy", func() bool { return seal.Integer(d.health(a), "policy_version") == 7 })
	check.Equal(t, d.refused("tx-1", 1), "integration_unavailable", "a rotation before it was checked")
	check.That(t, s.count("check") == 1 && d.cloud.count("integration") == 0, "the adapter was asked %q", s.calls)
	close(release)
	d.cloud.result("integration", "")
	d.rotation("tx-2", 1)
}

// A tombstone is answered when the adapter has withdrawn the integration, and
// not before.
func TestAnswersTombstonesWhenWithdrawn(t *testing.T) {
	d := deploy(t)
	s := d.scripts("nginx")
	s.told("withdraw",
		func(context.Context) error { return adapter.NewFault(adapter.RecoveryPending, errors.New("not yet")) })
	_, stop := d.run()
	d.assign(desired("web", "nginx", 1))
	tombstone := desired("web", "nginx", 2)
	tombstone["enabled"] = false
	if got := d.assign(tombstone); seal.Text(got, "state") != "degraded" ||
		seal.Text(got, "error_code") != adapter.RecoveryPending {
		t.Errorf("before: %s", seal.Canonical(got))
	}
	stop()
	s.told("withdraw", nil)
	_, stop = d.run() // it is known after a restart
	must.Eventually(t, "the answer", func() bool {
		got := d.cloud.result("integration", "")
		return seal.Text(got, "state") == "healthy" && seal.Integer(got, "revision") == 2
	})
	stop()
	withdrawn := s.count("withdraw")
	_, stop = d.run()
	stop()
	check.Equal(t, s.count("withdraw"), withdrawn, "it was withdrawn again")
}

// An integration's kind never changes: another adapter could not end the work of the first
// one.
func TestKindsStay(t *testing.T) {
	d := deploy(t)
	d.run()
	d.assign(desired("web", "nginx", 1))
	d.cloud.change(func() { d.cloud.offers["integrations"] = seal.Objects([]seal.Object{desired("web", "other", 2)}) })
	must.Eventually(t, "the refusal",
		func() bool { return strings.Contains(d.logs.String(), `kind: expected nginx, found \"other\"`) })
	got := d.assign(desired("web", "nginx", 2))
	check.That(t, seal.Text(got, "state") == "healthy", "the near miss: %s", seal.Canonical(got))
}
