package change

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/trustfile"
)

// Coalition is one way to forge a proof ([trustfile.Threat]) under both files. A
// smallest set is one audit key, one signer key, and as many nodes as are needed.
// Its holders are the same in both files if they need to have no key that one of
// the files does not have in that role.
type Coalition struct {
	Name   string            `json:"name"`
	Before *trustfile.Threat `json:"before,omitempty"` // nil if the old file does not admit this way
	After  *trustfile.Threat `json:"after,omitempty"`
	New    string            `json:"new_sets"`  // smallest sets after that were not enough before, in decimal
	Gone   string            `json:"gone_sets"` // smallest sets before that are not enough after, in decimal
	Effect string            `json:"effect"`    // easier, harder, other-holders, same
}

// Effects of a change on a coalition.
const (
	Easier       = "easier"        // fewer nodes are needed, or the way is new
	Harder       = "harder"        // more nodes are needed, or the way is closed
	OtherHolders = "other-holders" // as many nodes, and other sets of holders
	Unchanged    = "same"
)

func changedCoalitions(from, to *trust.Root, approvals int, common holders) []Coalition {
	list := []Coalition{}
	before, after := trustfile.Explain(from, approvals).Threats, trustfile.Explain(to, approvals).Threats
	for _, name := range []string{trustfile.ThroughTheLog, trustfile.SplitView, trustfile.InSecret} {
		c := Coalition{Name: name, Before: findThreat(before, name), After: findThreat(after, name)}
		if c.Before == nil && c.After == nil {
			continue
		}
		c.New, c.Gone = notIn(c.After, c.Before, holdersIn(to), common), notIn(c.Before, c.After, holdersIn(from), common)
		c.Effect = effectOf(c)
		list = append(list, c)
	}
	return list
}

func findThreat(list []trustfile.Threat, name string) *trustfile.Threat {
	i := slices.IndexFunc(list, func(t trustfile.Threat) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// holders are the numbers of audit keys, signer keys and nodes.
type holders struct{ audit, signer, nodes int }

func holdersIn(r *trust.Root) holders {
	return holders{len(r.Keys(trust.Audit)), len(r.Keys(trust.Signer)), r.NodeCount()}
}

// commonHolders counts the keys that both files have in a role, and the nodes that
// have such a key. Ids of audit and signer keys do not matter: the holder of the
// key can name it as the file does.
func commonHolders(from, to *trust.Root) holders {
	later := keysByPublic(to)
	count := func(role trust.Role) (n int, nodes map[string]bool) {
		nodes = map[string]bool{}
		for _, k := range from.Keys(role) {
			if now := later[k.Public]; now.Role == role && now.Node == k.Node {
				n++
				nodes[k.Node] = true
			}
		}
		return n, nodes
	}
	audit, _ := count(trust.Audit)
	signer, _ := count(trust.Signer)
	_, nodes := count(trust.Node)
	return holders{audit, signer, len(nodes)}
}

// notIn counts the smallest sets of one threat that are not enough for the
// other: those with too few holders whom both files have.
func notIn(of, other *trustfile.Threat, own, common holders) string {
	if of == nil || of.Nodes < 0 {
		return "0"
	}
	if other == nil || other.Nodes < 0 || other.Nodes > of.Nodes {
		return of.Combinations
	}
	enough := countChoices(common.nodes, own.nodes-common.nodes, of.Nodes, other.Nodes)
	enough.Mul(enough, big.NewInt(int64(common.audit)*int64(common.signer)))
	sets, _ := new(big.Int).SetString(of.Combinations, 10)
	return sets.Sub(sets, enough).String()
}

// countChoices is how many ways there are to choose n of a number of common and of
// other nodes, with at least so many common ones. Each term follows from the one
// before it, as binomials do.
func countChoices(common, other, n, least int) *big.Int {
	sum := new(big.Int)
	first := max(least, n-other)
	if first > min(n, common) {
		return sum
	}
	term := new(big.Int).Binomial(int64(common), int64(first))
	term.Mul(term, new(big.Int).Binomial(int64(other), int64(n-first)))
	for j := first; j <= min(n, common); j++ {
		sum.Add(sum, term)
		term.Mul(term, big.NewInt(int64(common-j)*int64(n-j)))
		term.Quo(term, big.NewInt(int64(j+1)*int64(other-n+j+1)))
	}
	return sum
}

// nodesNeeded is the number of nodes of a threat; if no number is enough it is more than
// any.
func nodesNeeded(t *trustfile.Threat) int {
	if t == nil || t.Nodes < 0 {
		return 1 << 30
	}
	return t.Nodes
}

func effectOf(c Coalition) string {
	switch d := cmp.Compare(nodesNeeded(c.After), nodesNeeded(c.Before)); {
	case d < 0:
		return Easier
	case d > 0:
		return Harder
	case c.New != "0" || c.Gone != "0":
		return OtherHolders
	}
	return Unchanged
}

// sentencesOf returns the meaning of the change.
func sentencesOf(d Difference, commonNodes int) []string {
	if d.Same {
		return []string{"Nothing differs that a verdict can depend on."}
	}
	list := []string{}
	if q := d.Quorum; q != nil {
		list = append(list, fmt.Sprintf("A checkpoint needs %s instead of %d.", safetext.Count(q.After, "witness"), q.Before))
	}
	if commonNodes == 0 {
		list = append(list, "No node has a key in both files: no old proof verifies under the new file.")
	}
	for _, c := range d.Coalitions {
		list = append(list, sentenceOf(c))
	}
	return list
}

// sentenceOf describes the change of one way to forge.
func sentenceOf(c Coalition) string {
	switch {
	case c.After == nil:
		return c.Name + ": no way of its own any more, as no witness is demanded; in-secret needs no more than that."
	case c.Before == nil:
		return c.Name + ": a way of its own now, as witnesses are demanded: " + setText(c.After) + "."
	case c.After.Nodes < 0 && c.Before.Nodes < 0:
		return c.Name + ": no set of holders is enough, before or after."
	case c.After.Nodes < 0:
		return fmt.Sprintf("%s: %s were enough; no set of holders is enough now.", c.Name, setText(c.Before))
	case c.Before.Nodes < 0:
		return fmt.Sprintf("%s: no set of holders was enough; %s are enough now.", c.Name, setText(c.After))
	}
	switch c.Effect {
	case Easier:
		return fmt.Sprintf("%s: fewer holders are needed: %s instead of %s.", c.Name, setText(c.After), setText(c.Before))
	case Harder:
		return fmt.Sprintf("%s: more holders are needed: %s instead of %s.", c.Name, setText(c.After), setText(c.Before))
	case OtherHolders:
		return c.Name + ": as many holders are needed, but others are enough: " + exchangedSets(c) + "."
	}
	return c.Name + ": the same holders are enough."
}

// exchangedSets returns how many smallest sets are new and gone.
func exchangedSets(c Coalition) string {
	var parts []string
	for _, n := range []struct{ count, what string }{{c.New, "new"}, {c.Gone, "gone"}} {
		if n.count != "0" {
			parts = append(parts, n.count+" smallest sets are "+n.what)
		}
	}
	return strings.Replace(strings.Join(parts, ", "), "1 smallest sets are", "1 smallest set is", 1)
}

func setText(t *trustfile.Threat) string {
	return "an audit key, a signer key and " + safetext.Count(t.Nodes, "node")
}
