package crosscheck

import (
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/eddsa"
	"github.com/svc-edge/svc-verify/trust"
)

// Judgement is a walk's judgement of one copy of an event.
type Judgement struct {
	Valid  bool // it gives its own hash, under a signature by a pinned key of its log's role
	Report bool // it is valid, and so is the report of a node in it (SPEC 4.4)
}

// Known gives the judgements of a walk over the same case, in the same process and
// under the same trust file. They are believed, so they must never come from a
// file.
type Known interface {
	// Judgement returns the judgement of a copy. It returns false if there is
	// none.
	Judgement(log evidence.Log, sequence uint64, ref facts.Ref) (j Judgement, ok bool)
}

// signature is one signature to verify.
type signature struct {
	key       trust.PublicKey
	hash      chain.Hash
	signature [event.SignatureSize]byte
}

// owned is the key that an event of a log names, if it is one of the owner's.
type owned struct {
	log   facts.Log
	keyID string
	key   trust.PublicKey
	ok    bool
}

// verifier describes which events count as statements.
type verifier struct {
	root  *trust.Root
	known Known                      // nil for nothing
	logs  map[facts.Log]evidence.Log // of the case
	keys  *eddsa.Keys                // that are verified under here
	owned owned                      // the key that was looked up last

	// Memory of the signatures that are verified together.
	claims []signature
	at     []int
	items  []eddsa.Item
	valid  []bool
}

// judgeEvents sets valid[i] to whether an event of a log counts as a statement.
func (v *verifier) judgeEvents(log facts.Log, events []evidence.Typed, valid []bool) error {
	claims, at := v.claims[:0], v.at[:0]
	for i := range events {
		e := &events[i].Event
		undecided, known := v.claim(log, e)
		if valid[i] = known; undecided != nil {
			claims, at = append(claims, *undecided), append(at, i)
		}
	}
	v.claims, v.at = claims, at
	held, err := v.verifySignatures(claims)
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
func (v *verifier) claim(log facts.Log, e *facts.Event) (undecided *signature, valid bool) {
	key, ok := v.owner(log, e.KeyID)
	if !ok {
		return nil, false
	}
	if e.Judged() {
		return nil, e.Valid()
	}
	if v.known != nil {
		if j, ok := v.known.Judgement(v.logs[log], e.Link.Sequence, e.Ref); ok {
			return nil, j.Valid
		}
	}
	if !e.Intact() {
		return nil, false
	}
	return &signature{key, e.Recorded, e.Signature}, false
}

// knows reports whether an event is known to be valid.
func (v *verifier) knows(log facts.Log, e *facts.Event) bool {
	if v.known == nil || e.Judged() {
		return e.Valid()
	}
	j, ok := v.known.Judgement(v.logs[log], e.Link.Sequence, e.Ref)
	return ok && j.Valid
}

// isGenuine reports whether an event gives its own hash, under a signature by a key
// of its log's owner (SPEC 3.3, 4.2).
func (v *verifier) isGenuine(log facts.Log, e *facts.Event) (bool, error) {
	undecided, valid := v.claim(log, e)
	if undecided == nil {
		return valid, nil
	}
	held, err := v.verifySignatures([]signature{*undecided})
	return err == nil && held[0], err
}

// verifySignatures returns which signatures hold, until it is called again. Those under
// one key are verified together as far as they are neighbours.
func (v *verifier) verifySignatures(claims []signature) ([]bool, error) {
	v.valid, v.items = v.valid[:0], v.items[:0]
	for i := range claims {
		c := &claims[i]
		v.items = append(v.items, eddsa.Item{Message: trust.PAE(event.Protocol, c.hash[:]), Signature: c.signature[:]})
		v.valid = append(v.valid, false)
	}
	for i := 0; i < len(claims); {
		end := i + 1
		for end < len(claims) && claims[end].key == claims[i].key {
			end++
		}
		if err := v.keys.Of(claims[i].key).Verify(v.items[i:end], v.valid[i:end]); err != nil {
			return nil, err
		}
		i = end
	}
	return v.valid, nil
}

// owner returns the pinned key of a log's owner.
func (v *verifier) owner(log facts.Log, keyID string) (trust.PublicKey, bool) {
	if o := &v.owned; o.log == log && o.keyID == keyID {
		return o.key, o.ok
	}
	o := owned{log: log, keyID: keyID}
	if node, ofNode := log.Node(); ofNode {
		o.key, o.ok = v.nodeKey(node, keyID)
	} else {
		key, ok := v.root.Key(trust.Audit, keyID)
		o.key, o.ok = key.Public, ok && log.IsTenant()
	}
	v.owned = o
	return o.key, o.ok
}

func (v *verifier) nodeKey(node, keyID string) (trust.PublicKey, bool) {
	key, ok := v.root.Key(trust.Node, keyID)
	return key.Public, ok && key.Node == node
}
