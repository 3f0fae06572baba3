package pairs

import (
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// History is one history of a tenant log, from which bundles can be exported at any sequence.
// Its skip links can lie.
type History struct {
	keys   harness.Keys
	events []seal.Object
	links  []seal.Link
	hashes []seal.Hash         // from genesis on
	lies   map[uint64]*History // the history that the skip link of an event names, if another
}

// Honest returns the history of a scene's tenant log.
func Honest(scene *harness.Scene) *History {
	h := empty(scene.Keys)
	for _, event := range scene.Tenant {
		h.takeEvent(event)
	}
	return h
}

func empty(keys harness.Keys) *History {
	return &History{keys: keys, hashes: []seal.Hash{seal.Genesis(harness.Tenant, "tenant/"+harness.Tenant)},
		lies: map[uint64]*History{}}
}

// takeEvent signs the body of an event as the next event.
func (h *History) takeEvent(event seal.Object) {
	body, n := seal.CloneObject(seal.Member(event, "body")), uint64(len(h.hashes))
	body["sequence"] = int64(n)
	link := seal.Link{Sequence: n, Previous: h.hashes[n-1], Skip: h.hashes[seal.Skip(n)],
		Body: seal.LogOf("", "", []seal.Object{{"body": body}}).Link(1).Body}
	if other := h.lies[n]; other != nil {
		link.Skip = other.hashes[seal.Skip(n)]
	}
	h.events = append(h.events, seal.SignEvent(body, link, h.keys.Audit[seal.Text(event, "key_id")]))
	h.links, h.hashes = append(h.links, link), append(h.hashes, link.Hash())
}

// Length is the sequence of the last event.
func (h *History) Length() uint64 { return uint64(len(h.events)) }

// With returns the history with more events at its end.
func (h *History) With(events ...seal.Object) *History { return h.takeAgain(nil, 0, nil, events) }

// Other returns another history: the same up to event n, which is changed.
func (h *History) Other(n uint64) *History {
	change := func(body seal.Object) { body["salt"] = "AAAAAAAAAAAAAAAAAAAAAA" }
	return h.takeAgain(nil, n, change, nil)
}

// Lying returns the history with a false skip link: the link of event n names the event of
// another history.
func (h *History) Lying(n uint64, other *History) *History {
	return h.takeAgain(map[uint64]*History{n: other}, 0, nil, nil)
}

func (h *History) takeAgain(lies map[uint64]*History, n uint64, change func(seal.Object), more []seal.Object) *History {
	next := empty(h.keys)
	maps.Copy(next.lies, lies)
	for _, event := range slices.Concat(h.events, more) {
		if uint64(len(next.hashes)) == n {
			event = seal.CloneObject(event)
			change(seal.Member(event, "body"))
		}
		next.takeEvent(event)
	}
	return next
}

// Event returns an event.
func (h *History) Event(n uint64) seal.Object { return seal.CloneObject(h.events[n-1]) }

// Export returns a bundle as if it had been exported at a sequence of this
// history: with these events disclosed, and signed by the keys that signed it
// before.
func (h *History) Export(bundle seal.Object, at uint64, disclosed ...uint64) seal.Object {
	b := seal.CloneObject(bundle)
	b["audit_path"] = seal.Object{"links": h.pathThrough(at, disclosed)}
	checkpoint := seal.Member(seal.Member(b, "checkpoint"), "statement")
	checkpoint["sequence"], checkpoint["head_hash"] = int64(at), h.hashes[at].String()
	return stampBundle(b, h.keys)
}

// pathThrough is the way from a sequence through the disclosed events, which follows a
// lying skip link into the other history.
func (h *History) pathThrough(n uint64, disclosed []uint64) []any {
	targets := slices.Sorted(slices.Values(disclosed))
	slices.Reverse(targets)
	var links []any
	for from := h; ; {
		if n != targets[0] {
			links = append(links, from.links[n-1].Redacted())
		} else {
			links = append(links, seal.Object{"event": from.Event(n)})
			if targets = targets[1:]; len(targets) == 0 {
				return links
			}
		}
		skip := seal.Skip(n)
		if skip < targets[0] {
			n--
			continue
		}
		if other := from.lies[n]; other != nil {
			from = other
		}
		n = skip
	}
}

// stampBundle signs the checkpoint of a bundle as it is now, and has receipts and status follow.
func stampBundle(bundle seal.Object, keys harness.Keys) seal.Object {
	seal.Do(forge.Stamp(bundle, keys))
	return bundle
}
