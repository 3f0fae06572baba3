package contradiction

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/must"
)

// The reference is SPEC 14, read word by word over maps. It shares nothing with
// the rule but the facts that are no hashes.

// history is a log of small histories whose skip links can lie.
type history struct {
	links  []chain.Link
	hashes []chain.Hash        // by previous links, from genesis on
	lies   map[uint64]*history // the history that the skip link of an event leads to
}

func (h *history) add(body byte, lie *history) {
	n := uint64(len(h.hashes))
	l := chain.Link{Sequence: n, Previous: h.hashes[n-1], Skip: h.hashes[chain.Skip(n)], Body: chain.Hash{body}}
	if lie != nil && chain.Skip(n) < n-1 {
		h.lies[n], l.Skip = lie, lie.hashes[chain.Skip(n)]
	}
	h.links, h.hashes = append(h.links, l), append(h.hashes, l.Hash())
}

func newHistory(tenant string) *history {
	return &history{hashes: []chain.Hash{chain.Genesis(tenant, "tenant/"+tenant)}, lies: map[uint64]*history{}}
}

// path returns the links from a sequence to the targets, which descend.
func (h *history) path(n uint64, targets []uint64) []chain.Link {
	var links []chain.Link
	for {
		links = append(links, h.links[n-1])
		if n == targets[0] {
			if targets = targets[1:]; len(targets) == 0 {
				return links
			}
		}
		skip := chain.Skip(n)
		if skip < targets[0] {
			n--
			continue
		}
		if other := h.lies[n]; other != nil {
			h = other
		}
		n = skip
	}
}

// proof is a bundle of the reference.
type proof struct {
	facts  Facts
	of     *history
	links  []chain.Link
	proven map[uint64]chain.Hash
}

// prove makes a proof; not ok if it would name two hashes for one sequence.
func prove(h *history, head uint64, f Facts) (p proof, ok bool) {
	targets := []uint64{f.Issuance}
	if f.Revocation > 0 {
		targets = []uint64{f.Revocation, f.Issuance}
	}
	p = proof{facts: f, of: h, links: h.path(head, targets), proven: map[uint64]chain.Hash{0: h.hashes[0]}}
	ok = true
	take := func(n uint64, hash chain.Hash) {
		if known, found := p.proven[n]; found && known != hash {
			ok = false
		}
		p.proven[n] = hash
	}
	take(head, h.hashes[head])
	w := way{events: []Event{{Sequence: head, Hash: h.hashes[head]}}}
	for _, l := range p.links {
		take(l.Sequence, l.Hash())
		take(l.Sequence-1, l.Previous)
		take(chain.Skip(l.Sequence), l.Skip)
		w.addLink(l)
	}
	p.facts.Way = w.sortedEvents()
	return p, ok
}

// straight is SPEC 14.3.
func (p *proof) straight(s uint64) bool {
	for n := s + 1; n <= p.facts.Sequence(); n++ {
		if !slices.ContainsFunc(p.links, func(l chain.Link) bool { return l.Sequence == n }) {
			return false
		}
	}
	return true
}

// reference is SPEC 14.2 and 14.3: it returns the code, the value of Shows, and the sequence.
func reference(a, b *proof) (code Code, shows Shows, sequence uint64) {
	x, y := &a.facts, &b.facts
	if x.Tenant == y.Tenant && x.Transaction == y.Transaction &&
		(x.Manifest != y.Manifest || a.proven[x.Issuance] != b.proven[y.Issuance]) {
		return "transaction.issued-twice", "", 0
	}
	if x.Issuer == y.Issuer && x.Serial == y.Serial && x.Certificate != y.Certificate {
		return "certificate.serial-reused", "", 0
	}
	for _, p := range [][2]*Facts{{x, y}, {y, x}} {
		if x.Tenant == y.Tenant && x.Transaction == y.Transaction && p[0].Revocation == 0 && p[1].Revocation > 0 &&
			p[0].Sequence() >= p[1].Revocation {
			return "revocation.withheld", "", p[1].Revocation
		}
	}
	if x.Tenant != y.Tenant {
		return "", "", 0
	}
	if n := x.Sequence(); n == y.Sequence() && a.proven[n] != b.proven[n] {
		return "anchor.split-view", TwoHistories, n
	}
	best := map[Shows]uint64{}
	for n, hash := range a.proven {
		if other, found := b.proven[n]; !found || other == hash {
			continue
		}
		shows := Open
		if a.straight(n) && b.straight(n) {
			shows = TwoHistories
		} else {
			for m, hash := range a.proven {
				if other, found := b.proven[m]; found && other == hash && m > n {
					shows = FalseLink
				}
			}
		}
		best[shows] = max(best[shows], n)
	}
	for _, shows := range []Shows{TwoHistories, FalseLink, Open} {
		if n := best[shows]; n > 0 {
			return "chain.contradiction", shows, n
		}
	}
	return "", "", 0
}

