package server

import (
	"crypto/ed25519"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// node is a node that enrolled.
type node struct {
	id       string
	keys     map[string]ed25519.PublicKey // by key id, every generation
	disabled bool

	// What it said last. Nothing of it outlives the process, save what the
	// tenant log has.
	seen          time.Time // the zero time if not since the start
	polls         int       // that are held now
	status        string
	policyVersion int64
	noticesAfter  int64
	report        seal.Object // not logged yet; nil if there is nothing new
	reportedAt    time.Time
	lastNews      string    // digest of the news that it was given last
	lastNewsAt    time.Time // by the real clock
}

func (n *node) document() seal.Object {
	keys := seal.Object{}
	for id, key := range n.keys {
		keys[id] = seal.Base64(key)
	}
	return seal.Object{"node_id": n.id, "keys": keys, "disabled": n.disabled}
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

// States of a node, interface 3.1.
const (
	nodeOK       = "ok"
	nodeDegraded = "degraded"
	nodeOffline  = "offline"
	nodeDisabled = "disabled"
)

// offlineAfter is for how many poll intervals a node may be silent.
const offlineAfter = 3

// state is how the node stands.
func (s *Server) state(n *node, now time.Time) string {
	silent := n.polls == 0 && !now.Before(n.seen.Add(offlineAfter*s.config.Poll))
	switch {
	case n.disabled:
		return nodeDisabled
	case n.seen.IsZero() || silent:
		return nodeOffline
	}
	return n.status
}

// up lists the nodes that may be asked to approve or to witness, by id.
func (s *Server) up(now time.Time) []*node {
	var list []*node
	for _, id := range slices.Sorted(maps.Keys(s.nodes)) {
		if state := s.state(s.nodes[id], now); state == nodeOK || state == nodeDegraded {
			list = append(list, s.nodes[id])
		}
	}
	return list
}

// enabled counts the nodes that are not disabled.
func (s *Server) enabled() int64 {
	var count int64
	for _, n := range s.nodes {
		if !n.disabled {
			count++
		}
	}
	return count
}

// enrol takes in a key of a node: its first, or the next generation.
func (s *Server) enrol(c *call) (seal.Object, error) {
	f := read(c.Body)
	envelope := f.object("enrolment")
	if err := f.close(); err != nil {
		return nil, err
	}
	statement, keyID, public, err := s.enrolment(envelope, c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	err = s.update(func() error {
		n := s.nodes[c.PathValue("id")]
		if n == nil {
			n = &node{id: c.PathValue("id"), keys: map[string]ed25519.PublicKey{}}
		}
		if n.disabled {
			return httpd.Refuse(http.StatusForbidden, "identity_refused", "node %s is disabled", n.id)
		}
		if known := n.keys[keyID]; known != nil {
			if !known.Equal(public) {
				return conflict("another key is known as %s", keyID)
			}
			return nil
		}
		if err := s.admitKey(n, envelope, public); err != nil {
			return err
		}
		s.enterKey(n, seal.Text(statement, "key_id"), public)
		return nil
	})
	return seal.Object{}, err
}

// enrolment reads the statement of an enrolment.
func (s *Server) enrolment(envelope seal.Object, id string) (statement seal.Object, keyID string, public ed25519.PublicKey, err error) {
	statement = seal.Member(envelope, "statement")
	f := read(statement)
	f.word("protocol", "svc.node-enrolment.v1")
	f.word("tenant_id", s.config.TenantID)
	f.word("node_id", id)
	keyID = f.text("key_id", identifier)
	f.text("enrolled_at", anyText)
	text := f.text("public_key", octets)
	if err := f.close(); err != nil {
		return nil, "", nil, err
	}
	if public, err = publicKey(text); err != nil || consent.NodeOf(keyID) != id || !subjectID.MatchString(id) {
		return nil, "", nil, httpd.Invalid("expected a sound key of a generation of a node with a subject id")
	}
	return statement, keyID, public, nil
}

// admitKey checks that a key is the next generation of the node, that the one
// before it vouches for it, and that nobody else has it.
func (s *Server) admitKey(n *node, envelope seal.Object, public ed25519.PublicKey) error {
	keyID, by := generation(n.id, len(n.keys)+1), generation(n.id, max(1, len(n.keys)))
	statement := seal.Member(envelope, "statement")
	if found := seal.Text(statement, "key_id"); found != keyID {
		return conflict("expected the key %s, found %s", keyID, found)
	}
	voucher := public
	if len(n.keys) > 0 {
		voucher = n.keys[by]
	}
	signed := seal.Signed(seal.Text(statement, "protocol"), seal.Canonical(statement), voucher, seal.Text(envelope, "signature"))
	if seal.Text(envelope, "key_id") != by || !signed {
		return httpd.Refuse(http.StatusForbidden, "identity_refused", "expected an enrolment that the key %s signed", by)
	}
	for id, key := range s.roster.Nodes {
		if key.Equal(public) {
			return conflict("the key is known as %s", id)
		}
	}
	return nil
}

// generation is the key id of a generation of a node, from 1 on, SPEC 2.3.
func generation(nodeID string, number int) string {
	if number == 1 {
		return nodeID
	}
	return nodeID + "/" + strconv.Itoa(number)
}

// enterKey takes a key into the node, the roster and the log.
func (s *Server) enterKey(n *node, keyID string, public ed25519.PublicKey) {
	n.keys[keyID] = public
	s.nodes[n.id] = n
	s.roster.Nodes[keyID] = public
	if len(n.keys) == 1 {
		s.cloud.Enrol(n.id, public)
	} else {
		s.cloud.Note("key.rotated", seal.Object{"role": "node", "key_id": keyID, "public_key": seal.Base64(public)})
	}
	s.put(kindNode, n.id, n.document())
	s.publishRoster()
}

// publishRoster signs the next version of the list of all nodes' keys.
func (s *Server) publishRoster() {
	keys := seal.Object{}
	for id, key := range s.roster.Nodes {
		keys[id] = seal.Base64(key)
	}
	s.nodeRoster = seal.Seal(seal.Object{
		"protocol": "svc.node-roster.v1", "tenant_id": s.config.TenantID,
		"roster_version": versionOf(s.nodeRoster, "roster_version") + 1,
		"published_at":   seal.Time(s.now()), "nodes": keys,
	}, s.policyKey)
	s.put(kindState, stateRoster, s.nodeRoster)
}

// versionOf is a version in an envelope's statement, 0 if there is no envelope.
func versionOf(envelope seal.Object, name string) int64 {
	return seal.Integer(seal.Member(envelope, "statement"), name)
}

// disable takes a node out: it is refused from now on, and what it took part in
// and is still open is denied.
func (s *Server) disable(c *call) (seal.Object, error) {
	id := c.PathValue("id")
	f := read(c.Body)
	if err := f.close(); err != nil {
		return nil, err
	}
	err := s.ordered(c, func() error {
		n := s.nodes[id]
		if n == nil {
			return notFound("no node %q", id)
		}
		if n.disabled {
			return nil
		}
		n.disabled = true
		s.put(kindNode, id, n.document())
		s.cloud.Note("node.disabled", seal.Object{"node_id": id})
		for _, t := range s.inOrder() {
			switch {
			case t.tookPart(id) && t.status == statusPending:
				s.deny(t, "node_disabled", "node "+id+", which took part, was disabled")
			case t.rotation != nil:
				s.checkBinding(t)
			default:
				s.advance(t)
			}
		}
		return nil
	})
	return seal.Object{"node_id": id, "state": nodeDisabled}, err
}

// informed is the sequence of the last notice that every node has.
func (s *Server) informed() int64 {
	through := s.notices.newest
	for _, n := range s.nodes {
		if !n.disabled {
			through = min(through, n.noticesAfter)
		}
	}
	return through
}
