package server

import (
	"crypto/ed25519"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// nodes are the nodes that enrolled, and the roster that names all their keys.
type nodes struct {
	*tenant
	byID      map[string]*node
	published seal.Object // the roster's envelope; nil before the first node
}

// Intervals of reports by nodes.
const (
	// offlineAfter is for how many poll intervals a node may be silent.
	offlineAfter = 3
	// reportEvery is how often a node's head is logged at most.
	reportEvery = 10 * time.Second
)

// state returns the state of the node. A poll that is held is no sign of life: a process that
// hangs keeps its connections.
func (ns *nodes) state(n *node, now time.Time) string {
	switch {
	case n.disabled:
		return nodeDisabled
	case n.seen.IsZero() || now.Sub(n.seen) >= offlineAfter*ns.config.Poll:
		return nodeOffline
	}
	return n.status
}

// up lists the nodes that may be asked to approve or to witness, by id.
func (ns *nodes) up(now time.Time) []*node {
	var list []*node
	for _, id := range slices.Sorted(maps.Keys(ns.byID)) {
		if state := ns.state(ns.byID[id], now); state == nodeOK || state == nodeDegraded {
			list = append(list, ns.byID[id])
		}
	}
	return list
}

// has reports whether a node takes part.
func (ns *nodes) has(id string) bool {
	n := ns.byID[id]
	return n != nil && !n.disabled
}

// healthy counts the nodes that are up and not degraded. A disabled node is not
// healthy.
func (ns *nodes) healthy(now time.Time) int {
	return ns.countNodes(func(n *node) bool { return ns.state(n, now) == nodeOK })
}

// enabled counts the nodes that are not disabled.
func (ns *nodes) enabled() int64 {
	return int64(ns.countNodes(func(n *node) bool { return !n.disabled }))
}

func (ns *nodes) countNodes(counts func(*node) bool) (count int) {
	for _, n := range ns.byID {
		if counts(n) {
			count++
		}
	}
	return count
}

// disable excludes a node: it is refused from now on.
func (ns *nodes) disable(id string) (changed bool, err error) {
	n := ns.byID[id]
	if n == nil {
		return false, notFound("no node %q", id)
	}
	if n.disabled {
		return false, nil
	}
	n.disabled = true
	ns.put(kindNode, id, n.document())
	ns.cloud.Note(eventtype.NodeDisabled, seal.Object{"node_id": id})
	return true, nil
}

// informed is the sequence of the last notice that every node has.
func (ns *nodes) informed() int64 {
	through := ns.notices.newest
	for _, n := range ns.byID {
		if !n.disabled {
			through = min(through, n.noticesAfter)
		}
	}
	return through
}

// caller is the node that calls, if it takes part. The call is a sign of life of a node
// that has polled before.
func (ns *nodes) caller(c *call) (*node, error) {
	n, err := ns.holder(c)
	if err == nil && !n.seen.IsZero() {
		n.seen = ns.now()
	}
	return n, err
}

// holder is the node of a call, which may have been held for a while, if the node takes
// part.
func (ns *nodes) holder(c *call) (*node, error) {
	n := ns.byID[c.PathValue("id")]
	if n == nil {
		return nil, httpd.Forbidden("node %s has not enrolled", c.PathValue("id"))
	}
	if n.disabled {
		return nil, httpd.Forbidden("node %s is disabled", n.id)
	}
	return n, nil
}

// heard records a node's account of itself.
func (ns *nodes) heard(n *node, p position) error {
	if p.report != nil {
		if err := ns.cloud.CheckReport(p.report); err != nil {
			return conflictError("%s", err)
		}
		if seal.Integer(p.report, "audit_sequence") > seal.Integer(ns.cloud.Reported(n.id), "audit_sequence") {
			n.report = p.report
		}
	}
	now := ns.now()
	before := ns.state(n, now)
	n.seen, n.status, n.policyVersion = now, p.status, p.policy
	n.noticesAfter = min(p.notices, ns.notices.newest)
	if ns.state(n, now) != before {
		ns.wake()
	}
	ns.notices.drop(ns.informed())
	ns.logReport(n, now)
	return nil
}

// logReport logs a node's report, unless that was done a moment ago.
func (ns *nodes) logReport(n *node, now time.Time) {
	if n.report == nil || now.Sub(n.reportedAt) < reportEvery {
		return
	}
	n.reportedAt = now
	report := n.report
	n.report = nil
	if err := ns.cloud.Report(report); err != nil {
		ns.config.Log.Warn("a report was not logged", "node", n.id, "error", err.Error())
		return
	}
	ns.saveCloud()
}

// logReports logs the nodes' reports: all at once, or each one unless its node's was logged a
// moment ago.
func (ns *nodes) logReports(now time.Time, atOnce bool) {
	for _, n := range ns.byID {
		if atOnce {
			n.reportedAt = time.Time{}
		}
		ns.logReport(n, now)
	}
}

// views are the nodes as the console shows them, by id; current is the version of
// the policy in force.
func (ns *nodes) views(now time.Time, current int64) []any {
	list := []any{}
	for _, id := range slices.Sorted(maps.Keys(ns.byID)) {
		n := ns.byID[id]
		reported := n.report
		if reported == nil {
			reported = ns.cloud.Reported(id)
		}
		o := seal.Object{
			"node_id": id, "state": ns.state(n, now), "policy_version": n.policyVersion,
			"audit_sequence": seal.Integer(reported, "audit_sequence"),
			"version_lag":    max(0, current-n.policyVersion),
		}
		if !n.seen.IsZero() {
			o["last_seen"], o["silent_seconds"] = seal.Time(n.seen), int64(max(0, now.Sub(n.seen))/time.Second)
		}
		list = append(list, o)
	}
	return list
}

func (ns *nodes) restore() (err error) {
	if ns.published, err = ns.store.Get(kindState, stateRoster); err != nil {
		return err
	}
	return ns.store.Each(kindNode, "", func(e durable.Entry) error {
		n, err := restoreNode(e.Document)
		if err != nil {
			return err
		}
		ns.byID[n.id] = n
		maps.Copy(ns.roster.Nodes, n.keys)
		return nil
	})
}

// node is a node that enrolled.
type node struct {
	id       string
	keys     map[string]ed25519.PublicKey // by key id, every generation
	disabled bool

	// State from its last call. None of it outlives the process, except the part that is in
	// the tenant log.
	seen          time.Time // when its last call came; the zero time if none since the start
	status        string
	policyVersion int64
	noticesAfter  int64
	report        seal.Object // not logged yet; nil if there is nothing new
	reportedAt    time.Time
	lastNews      string    // digest of the news that it was given last
	lastNewsAt    time.Time // by the real clock
}

func (n *node) document() seal.Object {
	return seal.Object{"node_id": n.id, "keys": seal.PublicKeys(n.keys), "disabled": n.disabled}
}

func restoreNode(o seal.Object) (*node, error) {
	disabled, _ := o["disabled"].(bool)
	n := &node{id: seal.Text(o, "node_id"), disabled: disabled, keys: map[string]ed25519.PublicKey{}}
	for id := range seal.Member(o, "keys") {
		key, err := pki.ParsePublicKey(seal.Text(seal.Member(o, "keys"), id))
		if err != nil {
			return nil, fmt.Errorf("key %s: %w", id, err)
		}
		n.keys[id] = key
	}
	return n, nil
}

// States of a node.
const (
	nodeOK       = "ok"
	nodeDegraded = "degraded"
	nodeOffline  = "offline"
	nodeDisabled = "disabled"
)
