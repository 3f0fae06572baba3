package server

import (
	"crypto/ed25519"
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// node is a node that enrolled.
type node struct {
	id       string
	keys     map[string]ed25519.PublicKey // by key id, every generation
	disabled bool

	// What it said last. Nothing of it outlives the process, save what the
	// tenant log has.
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
	return seal.Object{"node_id": n.id, "keys": keySection(n.keys), "disabled": n.disabled}
}

func restoreNode(o seal.Object) (*node, error) {
	disabled, _ := o["disabled"].(bool)
	n := &node{id: seal.Text(o, "node_id"), disabled: disabled, keys: map[string]ed25519.PublicKey{}}
	for id := range seal.Member(o, "keys") {
		key, err := publicKey(seal.Text(seal.Member(o, "keys"), id))
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
