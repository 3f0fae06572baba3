package node

import (
	"fmt"
	"iter"
	"strconv"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// State is the data that a node must not lose, as documents.
type State struct {
	Journal   iter.Seq2[seal.Object, error] // every event, from sequence 1 on
	Policy    seal.Object                   // the envelope taken over last, nil if none
	Roster    seal.Object                   // likewise
	Witnessed seal.Object                   // as WitnessedState gave it last, nil if never
}

// Restore returns the node of a state. It fails if the state cannot be one of
// this node; a node must not go on from there.
func Restore(c Config, s State) (*Node, error) {
	n := Start(c)
	for event, err := range s.Journal {
		if err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
		if err := n.log.Resume(event); err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
		n.head = event
	}
	// A roster whose key was withdrawn leaves the node with its own keys, until a
	// newer one comes.
	if err := n.TakeRoster(s.Roster); err != nil {
		n.rosterAt = seal.Integer(seal.Member(s.Roster, "statement"), "roster_version")
	}
	n.restorePolicy(s.Policy)
	if s.Witnessed != nil {
		if err := n.witnessed.restoreWitnessed(s.Witnessed); err != nil {
			return nil, fmt.Errorf("witnessed: %w", err)
		}
	}
	return n, nil
}

// restorePolicy restores a policy, unless the key that signed it was withdrawn: then the node
// denies everything until a newer one comes.
func (n *Node) restorePolicy(envelope seal.Object) {
	n.synced = seal.Integer(seal.Member(envelope, "statement"), "policy_version")
	if policy, err := n.openPolicy(envelope); err == nil {
		n.policy = policy
	}
}

// WitnessedState returns, once the node has witnessed, the tenant log's state that it must
// keep before a receipt leaves it, SPEC 5.2: { sequence, hashes: { sequence: hash, … },
// receipt }.
func (n *Node) WitnessedState() seal.Object {
	hashes := seal.Object{}
	for sequence, hash := range n.witnessed.frontier.Hashes() {
		hashes[strconv.FormatUint(sequence, 10)] = hash.String()
	}
	return seal.Object{"sequence": int64(n.Witnessed()), "hashes": hashes, "receipt": n.witnessed.receipt}
}

func (w *witnessed) restoreWitnessed(state seal.Object) error {
	hashes := map[uint64]chain.Hash{}
	for text, value := range seal.Member(state, "hashes") {
		sequence, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return fmt.Errorf("expected a sequence, found %q", text)
		}
		hash, err := seal.ParseHash(fmt.Sprint(value))
		if err != nil {
			return fmt.Errorf("sequence %d: %w", sequence, err)
		}
		hashes[sequence] = chain.Hash(hash)
	}
	sequence := seal.Integer(state, "sequence")
	if sequence < 1 {
		return fmt.Errorf("sequence: expected one from 1 on, found %d", sequence)
	}
	frontier, err := chain.RestoreFrontier(uint64(sequence), hashes)
	if err != nil {
		return err
	}
	receipt := seal.Member(state, "receipt")
	if seal.Text(seal.Member(receipt, "statement"), "head_hash") != frontier.Head().String() {
		return fmt.Errorf("the receipt is not for the head of event %d", sequence)
	}
	w.frontier, w.receipt = frontier, receipt
	return nil
}
