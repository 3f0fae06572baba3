package crosscheck

import (
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/internal/eddsa"
	"github.com/svc-edge/svc-verify/trust"
)

// Judgement is what a walk over the case found of a copy of an event.
type Judgement struct {
	Valid  bool // it gives its own hash, under a signature by a pinned key of its log's role
	Report bool // it is valid, and so is the report of a node in it (SPEC 4.4)
}

// Known is what a walk over the case has found already, in the same run and
// under the same trust file. It is believed: it must never come from a file.
type Known interface {
	// Judgement returns what was found of a copy; ok is false if nothing was.
	Judgement(log casefile.Log, sequence uint64, ref casefile.Ref) (j Judgement, ok bool)
}

// signature is one signature to verify.
type signature struct {
	key       trust.PublicKey
	hash      chain.Hash
	signature [event.SignatureSize]byte
}

// owned is the key that an event of a log names, if it is one of the owner's.
type owned struct {
	log   logName
	keyID string
	key   trust.PublicKey
	ok    bool
}

// judge sets valid[i] to whether an event of a log counts as a statement.
func (x *checker) judge(log logName, events []casefile.Typed, valid []bool) error {
	claims, at := x.claims[:0], x.at[:0]
	for i := range events {
		e := &events[i].Event
		undecided, known := x.claim(log, e)
		if valid[i] = known; undecided != nil {
			claims, at = append(claims, *undecided), append(at, i)
		}
	}
	x.claims, x.at = claims, at
	held, err := x.verify(claims)
	if err != nil {
		return err
	}
	for i, ok := range held {
		valid[at[i]] = ok
	}
	return nil
}

// claim returns whether an event is known to count as a statement, and the
// signature that decides it if that is not known.
func (x *checker) claim(log logName, e *casefile.Event) (undecided *signature, valid bool) {
	key, ok := x.owner(log, e.KeyID)
	if !ok {
		return nil, false
	}
	if x.known != nil {
		if j, ok := x.known.Judgement(x.logs[log], e.Link.Sequence, e.Ref); ok {
			return nil, j.Valid
		}
	}
	if e.Link.Hash() != e.Recorded {
		return nil, false
	}
	return &signature{key, e.Recorded, e.Signature}, false
}

// knows reports whether an event is known to be valid.
func (x *checker) knows(log logName, e *casefile.Event) bool {
	if x.known == nil {
		return false
	}
	j, ok := x.known.Judgement(x.logs[log], e.Link.Sequence, e.Ref)
	return ok && j.Valid
}

// holds reports whether an event gives its own hash, under a signature by a key
// of its log's owner (SPEC 3.3, 4.2).
func (x *checker) holds(log logName, e *casefile.Event) (bool, error) {
	undecided, valid := x.claim(log, e)
	if undecided == nil {
		return valid, nil
	}
	held, err := x.verify([]signature{*undecided})
	return err == nil && held[0], err
}

// verify returns which signatures hold, until it is called again. Those under
// one key are verified together as far as they are neighbours.
func (x *checker) verify(claims []signature) ([]bool, error) {
	x.valid, x.items = x.valid[:0], x.items[:0]
	for i := range claims {
		c := &claims[i]
		x.items = append(x.items, eddsa.Item{Message: trust.PAE(event.Protocol, c.hash[:]), Signature: c.signature[:]})
		x.valid = append(x.valid, false)
	}
	for i := 0; i < len(claims); {
		end := i + 1
		for end < len(claims) && claims[end].key == claims[i].key {
			end++
		}
		if err := x.keys.Of(claims[i].key).Verify(x.items[i:end], x.valid[i:end]); err != nil {
			return nil, err
		}
		i = end
	}
	x.keys.Trim()
	return x.valid, nil
}

// owner returns the pinned key of a log's owner.
func (x *checker) owner(log logName, keyID string) (trust.PublicKey, bool) {
	if o := &x.owned; o.log == log && o.keyID == keyID {
		return o.key, o.ok
	}
	o := owned{log: log, keyID: keyID}
	if node, ofNode := log.node(); ofNode {
		o.key, o.ok = x.nodeKey(node, keyID)
	} else {
		key, ok := x.root.Key(trust.Audit, keyID)
		o.key, o.ok = key.Public, ok && log.isTenant()
	}
	x.owned = o
	return o.key, o.ok
}

func (x *checker) nodeKey(node, keyID string) (trust.PublicKey, bool) {
	key, ok := x.root.Key(trust.Node, keyID)
	return key.Public, ok && key.Node == node
}
