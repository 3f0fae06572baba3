package deployment_test

import (
	"math/rand/v2"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/deployment"
)

// TestRestart stops a deployment with a node that was disabled and a collector
// that is down, and starts it again: it goes on where it was.
func TestRestart(t *testing.T) {
	w := start(t, 3)
	transaction := w.issue()
	must.Get(w.Operate(t.Context(), "ada", "/api/v1/nodes/"+w.Nodes[2]+"/disablement", seal.Object{}))(t)
	must.Do(t, w.SetCollectorMode("down"))
	must.Do(t, w.Stop())
	again := must.Get(deployment.Open(w.Dir))(t)
	w = resume(t, again)
	w.verify(w.prove(transaction), "issued")
	w.verify(w.prove(w.issue()), "issued")
	w.waitLabel("Degraded · 2/3 nodes healthy")
	w.journalsHold()
}

// TestPartsInAnyOrder kills every part and starts them again in another order,
// some times: the deployment is healthy each time, and nothing is lost.
func TestPartsInAnyOrder(t *testing.T) {
	w := start(t, 2)
	parts := append([]string{"cloud", "collector"}, w.Nodes...)
	shuffle := func() {
		rand.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	}
	rounds := 4
	if testing.Short() {
		rounds = 2
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
		w.eventually("the cloud", func() error { return w.Collect(t.Context()) })
		w.waitLabel("trust path healthy")
		w.verify(w.prove(transaction), "issued")
	}
	w.verify(w.prove(w.issue()), "issued")
	w.journalsHold()
	w.collectedIsJournal()
}
