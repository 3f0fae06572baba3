package walk

import (
	"cmp"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/trust"
)

// KeyUse counts the statements about one log that are signed under one key id.
// First and Last are the lowest and the highest sequence: of the events, of the
// events that the other statements name, or, for reports, of the tenant log's
// events that contain them.
type KeyUse struct {
	Log    facts.Log
	Kind   facts.StatementKind
	KeyID  string
	By     trust.Signatory
	Pinned bool // the trust file has a key of this id, of the right role and node
	Other  bool // it has one, of another node
	Count  uint64
	Hold   uint64 // their signature holds
	Intact uint64 // of events: the content gives the hash that is written in it
	First  uint64
	Last   uint64
	Places []finding.Evidence // of documents: the first that do not hold
}

// mostPlaces bounds the places of one use.
const mostPlaces = 1_000

// countStatement counts one more statement.
func (u *KeyUse) countStatement(sequence uint64, holds, intact bool) {
	if u.First == 0 || sequence < u.First {
		u.First = sequence
	}
	u.Last = max(u.Last, sequence)
	u.Count++
	if holds {
		u.Hold++
	}
	if intact {
		u.Intact++
	}
}

// merge adds the counts of another part of the log.
func (u *KeyUse) merge(v KeyUse) {
	u.First, u.Last = min(u.First, v.First), max(u.Last, v.Last)
	u.Count, u.Hold, u.Intact = u.Count+v.Count, u.Hold+v.Hold, u.Intact+v.Intact
}

// mostKeyUses bounds the key uses that are counted apart: an honest tenant has a few for each
// log.
const mostKeyUses = 10_000

// useName identifies a use of keys: two uses with one name are one.
type useName struct {
	log   facts.Log
	kind  facts.StatementKind
	keyID string
	by    trust.Signatory
}

// keyUses are the uses of keys that a walk met.
type keyUses map[useName]*KeyUse

// useOf returns the use of a key to count in, nil if there are too many.
func (all keyUses) useOf(log facts.Log, kind facts.StatementKind, keyID string, by trust.Signatory) *KeyUse {
	name := useName{log, kind, keyID, by}
	u := all[name]
	if u == nil && len(all) < mostKeyUses {
		u = &KeyUse{Log: log, Kind: kind, KeyID: keyID, By: by}
		all[name] = u
	}
	return u
}

// countStatement counts one statement that is not an event.
func (all keyUses) countStatement(log facts.Log, kind facts.StatementKind, keyID string, by trust.Signatory,
	sequence uint64, k facts.Pinning, at ...finding.Evidence) {
	u := all.useOf(log, kind, keyID, by)
	if u == nil {
		return
	}
	u.Pinned, u.Other = k != facts.KeyUnpinned && k != facts.KeyOfOther, k == facts.KeyOfOther
	u.countStatement(sequence, k == facts.KeyHolds, true)
	if k != facts.KeyHolds && len(u.Places) < mostPlaces {
		u.Places = append(u.Places, at...)
	}
}

// addEvents counts the events of another part of a log.
func (all keyUses) addEvents(log facts.Log, keys []KeyUse) {
	for _, k := range keys {
		k.Log, k.By = log, ownerOf(log)
		u := all.useOf(k.Log, k.Kind, k.KeyID, k.By)
		switch {
		case u == nil:
		case u.Count == 0:
			*u = k
		default:
			u.merge(k)
		}
	}
}

// allUses returns all uses, in order.
func (all keyUses) allUses() []KeyUse {
	list := make([]KeyUse, 0, len(all))
	for _, u := range all {
		list = append(list, *u)
	}
	slices.SortFunc(list, func(a, b KeyUse) int {
		return cmp.Or(a.Log.Compare(b.Log), strings.Compare(string(a.Kind), string(b.Kind)),
			strings.Compare(a.KeyID, b.KeyID), strings.Compare(string(a.By.Role), string(b.By.Role)),
			strings.Compare(a.By.Node, b.By.Node))
	})
	return list
}
