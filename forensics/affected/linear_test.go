package affected_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// TestLinear: twice as many transactions, ranges and nodes take twice the steps of the engine and
// the allocations. If a log were read for each of them, it would be four times as many.
func TestLinear(t *testing.T) {
	const factor = 2.8
	n := 300
	if testing.Short() {
		n = 100
	}
	cost := func(n int) map[string][2]float64 {
		e := scene(t)
		tenant, journal := author(e, tenantLog), author(e, berlin)
		last := uint64(len(e.Scene.Journals["mesh-berlin-1"]))
		var ranges, nodes []finding.Finding
		for i := range uint64(n) {
			approve(e, tenant, journal, "mesh-berlin-1", fmt.Sprintf("tx-%d", i))
			if i%2 == 0 {
				ranges = append(ranges, gap(berlin, last+1+i, last+1+i))
			}
			nodes = append(nodes, gap(fmt.Sprintf("node/n-%d", i), 1, 1))
		}
		c := examined(t, e, fleet.TenantLog, fleet.Journal("mesh-berlin-1"))
		spent := map[string][2]float64{}
		for name, ask := range map[string]func(){
			"transactions": func() { c.events(t, berlin, 1, 0) },
			"ranges":       func() { made(c, incident.Gap, last, ranges...).gravest(t) },
			"nodes":        func() { made(c, incident.Gap, 0, nodes...).gravest(t) },
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			steps := sqlite.Work()
			ask()
			runtime.ReadMemStats(&after)
			spent[name] = [2]float64{float64(sqlite.Work() - steps), float64(after.Mallocs - before.Mallocs)}
		}
		return spent
	}
	once, twice := cost(n), cost(2*n)
	for name := range once {
		for i, what := range []string{"steps", "allocations"} {
			if twice[name][i] > factor*once[name][i] {
				t.Errorf("%s: %.0f %s, and %.0f for twice as much", name, once[name][i], what, twice[name][i])
			}
		}
	}
}
