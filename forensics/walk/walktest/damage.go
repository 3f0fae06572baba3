package walktest

import (
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Alter replaces a copy by an altered one.
func (e Evidence) Alter(l facts.Log, i int, change func(seal.Object)) {
	o := seal.CloneObject(e.Copies[l][i].Object)
	change(o)
	e.Copies[l][i].Object = o
}

// AddAltered puts an altered copy next to the genuine one.
func (e Evidence) AddAltered(l facts.Log, i int, change func(seal.Object)) {
	e.Copies[l] = append(e.Copies[l], e.Copies[l][i])
	e.Alter(l, len(e.Copies[l])-1, change)
}

// Forge makes n events that go on from the last one of a log, signed by a key.
func (w *World) Forge(l facts.Log, n int, key seal.Key) []Copy {
	spine := seal.LogOf(l.TenantID, l.LogID, objects(w.Copies[l]))
	var made []Copy
	for range n {
		made = append(made, Copy{Object: spine.Append(w.Entry("policy.synced", seal.Object{}), key)})
	}
	return made
}

// Rewrite makes another history of the events from i on, n of them, signed by
// the log's own key.
func (w *World) Rewrite(l facts.Log, i, n int, change func(seal.Object)) []Copy {
	genuine := objects(w.Copies[l])
	author := &forge.Author{Log: seal.LogOf(l.TenantID, l.LogID, genuine[:i])}
	var made []Copy
	for _, event := range author.Rewrite(genuine[i:i+n], w.Keys, func(_ int, event seal.Object) { change(event) }) {
		made = append(made, Copy{Object: event})
	}
	return made
}

func objects(copies []Copy) (all []seal.Object) {
	for _, c := range copies {
		all = append(all, c.Object)
	}
	return all
}

// Remove removes n copies from i on.
func (e Evidence) Remove(l facts.Log, i, n int) { e.Copies[l] = slices.Delete(e.Copies[l], i, i+n) }
