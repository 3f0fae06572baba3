package verdict

import (
	"testing"

	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// TestForkedStores: of the stores of a forked log only those are at fault that
// hold the history that anchors do not name; all are if nothing tells.
func TestForkedStores(t *testing.T) {
	for _, tt := range []struct {
		name   string
		named  walk.Naming
		a, b   []string // the stores of each branch
		states []crosscheck.Standing
	}{
		{"named", walk.NamesFirst, []string{"one", "two"}, []string{"three"},
			[]crosscheck.Standing{"faithful", "faithful", "differs"}},
		{"both in one", walk.NamesFirst, []string{"one", "two"}, []string{"two", "three"},
			[]crosscheck.Standing{"faithful", "differs", "differs"}},
		{"neither named", walk.NamesNeither, []string{"one", "two"}, []string{"three"},
			[]crosscheck.Standing{"differs", "differs", "differs"}},
		{"both named", walk.NamesBoth, []string{"one", "two"}, []string{"three"},
			[]crosscheck.Standing{"differs", "differs", "differs"}},
	} {
		c := &crosscheck.Result{Presence: []crosscheck.Log{{TenantID: "t", LogID: "node/n", Histories: []crosscheck.History{
			{Sequence: 5, Hash: "a", Stores: tt.a}, {Sequence: 5, Hash: "b", Stores: tt.b}, {Sequence: 9, Hash: "a"}}}}}
		for _, name := range []string{"one", "two", "three"} {
			c.Stores = append(c.Stores, crosscheck.Store{Name: name, State: crosscheck.StoreDiffers, Events: 14, Shared: 4,
				Differs: 10})
		}
		fork := walk.Fork{Sequence: 5, Named: tt.named, Branches: [2]walk.Branch{{FirstHash: "a", Events: 12},
			{FirstHash: "b", Events: 10}}}
		w := &walk.Result{Verdict: "rejected", Logs: []walk.LogResult{{TenantID: "t", LogID: "node/n",
			Forks: []walk.Fork{fork}}}}
		r := Make(Examined{Walk: w, Comparison: c})
		for i, want := range tt.states {
			if got := r.Stores[i].State; got != want {
				t.Errorf("%s: %s is %s, want %s", tt.name, r.Stores[i].Name, got, want)
			}
		}
		if len(r.Logs[0].Forks[0].Branches[1].Stores) != len(tt.b) || w.Logs[0].Forks[0].Branches[0].Stores != nil ||
			c.Stores[0].State != crosscheck.StoreDiffers {
			t.Errorf("%s: %+v", tt.name, r.Logs[0].Forks)
		}
	}
}
