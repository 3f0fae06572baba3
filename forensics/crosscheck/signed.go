package crosscheck

import (
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/trust"
)

// owned records whether the key that an event of a log names is one of the owner's.
type owned struct {
	log   facts.Log
	keyID string
	ok    bool
}

// verifier describes which events count as statements.
type verifier struct {
	root  *trust.Root
	judge *walk.Judge
	sound func(log facts.Log, sequence uint64) bool // as [Options.Sound]
	logs  map[facts.Log]bool                        // of the case
	owned owned                                     // the key that was looked up last

	// Memory of the events that are judged together.
	headers []*event.Header
	at      []int
}

// judgeEvents sets valid[i] to whether an event of a log counts as a statement.
func (v *verifier) judgeEvents(log facts.Log, events []evidence.Typed, valid []bool) error {
	v.headers, v.at = v.headers[:0], v.at[:0]
	for i := range events {
		e := &events[i].Event
		decided := false
		if valid[i], decided = v.decideKnown(log, e); !decided {
			v.headers, v.at = append(v.headers, &e.Header), append(v.at, i)
		}
	}
	err := v.judge.Judge(log, v.headers)
	for i, h := range v.headers {
		valid[v.at[i]] = h.Valid()
	}
	return err
}

// decideKnown reports whether an event counts as a statement. It is not decided where a signature
// has to be verified for it.
func (v *verifier) decideKnown(log facts.Log, e *facts.Event) (valid, decided bool) {
	switch {
	case !v.isOwners(log, e.KeyID):
		return false, true
	case e.Judged():
		return e.Valid(), true
	case !e.Intact():
		return false, true
	}
	sound := v.isSound(log, e.Link.Sequence)
	return sound, sound
}

func (v *verifier) isSound(log facts.Log, sequence uint64) bool {
	return v.sound != nil && v.sound(log, sequence)
}

// isGenuine reports whether an event gives its own hash, under a signature by a key
// of its log's owner (SPEC 3.3, 4.2).
func (v *verifier) isGenuine(log facts.Log, e *facts.Event) (bool, error) {
	if valid, decided := v.decideKnown(log, e); decided {
		return valid, nil
	}
	err := v.judge.Judge(log, []*event.Header{&e.Header})
	return e.Valid(), err
}

// isOwners reports whether a key is pinned for a log's owner.
func (v *verifier) isOwners(log facts.Log, keyID string) bool {
	if o := &v.owned; o.log == log && o.keyID == keyID {
		return o.ok
	}
	ok := false
	if node, ofNode := log.Node(); ofNode {
		ok = v.isNodeKey(node, keyID)
	} else if log.IsTenant() {
		_, ok = v.root.Key(trust.Audit, keyID)
	}
	v.owned = owned{log, keyID, ok}
	return ok
}

func (v *verifier) isNodeKey(node, keyID string) bool {
	key, ok := v.root.Key(trust.Node, keyID)
	return ok && key.Node == node
}
