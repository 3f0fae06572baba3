package change

import (
	"github.com/svc-edge/svc-verify/trust"
)

// Reference is how evidence names a key: an id, in the role that may sign the
// statement (SPEC 3.3).
type Reference struct {
	Role trust.Role
	ID   string
}

// Touched describes which evidence a change can touch. The checks of a bundle ask a
// trust file for three things only (SPEC 8.3, 8.4, 8.13, 8.14): the public key
// under an id in a role, the pin of a generation, and the number of witnesses. To
// which node a key belongs follows from its id. So a verdict, with all its
// findings' codes, stays the same unless one of the answers differs.
type Touched struct {
	Keys        map[Reference]bool // that name another public key, or none, in the other file
	Generations map[int64]bool     // that have another pin, or none

	// Least and Most are the lower and the higher demand for witnesses.
	Least, Most int
}

// Touches returns everything that a change from one file to the other can touch.
func Touches(from, to *trust.Root) Touched {
	t := Touched{Keys: map[Reference]bool{}, Generations: map[int64]bool{},
		Least: min(from.MinimumWitnesses(), to.MinimumWitnesses()),
		Most:  max(from.MinimumWitnesses(), to.MinimumWitnesses())}
	for _, k := range changedKeys(from, to) {
		for _, p := range []*Place{k.Before, k.After} {
			if p != nil {
				t.Keys[Reference{p.Role, p.ID}] = true
			}
		}
	}
	for _, r := range changedRegistries(from, to) {
		t.Generations[r.Generation] = true
	}
	return t
}

// Nothing reports whether no verdict can change.
func (t Touched) Nothing() bool {
	return len(t.Keys) == 0 && len(t.Generations) == 0 && t.Least == t.Most
}

// Witnesses reports whether a bundle with so many witnesses meets one demand and
// not the other. A legacy checkpoint has none, and meets a demand for none only.
func (t Touched) Witnesses(n int) bool { return t.Least <= n && n < t.Most }
