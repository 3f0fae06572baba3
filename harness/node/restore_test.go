package node_test

import (
	"bytes"
	"crypto/ed25519"
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// live is a node whose events are kept outside of it.
type live struct {
	*node.Node
	config    node.Config
	events    []seal.Object
	policyKey seal.Key
}

func newLive(w *harness.World) *live {
	stream := chance.New(4).Stream("keys")
	l := &live{policyKey: seal.Key{ID: "policy-1", Private: stream.Ed25519()}}
	roster := consent.NewRoster(harness.Tenant)
	roster.Policies[l.policyKey.ID] = l.policyKey.Public()
	for id, key := range w.Keys.Audit {
		roster.Audit[id] = key.Public()
	}
	key := seal.Key{ID: "mesh-rome-1", Private: stream.Ed25519()}
	roster.Nodes[key.ID] = key.Public()
	l.config = node.Config{
		ID: key.ID, Roster: roster, Clock: w.Clock, Salts: stream, Key: key, CapabilityLifetime: node.CapabilityLifetime,
		Keep: func(event seal.Object) { l.events = append(l.events, event) },
	}
	l.Node = node.Start(l.config)
	return l
}

func (l *live) journal() iter.Seq2[seal.Object, error] {
	return func(yield func(seal.Object, error) bool) {
		for _, e := range l.events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (l *live) policy(version int64) seal.Object {
	return seal.Seal(seal.Object{
		"protocol": "svc.policy.v1", "tenant_id": harness.Tenant, "policy_version": version,
		"published_at": "2026-03-02T09:00:01.000Z", "policy": consent.Policy(version),
	}, l.policyKey)
}

func (l *live) roster(version int64, nodes seal.Object) seal.Object {
	return seal.Seal(seal.Object{
		"protocol": "svc.node-roster.v1", "tenant_id": harness.Tenant, "roster_version": version,
		"published_at": "2026-03-02T09:00:01.000Z", "nodes": nodes,
	}, l.policyKey)
}

func TestRestore(t *testing.T) {
	w := world(t)
	l, log := newLive(w), history(w, 25, "a")
	policy := l.policy(9)
	other := chance.New(8).Stream("k").Ed25519().Public().(ed25519.PublicKey)
	roster := l.roster(3, seal.Object{"mesh-lisbon-1": seal.Base64(other)})
	must.Do(t, l.TakePolicy(policy))
	must.Do(t, l.TakeRoster(roster))
	checkpoint := log.checkpoint(same)
	receipt := must.Get(l.Witness(checkpoint, log.Since(0)))(t)
	state := node.State{Journal: l.journal(), Policy: policy, Roster: roster, Witnessed: l.WitnessedState()}
	l.config.Roster.Nodes = map[string]ed25519.PublicKey{l.config.ID: l.config.Key.Public()}
	again := must.Get(node.Restore(l.config, state))(t)
	if again.Sequence() != 2 || again.Head() != l.Head() || again.PolicyVersion() != 9 ||
		again.PolicyDigest() != l.PolicyDigest() ||
		again.RosterVersion() != 3 || again.Witnessed() != 25 || !other.Equal(l.config.Roster.Nodes["mesh-lisbon-1"]) {
		t.Error("another node came back")
	}
	same, err := again.Witness(checkpoint, log.Since(0))
	check.That(t, err == nil && bytes.Equal(seal.Canonical(same), seal.Canonical(receipt)),
		"another receipt for the same head: %v", err)
	before := must.Get(l.Report())(t)
	if after, err := again.Report(); err != nil || !bytes.Equal(seal.Canonical(before), seal.Canonical(after)) {
		t.Errorf("another report: %v", err)
	}
	log.extend(9, "a")
	check.OK(t, check.Err(again.Witness(log.checkpoint(func(seal.Object) {}), log.Since(25))), "the log goes on")
	check.Equal(t, len(l.events), 3, "events")
}

// The witnessed state of a node is restored whole or not at all.
func TestRestoreRefusesDamage(t *testing.T) {
	w := world(t)
	l, log := newLive(w), history(w, 14, "a")
	must.Get(l.Witness(log.checkpoint(same), log.Since(0)))(t)
	for name, damage := range map[string]func(state seal.Object){
		"as it is":           same,
		"another sequence":   func(o seal.Object) { o["sequence"] = int64(15) },
		"no hashes":          func(o seal.Object) { delete(o, "hashes") },
		"a hash is missing":  func(o seal.Object) { delete(seal.Member(o, "hashes"), "13") },
		"no hash":            func(o seal.Object) { seal.Member(o, "hashes")["13"] = "ab" },
		"no sequence":        func(o seal.Object) { seal.Member(o, "hashes")["x"] = seal.Hash{}.String() },
		"another head":       func(o seal.Object) { seal.Member(o, "hashes")["14"] = seal.Hash{}.String() },
		"no receipt":         func(o seal.Object) { delete(o, "receipt") },
		"a negative one":     func(o seal.Object) { o["sequence"] = int64(-1) },
		"a text for hashes":  func(o seal.Object) { o["hashes"] = "none" },
		"a number as a hash": func(o seal.Object) { seal.Member(o, "hashes")["13"] = int64(4) },
	} {
		state := seal.CloneObject(l.WitnessedState())
		damage(state)
		_, err := node.Restore(l.config, node.State{Journal: l.journal(), Witnessed: state})
		check.Equal(t, err == nil, name == "as it is", "%s: %v", name, err)
	}
}

// A policy whose key was withdrawn holds no longer, and an older one does not
// come back in its place.
func TestRestoreWithoutThePolicyKey(t *testing.T) {
	w := world(t)
	l := newLive(w)
	policy := l.policy(9)
	must.Do(t, l.TakePolicy(policy))
	next := seal.Key{ID: "policy-2", Private: chance.New(6).Stream("k").Ed25519()}
	l.config.Roster.Policies = map[string]ed25519.PublicKey{next.ID: next.Public()}
	again, err := node.Restore(l.config, node.State{Journal: l.journal(), Policy: policy})
	must.That(t, err == nil && again.PolicyVersion() == 0 && again.PolicyDigest() == "",
		"policy %d, %v", again.PolicyVersion(), err)
	l.policyKey = next
	for _, version := range []int64{8, 9} {
		check.That(t, again.TakePolicy(l.policy(version)) != nil, "version %d was taken over after 9", version)
	}
	check.Do(t, again.TakePolicy(l.policy(10)))
}

// A replay that began before another checkpoint was witnessed witnesses nothing.
func TestReplayFromAnOlderHead(t *testing.T) {
	w := world(t)
	n, log := w.Nodes[0], history(w, 10, "a")
	early := n.Replay()
	must.Get(n.Witness(log.checkpoint(same), log.Since(0)))(t)
	log.extend(10, "a")
	for l := range log.Since(0) {
		must.Do(t, early.Take(l))
	}
	check.Fails(t, check.Err(n.WitnessReplay(log.checkpoint(same), early)), "began at 0", "an older replay")
	late := n.Replay()
	for l := range log.Since(10) {
		must.Do(t, late.Take(l))
	}
	check.Do(t, check.Err(n.WitnessReplay(log.checkpoint(same), late)))
}

func TestRosterReplacesAllButTheOwn(t *testing.T) {
	w := world(t)
	l := newLive(w)
	key := func(i uint64) string {
		return seal.Base64(chance.New(i).Stream("k").Ed25519().Public().(ed25519.PublicKey))
	}
	must.Do(t, l.TakeRoster(l.roster(1, seal.Object{"a": key(1), "a/2": key(2), "b": key(3)})))
	check.That(t, l.TakeRoster(l.roster(2, seal.Object{"a": key(9)})) != nil, "another key for a known key id")
	must.Do(t, l.TakeRoster(l.roster(2, seal.Object{"a/2": key(2)})))
	got := slices.Sorted(maps.Keys(l.config.Roster.Nodes))
	check.That(t, slices.Equal(got, []string{"a/2", l.config.ID}), "the roster is %q", got)
}

// Documents that contradict themselves or known facts are not accepted.
func TestRefusesPoliciesAndRosters(t *testing.T) {
	w := world(t)
	l := newLive(w)
	amended := func(envelope seal.Object, change func(seal.Object)) seal.Object {
		change(seal.Member(envelope, "statement"))
		return seal.Seal(seal.Member(envelope, "statement"), l.policyKey)
	}
	for name, change := range map[string]func(seal.Object){
		"another version": func(o seal.Object) { o["policy_version"] = int64(8) },
		"no policy":       func(o seal.Object) { delete(o, "policy") },
		"the policy alone": func(o seal.Object) {
			delete(o, "policy")
			o["version"] = o["policy_version"]
		},
	} {
		check.That(t, l.TakePolicy(amended(l.policy(7), change)) != nil, "a policy with %s was taken over", name)
	}
	own, key := l.config.ID, seal.Base64(chance.New(9).Stream("k").Ed25519().Public().(ed25519.PublicKey))
	must.Do(t, l.TakeRoster(l.roster(1, seal.Object{})))
	for name, nodes := range map[string]seal.Object{
		"another key of this node":   {own: key},
		"a further key of this node": {own + "/2": key},
		"this node's key elsewhere":  {"a": seal.Base64(l.config.Key.Public())},
		"one key, two nodes":         {"a": key, "b": key},
		"no key":                     {"a": "AAAA"},
	} {
		check.That(t, l.TakeRoster(l.roster(2, nodes)) != nil, "a roster with %s was taken over", name)
	}
	check.That(t, l.TakeRoster(l.roster(1, seal.Object{"a": key})) != nil, "an old roster was taken over")
}