// drawHistories draws histories. Each one leaves an earlier one somewhere, and some of their
// skip links lead to an earlier one.
func drawHistories(t *rapid.T, tenant string) []*history {
	all := []*history{}
	for i := range rapid.IntRange(1, 3).Draw(t, "histories") {
		h, length := newHistory(tenant), rapid.IntRange(4, 60).Draw(t, "length")
		var trunk *history
		if i > 0 {
			trunk = rapid.SampledFrom(all).Draw(t, "trunk")
			for n := range min(rapid.IntRange(0, 60).Draw(t, "fork"), len(trunk.links), length) {
				h.add(trunk.links[n].Body[0], trunk.lies[uint64(n)+1])
			}
		}
		for n := len(h.links); n < length; n++ {
			var lie *history
			if i > 0 && n < len(trunk.links) && rapid.IntRange(0, 4).Draw(t, "lies") == 0 {
				lie = trunk
			}
			h.add(byte(i), lie)
		}
		all = append(all, h)
	}
	return all
}

// drawProof draws a bundle of one of the histories.
func drawProof(t *rapid.T, all []*history, tenant string) proof {
	for {
		h := rapid.SampledFrom(all).Draw(t, "history")
		head := rapid.Uint64Range(1, uint64(len(h.links))).Draw(t, "head")
		f := Facts{
			Tenant:      tenant,
			Transaction: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "transaction"),
			Issuance:    rapid.Uint64Range(1, head).Draw(t, "issuance"),
			Manifest:    chain.Hash{rapid.SampledFrom([]byte{1, 2}).Draw(t, "manifest")},
			Issuer:      chain.Hash{rapid.SampledFrom([]byte{1, 2}).Draw(t, "issuer")},
			Serial:      rapid.SampledFrom([]string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}).Draw(t, "serial"),
			Keys:        Keys{Checkpoint: rapid.SampledFrom([]string{"k1", "k2"}).Draw(t, "key"), Receipt: "s"},
		}
		f.Certificate = chain.Hash{f.Issuer[0], f.Serial[0], rapid.SampledFrom([]byte{1, 1, 2}).Draw(t, "certificate")}
		if rapid.IntRange(0, 5).Draw(t, "usual") > 0 { // most transactions are issued once
			f.Issuance, f.Manifest = min(head, 3), chain.Hash{1}
		}
		if f.Issuance < head && rapid.Bool().Draw(t, "revoked") {
			f.Revocation = rapid.Uint64Range(f.Issuance+1, head).Draw(t, "revocation")
		}
		f.SHA256 = chain.Hash{f.Manifest[0], byte(head), byte(f.Issuance)}
		if p, ok := prove(h, head, f); ok {
			return p
		}
	}
}

// TestReference compares the rule with the reference, over bundles of logs that
// fork and lie, and of two tenants.
func TestReference(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		logs := map[string][]*history{"t": drawHistories(t, "t"), "u": drawHistories(t, "u")}
		var all []proof
		for range 8 {
			tenant := rapid.SampledFrom([]string{"t", "t", "t", "t", "t", "u"}).Draw(t, "tenant")
			all = append(all, drawProof(t, logs[tenant], tenant))
		}
		for i := range all {
			for j := range i {
				code, shows := agree(t, &all[i], &all[j])
				seen[fmt.Sprint(code, " ", shows)]++
			}
			_, found := Compare(&all[i].facts, &all[i].facts)
			must.That(t, !found, "a bundle contradicts itself")
		}
	})
	t.Log(seen)
}

// agree compares the rule with the reference for one pair, either way round.
func agree(t *rapid.T, a, b *proof) (Code, Shows) {
	code, shows, sequence := reference(a, b)
	for _, pair := range [][2]*Facts{{&a.facts, &b.facts}, {&b.facts, &a.facts}} {
		f, found := Compare(pair[0], pair[1])
		if found != (code != "") || f.Code != code || f.Shows != shows || sequence != 0 && f.Sequence != sequence {
			t.Fatalf("found %s, %s at %d, expected %s, %s at %d", f.Code, f.Shows, f.Sequence, code, shows, sequence)
		}
		must.That(t, clash(pair[0], pair[1]) == found, "the claims clash: %t, and the rule found %t", !found, found)
	}
	truth(t, a, b, shows, sequence)
	return code, shows
}

// truth checks shows against the histories themselves.
func truth(t *rapid.T, a, b *proof, shows Shows, s uint64) {
	switch shows {
	case TwoHistories:
		must.That(t, a.of.hashes[s] != b.of.hashes[s], "two histories, and both bundles are of one at %d", s)
	case FalseLink:
		must.That(t, a.lied() || b.lied(), "a false link, and all links are true")
	}
}

// lied reports whether a skip link of the path names another event than previous
// links lead to.
func (p *proof) lied() bool {
	h := p.of
	for _, l := range p.links {
		if l.Skip != h.hashes[chain.Skip(l.Sequence)] {
			return true
		}
	}
	return false
}
