package walktest

import (
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness/wire"
)

// Alter replaces a copy by an altered one.
func (e Evidence) Alter(l walk.Log, i int, change func(wire.Object)) {
	o := wire.CloneObject(e.Copies[l][i].Object)
	change(o)
	e.Copies[l][i].Object = o
}

// AddAltered puts an altered copy beside the genuine one.
func (e Evidence) AddAltered(l walk.Log, i int, change func(wire.Object)) {
	e.Copies[l] = append(e.Copies[l], e.Copies[l][i])
	e.Alter(l, len(e.Copies[l])-1, change)
}

// AlterBody changes the salt, which every event has.
func AlterBody(o wire.Object) {
	body := wire.Member(o, "body")
	raw, _ := wire.Unbase64(wire.Text(body, "salt"))
	raw[0] ^= 1
	body["salt"] = wire.Base64(raw)
}

// Spoil replaces a character of what a usual event says, as a transport does
// that takes it for no text. Other events say nothing that can be spoilt.
func Spoil(o wire.Object) {
	data := wire.Member(wire.Member(o, "body"), "data")
	if text, ok := data["text"].(string); ok && text[0] == 'e' {
		data["text"] = "\ufffd" + text[1:]
	}
}

// AlterHash changes one of the hashes that are written in an event.
func AlterHash(name string) func(wire.Object) {
	return func(o wire.Object) { o[name] = Flip(wire.Text(o, name)) }
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
func AlterSignature(o wire.Object) {
	raw, _ := wire.Unbase64(wire.Text(o, "signature"))
	raw[7] ^= 1
	o["signature"] = wire.Base64(raw)
}

// RenameKey writes another key id beside the signature.
func RenameKey(id string) func(wire.Object) { return func(o wire.Object) { o["key_id"] = id } }

// Rehash writes down the hash that the altered content gives.
func Rehash(change func(wire.Object)) func(wire.Object) {
	return func(o wire.Object) {
		change(o)
		o["hash"] = linkOf(o).Hash().String()
	}
}

// Resign lets a key sign the altered content.
func Resign(key wire.Key, change func(wire.Object)) func(wire.Object) {
	return func(o wire.Object) {
		change(o)
		for name, value := range wire.SealEvent(wire.Member(o, "body"), linkOf(o), key) {
			o[name] = value
		}
	}
}

func linkOf(o wire.Object) wire.Link {
	hash := func(s string) wire.Hash {
		h, err := wire.ParseHash(s)
		if err != nil {
			panic(err)
		}
		return h
	}
	body := wire.Member(o, "body")
	return wire.Link{Sequence: uint64(wire.Integer(body, "sequence")), Previous: hash(wire.Text(o, "previous_hash")),
		Skip: hash(wire.Text(o, "skip_hash")), Body: hash(wire.Digest(body))}
}

// backdate lets an event say that it occurred earlier.
func backdate(by time.Duration) func(wire.Object) {
	return func(o wire.Object) {
		body := wire.Member(o, "body")
		at, err := wire.ParseTime(wire.Text(body, "occurred_at"))
		if err != nil {
			panic(err)
		}
		body["occurred_at"] = wire.Time(at.Add(-by))
	}
}

// Resequence lets an event say that it stands so many sequences further on.
func Resequence(by uint64) func(wire.Object) {
	return func(o wire.Object) {
		body := wire.Member(o, "body")
		body["sequence"] = wire.Integer(body, "sequence") + int64(by)
	}
}

// Forge makes n events that go on from the last one of a log, signed by a key.
func (w *World) Forge(l walk.Log, n int, key wire.Key) []Copy {
	var before []wire.Object
	for _, c := range w.Copies[l] {
		before = append(before, c.Object)
	}
	spine := wire.LogOf(l.TenantID, l.LogID, before)
	var made []Copy
	for range n {
		made = append(made, Copy{Object: spine.Append(w.Entry("policy.synced", wire.Object{}), key)})
	}
	return made
}

// Rewrite makes another history of the events from i on, n of them, signed by
// the log's own key.
func (w *World) Rewrite(l walk.Log, i, n int, change func(wire.Object)) []Copy {
	genuine := w.Copies[l]
	var before []wire.Object
	for _, c := range genuine[:i] {
		before = append(before, c.Object)
	}
	spine := wire.LogOf(l.TenantID, l.LogID, before)
	var made []Copy
	for _, c := range genuine[i : i+n] {
		o := wire.CloneObject(c.Object)
		change(o)
		made = append(made, Copy{Object: spine.AppendBody(wire.Member(o, "body"), w.Keys[wire.Text(c.Object, "key_id")])})
	}
	return made
}

// Remove removes n copies from i on.
func (e Evidence) Remove(l walk.Log, i, n int) { e.Copies[l] = slices.Delete(e.Copies[l], i, i+n) }
