package tamper

import (
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// keyless are the acts that need no key.
var keyless = []act{
	{name: "drop", inPlace: true, play: dropEvents},
	{name: "drop the head", inPlace: true, edge: true, play: droppedHead},
	{name: "drop the tail", inPlace: true, edge: true, play: droppedTail},
	{name: "drop all", inPlace: true, edge: true, play: droppedAll},
	{name: "renumber", play: renumberEvents},
	{name: "alter the time", play: onEvent(forge.AlterTime)},
	{name: "alter the type", play: onBody("type", "policy.changed")},
	{name: "alter the data", play: onBody("data", seal.Object{"decision": "allow"})},
	{name: "alter the transaction", play: onBody("transaction_id", "tx-2026-9999")},
	{name: "alter, with spaces", play: onEvent(then(forge.AlterTime, forge.Spaced))},
	{name: "alter, with escapes", play: onEvent(then(forge.AlterTime, forge.Escaped))},
	{name: "alter, quoted", play: onEvent(then(forge.AlterTime, forge.Quoted))},
	{name: "null", play: onBody("occurred_at", seal.Raw("null"))},
	{name: "fraction", play: onBody("data", seal.Object{"policy_version": seal.Raw("7.5")})},
	{name: "swap signatures", play: swappedSignatures},
	{name: "exchange", play: exchangeEvents},
	{name: "alter the signature", play: onEvent(forge.OnLine(forge.AlterSignature))},
	{name: "alter the link", play: onEvent(forge.OnLine(forge.AlterHash("previous_hash")))},
	{name: "alter the hash", play: onEvent(forge.OnLine(forge.AlterHash("hash")))},
	{name: "alter the skip link", play: onEvent(forge.OnLine(forge.AlterHash("skip_hash")))},
	{name: "shift all times", play: onAll(forge.Shift(time.Hour))},
	{name: "rename the log", invents: true, as: renamedTo, play: onAll(forge.SetBody("log_id", renamedTo))},
	{name: "change the tenant", invents: true, play: onAll(forge.SetBody("tenant_id", "other-corp"))},
	{name: "forge the next", invents: true, play: forgedNext},
	{name: "forge one between", play: forgedBetween},
	{name: "forge one far off", invents: true, play: forgedFar},
	{name: "repeat", harmless: true, inPlace: true, play: repeatEvents},
	{name: "reorder", harmless: true, inPlace: true, play: reorderEvents},
	{name: "respell", harmless: true, play: onEvent(forge.Spaced)},
}

// atStores are the acts that need a store.
var atStores = []act{
	{name: "cut an event",
		play: onEvent(func(line []byte) []byte { return line[:len(line)/2] })},
	{name: "hide", play: onEvent(then(forge.AlterTime, forge.Hidden))},
}

func dropEvents(_ *hand, d draw, all []entry) ([]entry, uint64, uint64) {
	return withoutFile(all, d.at, d.at+d.n-1)
}

func droppedHead(_ *hand, d draw, all []entry) ([]entry, uint64, uint64) {
	return withoutFile(all, 1, d.head)
}

func droppedTail(_ *hand, d draw, all []entry) ([]entry, uint64, uint64) {
	return withoutFile(all, d.last-d.tail+1, d.last)
}

func droppedAll(_ *hand, d draw, all []entry) ([]entry, uint64, uint64) {
	return withoutFile(all, 1, d.last)
}

func withoutFile(all []entry, first, last uint64) ([]entry, uint64, uint64) {
	gone := func(e entry) bool { return first <= e.sequence && e.sequence <= last }
	return slices.DeleteFunc(slices.Clone(all), gone), first, last
}

func renumberEvents(_ *hand, d draw, all []entry) ([]entry, uint64, uint64) {
	kept, _, _ := withoutFile(all, d.at, d.at)
	for i := range kept {
		if kept[i].sequence > d.at {
			event := forge.Parse(kept[i].line)
			seal.Member(event, "body")["sequence"] = int64(kept[i].sequence - 1)
			kept[i].line = seal.Canonical(event)
		}
	}
	return kept, d.at, d.last - 1
}

// onEvent changes one event.
func onEvent(change func(line []byte) []byte) playing {
	return func(_ *hand, d draw, all []entry) ([]entry, uint64, uint64) {
		out := slices.Clone(all)
		for i := range out {
			if out[i].sequence == d.at {
				out[i].line = change(slices.Clone(out[i].line))
			}
		}
		return out, d.at, d.at
	}
}

func then(first, second func([]byte) []byte) func([]byte) []byte {
	return func(line []byte) []byte { return second(first(line)) }
}

func onBody(member string, value any) playing {
	return onEvent(forge.OnLine(forge.SetBody(member, value)))
}

func swappedSignatures(_ *hand, d draw, all []entry) ([]entry, uint64, uint64) {
	return onTwo(d, all, func(a, b seal.Object) { a["signature"], b["signature"] = b["signature"], a["signature"] })
}

func exchangeEvents(_ *hand, d draw, all []entry) ([]entry, uint64, uint64) {
	return onTwo(d, all, func(a, b seal.Object) {
		x, y := seal.Member(a, "body"), seal.Member(b, "body")
		x["sequence"], y["sequence"] = y["sequence"], x["sequence"]
	})
}

// onTwo changes two neighbours.
func onTwo(d draw, all []entry, change func(a, b seal.Object)) ([]entry, uint64, uint64) {
	out := slices.Clone(all)
	i := slices.IndexFunc(out, func(e entry) bool { return e.sequence == d.at })
	a, b := forge.Parse(out[i].line), forge.Parse(out[i+1].line)
	change(a, b)
	out[i].line, out[i+1].line = seal.Canonical(a), seal.Canonical(b)
	return out, d.at, d.at + 1
}

// onAll changes every event.
func onAll(change func(event seal.Object)) playing {
	return func(_ *hand, d draw, all []entry) ([]entry, uint64, uint64) {
		out := slices.Clone(all)
		for i := range out {
			out[i].line = forge.OnLine(change)(out[i].line)
		}
		return out, 1, d.last
	}
}

// renamedTo is a log that does not exist.
const renamedTo = "node/mesh-madrid-1"

// unsignedEvents are events that follow, linked as they should be and signed by a key
// that is not the node's.
func unsignedEvents(h *hand, d draw) []entry {
	o := h.ofNode(d.last)
	o.Key = forge.Stranger(o.Key.ID)
	var more []entry
	for i, event := range o.More(d.n) {
		more = append(more, entry{sequence: d.last + 1 + uint64(i), line: seal.Canonical(event)})
	}
	return more
}

func forgedNext(h *hand, d draw, all []entry) ([]entry, uint64, uint64) {
	return appendEvents(all, unsignedEvents(h, d)...), d.last + 1, d.last + d.n
}

// appendEvents puts events behind the others, into the last batch.
func appendEvents(all []entry, more ...entry) []entry {
	out := slices.Clone(all)
	for _, e := range more {
		if len(all) > 0 {
			e.batch = all[len(all)-1].batch
		}
		out = append(out, e)
	}
	return out
}

func forgedBetween(h *hand, d draw, all []entry) ([]entry, uint64, uint64) {
	o := h.ofNode(d.at - 1)
	o.Key = forge.Stranger(o.Key.ID)
	return appendEvents(all, entry{sequence: d.at, line: seal.Canonical(o.More(1)[0])}), d.at, d.at
}

func forgedFar(h *hand, d draw, all []entry) ([]entry, uint64, uint64) {
	event := h.eventOf(d.node, d.at)
	seal.Member(event, "body")["sequence"] = int64(far)
	return appendEvents(all, entry{sequence: far, line: seal.Canonical(event)}), far, far
}

func repeatEvents(_ *hand, d draw, all []entry) ([]entry, uint64, uint64) {
	i := slices.IndexFunc(all, func(e entry) bool { return e.sequence == d.at })
	return slices.Insert(slices.Clone(all), i+1, all[i]), d.at, d.at
}

func reorderEvents(_ *hand, d draw, all []entry) ([]entry, uint64, uint64) {
	out := slices.Clone(all)
	i := slices.IndexFunc(out, func(e entry) bool { return e.sequence == d.at })
	out[i].line, out[i+1].line = out[i+1].line, out[i].line
	return out, d.at, d.at + 1
}
