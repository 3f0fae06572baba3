package walktest

import (
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Alter replaces a copy by an altered one.
func (e Evidence) Alter(l walk.Log, i int, change func(seal.Object)) {
	o := seal.CloneObject(e.Copies[l][i].Object)
	change(o)
	e.Copies[l][i].Object = o
}

// AddAltered puts an altered copy beside the genuine one.
func (e Evidence) AddAltered(l walk.Log, i int, change func(seal.Object)) {
	e.Copies[l] = append(e.Copies[l], e.Copies[l][i])
	e.Alter(l, len(e.Copies[l])-1, change)
}

// AlterBody changes the salt, which every event has.
func AlterBody(o seal.Object) {
	body := seal.Member(o, "body")
	raw, _ := seal.Unbase64(seal.Text(body, "salt"))
	raw[0] ^= 1
	body["salt"] = seal.Base64(raw)
}

// Spoil replaces a character of what a usual event says, as a transport does
// that takes it for no text. Other events say nothing that can be spoilt.
func Spoil(o seal.Object) {
	data := seal.Member(seal.Member(o, "body"), "data")
	if text, ok := data["text"].(string); ok && text[0] == 'e' {
		data["text"] = "\ufffd" + text[1:]
	}
}

// AlterHash changes one of the hashes that are written in an event.
func AlterHash(name string) func(seal.Object) {
	return func(o seal.Object) { o[name] = Flip(seal.Text(o, name)) }
}

// Flip changes the first hex digit.
func Flip(hash string) string {
	first := byte('0')
	if hash[0] == first {
		first = '1'
	}
	return string(first) + hash[1:]
}

// AlterSignature changes one bit of the signature.
func AlterSignature(o seal.Object) {
	raw, _ := seal.Unbase64(seal.Text(o, "signature"))
	raw[7] ^= 1
	o["signature"] = seal.Base64(raw)
}

// RenameKey writes another key id beside the signature.
func RenameKey(id string) func(seal.Object) { return func(o seal.Object) { o["key_id"] = id } }

// Rehash writes down the hash that the altered content gives.
func Rehash(change func(seal.Object)) func(seal.Object) {
	return func(o seal.Object) {
		change(o)
		o["hash"] = linkOf(o).Hash().String()
	}
}

// Resign lets a key sign the altered content.
func Resign(key seal.Key, change func(seal.Object)) func(seal.Object) {
	return func(o seal.Object) {
		change(o)
		for name, value := range seal.SealEvent(seal.Member(o, "body"), linkOf(o), key) {
			o[name] = value
		}
	}
}

func linkOf(o seal.Object) seal.Link {
	hash := func(s string) seal.Hash {
		h, err := seal.ParseHash(s)
		if err != nil {
			panic(err)
		}
		return h
	}
	body := seal.Member(o, "body")
	return seal.Link{Sequence: uint64(seal.Integer(body, "sequence")), Previous: hash(seal.Text(o, "previous_hash")),
		Skip: hash(seal.Text(o, "skip_hash")), Body: hash(seal.Digest(body))}
}

// backdate lets an event say that it occurred earlier.
func backdate(by time.Duration) func(seal.Object) {
	return func(o seal.Object) {
		body := seal.Member(o, "body")
		at, err := seal.ParseTime(seal.Text(body, "occurred_at"))
		if err != nil {
			panic(err)
		}
		body["occurred_at"] = seal.Time(at.Add(-by))
	}
}

// Resequence lets an event say that it stands so many sequences further on.
func Resequence(by uint64) func(seal.Object) {
	return func(o seal.Object) {
		body := seal.Member(o, "body")
		body["sequence"] = seal.Integer(body, "sequence") + int64(by)
	}
}

// Forge makes n events that go on from the last one of a log, signed by a key.
func (w *World) Forge(l walk.Log, n int, key seal.Key) []Copy {
	var before []seal.Object
	for _, c := range w.Copies[l] {
		before = append(before, c.Object)
	}
	spine := seal.LogOf(l.TenantID, l.LogID, before)
	var made []Copy
	for range n {
		made = append(made, Copy{Object: spine.Append(w.Entry("policy.synced", seal.Object{}), key)})
	}
	return made
}

// Rewrite makes another history of the events from i on, n of them, signed by
// the log's own key.
func (w *World) Rewrite(l walk.Log, i, n int, change func(seal.Object)) []Copy {
	genuine := w.Copies[l]
	var before []seal.Object
	for _, c := range genuine[:i] {
		before = append(before, c.Object)
	}
	spine := seal.LogOf(l.TenantID, l.LogID, before)
	var made []Copy
	for _, c := range genuine[i : i+n] {
		o := seal.CloneObject(c.Object)
		change(o)
		made = append(made, Copy{Object: spine.AppendBody(seal.Member(o, "body"), w.Keys[seal.Text(c.Object, "key_id")])})
	}
	return made
}

// Remove removes n copies from i on.
func (e Evidence) Remove(l walk.Log, i, n int) { e.Copies[l] = slices.Delete(e.Copies[l], i, i+n) }
