//go:build heavy

package deployment_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/deployment"
	"github.com/svc-edge/svc-verify/service/topic"
)

// TestTopics: each topic of trust events occurs, and svc-edge shows
// it, verified.
func TestTopics(t *testing.T) {
	w := start(t, 1)
	id := w.Nodes[0]
	must.Do(t, w.Process(id).End())
	must.Get(w.Start(id, "--capability-lifetime", "10s"))(t)
	w.waitLabel("trust path healthy")
	must.Get(w.Issue(t.Context(), deployment.Order{Profile: "edge-gateway", Lifetime: time.Hour}))(t)
	w.claims(id)
	must.Get(w.RotateCertificate(t.Context(),
		deployment.Rotation{Node: id, Adapter: adapter.Nginx, Promotion: "automatic_after_health"}))(t)
	must.Get(w.RotateIdentity(t.Context(), id))(t)
	must.Get(w.Call(t.Context(), "ada", "/api/v1/issuance/pause", seal.Object{"reason": "a drill"}))(t)
	must.EventuallyOK(w.t, "every topic", func() error {
		events, code := w.program("svc-edge", append(slices.Clone(w.edgeFlags(id)), "events")...)
		for _, about := range topic.All() {
			if code != 0 || !strings.Contains(events, `"topic":"`+about+`"`) {
				return fmt.Errorf("exit %d, and no event %s", code, about)
			}
		}
		return nil
	})
	filtered, code := w.program("svc-edge",
		append(slices.Clone(w.edgeFlags(id)), "-event-topics", "service.claimed,identity.rotated", "events")...)
	check.That(t, code == 0 && strings.Count(filtered, "\n") == 2 && strings.Contains(filtered, `"service.claimed"`),
		"two topics: exit %d\n%s", code, filtered)
}

// TestPartsInAnyOrder kills every part and starts them again in another order, some times: the
// deployment is healthy each time, and nothing is lost. In the end it is stopped with a node
// that was disabled and a collector that is down, and continues where it was.
func TestPartsInAnyOrder(t *testing.T) {
	w := start(t, 3)
	parts := append([]string{"cloud", "collector"}, w.Nodes...)
	shuffle := func() {
		rand.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	}
	rounds := 3
	if testing.Short() {
		rounds = 1
	}
	var transaction string
	for range rounds {
		transaction = w.issue()
		shuffle()
		for _, name := range parts {
			must.Do(t, w.Process(name).Kill())
		}
		shuffle()
		t.Logf("started in the order %q", parts)
		for _, name := range parts {
			must.Get(w.Start(name))(t)
		}
		must.EventuallyOK(w.t, "the cloud", func() error { return w.Collect(t.Context()) })
		w.waitLabel("trust path healthy")
		w.verify(w.prove(transaction), "issued")
	}
	w.collectedIsJournal()
	must.Get(w.Call(t.Context(), "ada", "/api/v1/nodes/"+w.Nodes[2]+"/disablement", seal.Object{}))(t)
	must.Do(t, w.SetCollectorMode("down"))
	must.Do(t, w.Stop())
	w = resume(t, must.Get(deployment.Open(w.Dir))(t))
	w.verify(w.prove(transaction), "issued")
	w.verify(w.prove(w.issue()), "issued")
	w.waitLabel("Degraded · 2/3 nodes healthy")
	w.walk(w.TenantLog(), w.Journal(w.Nodes[0]))
}

// TestExport has the collector fail on the way and in its answer: each node gives
// the code in its health report, and when all is well again nothing is lost or
// doubled. Package otlp has every way to fail.
func TestExport(t *testing.T) {
	w := start(t, 3)
	w.misbehave("down", "otlp_audit_transport_failed")
	w.misbehave("partial", "otlp_audit_partial_success")
	w.collectedIsJournal()
}

// misbehave puts the collector in a mode until every node has said the code of
// it, and mends it.
func (w *world) misbehave(mode, want string) {
	w.t.Helper()
	must.Do(w.t, w.SetCollectorMode(mode))
	w.issue()
	for _, id := range w.Nodes {
		w.waitCode(id, want)
	}
	// A degraded node still takes part.
	w.issue()
	must.Do(w.t, w.SetCollectorMode("accept"))
	w.exported()
}

// waitCode waits until a node's health report gives this cause.
func (w *world) waitCode(id, want string) {
	w.t.Helper()
	must.EventuallyOK(w.t, want+" on "+id, func() error {
		health, err := w.health(id)
		if err != nil {
			return err
		}
		i, err := w.integration(id, "otlp_audit")
		if err == nil && (seal.Text(i, "error_code") != want || seal.Text(i, "health") != "degraded" ||
			seal.Text(health, "status") != "degraded") {
			err = fmt.Errorf("want %s, found %v, node %s", want, i, seal.Text(health, "status"))
		}
		return err
	})
}
