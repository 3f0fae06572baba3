package walk

import (
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/wire"
)

// The damages. Each takes the place i of an event among the copies of a log.

// alter replaces a copy by an altered one.
func (e evidence) alter(l Log, i int, change func(wire.Object)) {
	o := wire.CloneObject(e.copies[l][i].Object)
	change(o)
	e.copies[l][i].Object = o
}

// addAltered puts an altered copy beside the genuine one.
func (e evidence) addAltered(l Log, i int, change func(wire.Object)) {
	e.copies[l] = append(e.copies[l], e.copies[l][i])
	e.alter(l, len(e.copies[l])-1, change)
}

// alterBody changes the salt, which every event has.
func alterBody(o wire.Object) {
	body := wire.Member(o, "body")
	raw, _ := wire.Unbase64(wire.Text(body, "salt"))
	raw[0] ^= 1
	body["salt"] = wire.Base64(raw)
}

func alterHash(name string) func(wire.Object) {
	return func(o wire.Object) { o[name] = flip(wire.Text(o, name)) }
}

// flip changes the first hex digit.
func flip(hash string) string {
	first := byte('0')
	if hash[0] == first {
		first = '1'
	}
	return string(first) + hash[1:]
}

func alterSignature(o wire.Object) {
	raw, _ := wire.Unbase64(wire.Text(o, "signature"))
	raw[7] ^= 1
	o["signature"] = wire.Base64(raw)
}

func renameKey(id string) func(wire.Object) { return func(o wire.Object) { o["key_id"] = id } }

// rehash writes down the hash that the altered content gives.
func rehash(change func(wire.Object)) func(wire.Object) {
	return func(o wire.Object) {
		change(o)
		o["hash"] = linkOf(o).Hash().String()
	}
}

// resign lets a key sign the altered content.
func resign(key wire.Key, change func(wire.Object)) func(wire.Object) {
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

// rewrite makes another history of the events from i on, n of them, signed by
// the log's own key.
func (w *world) rewrite(l Log, i, n int, change func(wire.Object)) []copied {
	genuine := w.copies[l]
	var before []wire.Object
	for _, c := range genuine[:i] {
		before = append(before, c.Object)
	}
	spine := wire.LogOf(l.TenantID, l.LogID, before)
	var made []copied
	for _, c := range genuine[i : i+n] {
		o := wire.CloneObject(c.Object)
		change(o)
		made = append(made, copied{Object: spine.AppendBody(wire.Member(o, "body"), w.keys[wire.Text(c.Object, "key_id")])})
	}
	return made
}

// remove removes n copies from i on.
func (e evidence) remove(l Log, i, n int) { e.copies[l] = slices.Delete(e.copies[l], i, i+n) }
