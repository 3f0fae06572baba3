//go:build heavy

package deployment_test

import (
	"math/rand/v2"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/deployment"
)

// TestPartsInAnyOrder kills every part and starts them again in another order,
// some times: the deployment is healthy each time, and nothing is lost. In the end
// it is stopped with a node that was disabled and a collector that is down, and goes
// on where it was.
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
	must.Get(w.Operate(t.Context(), "ada", "/api/v1/nodes/"+w.Nodes[2]+"/disablement", seal.Object{}))(t)
	must.Do(t, w.SetCollectorMode("down"))
	must.Do(t, w.Stop())
	w = resume(t, must.Get(deployment.Open(w.Dir))(t))
	w.verify(w.prove(transaction), "issued")
	w.verify(w.prove(w.issue()), "issued")
	w.waitLabel("Degraded · 2/3 nodes healthy")
	w.walk(w.TenantLog(), w.Journal(w.Nodes[0]))
}
