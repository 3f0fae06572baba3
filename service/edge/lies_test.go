package edge_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/edge"
	"github.com/svc-edge/svc-verify/service/edge/edgetest"
)

// lies are events that the node may not be believed. Event 1 is sound.
var lies = map[string]func(t *testing.T, n *edgetest.Node){
	"by another key":                 byAnother(edgetest.ID),
	"by a later key nobody named":    byAnother(edgetest.ID + "/2"),
	"under the id of a later key":    underID(edgetest.ID + "/2"),
	"under the id of another node":   underID("mesh-rome-1"),
	"under a generation that is one": underID(edgetest.ID + "/1"),
	"of another tenant":              changed("tenant_id", "other-corp"),
	"of another node":                changed("node_id", "mesh-rome-1"),
	"of another protocol":            changed("protocol", "svc.approval.v1"),
	"repeated":                       changed("sequence", int64(1)),
	"one missing":                    changed("sequence", int64(3)),
	"of another protocol, signed as of this one": func(_ *testing.T, n *edgetest.Node) {
		e := n.SealWith(n.Key, seal.Object{"protocol": "svc.approval.v1"})
		e["signature"] = seal.Sign("svc.trust-event.v1", seal.Canonical(seal.Member(e, "statement")), n.Key)
		n.Append(e)
	},
	"of no sequence":              changed("sequence", int64(0)),
	"with a member too many":      changed("severity", "high"),
	"of no time":                  changed("occurred_at", "2026-03-02T09:30:00Z"),
	"with data that is no object": changed("data", "text"),
	"with data too deep":          changed("data", nested(17)),
	"altered": func(_ *testing.T, n *edgetest.Node) {
		e := n.Seal("service.claimed", seal.Object{})
		seal.Member(e, "statement")["topic"] = "capability.observed"
		n.Append(e)
	},
	"without a signature": func(_ *testing.T, n *edgetest.Node) {
		e := n.Seal("service.claimed", seal.Object{})
		delete(e, "signature")
		n.Append(e)
	},
	"a rotation to an older key": rotation(func(*testing.T) seal.Object {
		return seal.Object{"key_id": edgetest.ID, "public_key": strings.Repeat("A", 43)}
	}),
	"a rotation to a key of another node": rotation(func(t *testing.T) seal.Object {
		return seal.Object{"key_id": "mesh-rome-1/2", "public_key": seal.Base64(newKey(t, "").Public())}
	}),
	"a rotation to a weak key": rotation(func(*testing.T) seal.Object {
		return seal.Object{"key_id": edgetest.ID + "/2", "public_key": strings.Repeat("A", 43)}
	}),
	"a rotation to no key": rotation(func(*testing.T) seal.Object { return seal.Object{} }),
	"a rotation to the same key": func(_ *testing.T, n *edgetest.Node) {
		n.Publish("identity.rotated", seal.Object{"key_id": edgetest.ID + "/2", "public_key": seal.Base64(n.Key.Public())})
	},
}

func changed(name string, value any) func(*testing.T, *edgetest.Node) {
	return func(_ *testing.T, n *edgetest.Node) { n.Append(n.SealWith(n.Key, seal.Object{name: value})) }
}

// byAnother appends an event by another key, and underID one by the node's key under another id.
func byAnother(id string) func(*testing.T, *edgetest.Node) {
	return func(t *testing.T, n *edgetest.Node) { n.Append(n.SealWith(newKey(t, id), nil)) }
}

func underID(id string) func(*testing.T, *edgetest.Node) {
	return func(_ *testing.T, n *edgetest.Node) {
		n.Append(n.SealWith(seal.Key{ID: id, Private: n.Key.Private}, nil))
	}
}

func rotation(data func(*testing.T) seal.Object) func(*testing.T, *edgetest.Node) {
	return func(t *testing.T, n *edgetest.Node) { n.Publish("identity.rotated", data(t)) }
}

// nested returns an object of so many levels.
func nested(levels int) seal.Object {
	o := seal.Object{}
	for range levels - 1 {
		o = seal.Object{"x": o}
	}
	return o
}

// TestLies: nothing that cannot be relied on is shown, nor passed by the cursor. The
// same holds of the first event that a run sees; only the number of a pinned key is
// not known then.
func TestLies(t *testing.T) {
	for name, lie := range lies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := edgetest.Start(t)
			publish(n, "service.claimed")
			w, s := watch(t, n)
			s.shows(t, w, 1, "before it")
			lie(t, n)
			publish(n, "service.claimed")
			var unverified *edge.Unverified
			if err := w.Follow(t.Context()); !errors.As(err, &unverified) {
				t.Errorf("found %v, expected that it is not believed", err)
			}
			check.That(t, len(s.lines) == 1 && s.cursors[len(s.cursors)-1].Sequence == 1, "%d lines, cursor %v",
				len(s.lines), w.Cursor)
			if name == "under the id of a later key" {
				return
			}
			w, s = watch(t, n)
			w.Cursor = edge.Cursor{Node: edgetest.ID, Sequence: 1}
			err := w.Once(t.Context())
			check.That(t, errors.As(err, &unverified) && len(s.lines)+len(s.cursors) == 0,
				"at once: %v, %d lines, %d cursors", err, len(s.lines), len(s.cursors))
		})
	}
}

// TestNearLies are as close to a lie as the truth comes.
func TestNearLies(t *testing.T) {
	for name, truth := range map[string]func(*testing.T, *edgetest.Node){
		"data at its deepest":   changed("data", nested(16)),
		"a topic nobody knows":  changed("topic", "node.restarted"),
		"a signature of hidden": func(_ *testing.T, n *edgetest.Node) { n.Append(n.SealWith(n.Key, nil)) },
	} {
		n := edgetest.Start(t)
		publish(n, "service.claimed")
		truth(t, n)
		w, s := watch(t, n)
		s.shows(t, w, 2, name)
	}
}

// TestAnswersThatLie: whole answers that may not be believed: a node that leaves events out,
// or that returns a wrong cursor.
func TestAnswersThatLie(t *testing.T) {
	at := func(cursor string, events ...any) seal.Object {
		return seal.Object{"events": append([]any{}, events...), "cursor": cursor}
	}
	for name, answer := range map[string]func(n *edgetest.Node) seal.Object{
		"an event left out at the end": func(n *edgetest.Node) seal.Object {
			return at(edgetest.ID+".3", n.Seal("service.claimed", seal.Object{}))
		},
		"a cursor behind the events": func(n *edgetest.Node) seal.Object {
			return at(edgetest.ID+".1", n.Seal("service.claimed", seal.Object{}))
		},
		"a cursor ahead without events": func(*edgetest.Node) seal.Object { return at(edgetest.ID + ".9") },
		"a cursor back":                 func(*edgetest.Node) seal.Object { return at(edgetest.ID + ".0") },
		"a cursor of another node":      func(*edgetest.Node) seal.Object { return at("mesh-rome-1.1") },
		"no cursor":                     func(*edgetest.Node) seal.Object { return seal.Object{"events": []any{}} },
		"a cursor that is none":         func(*edgetest.Node) seal.Object { return at("\x1b[2J") },
		"an unknown member": func(*edgetest.Node) seal.Object {
			a := at(edgetest.ID + ".1")
			a["more"] = true
			return a
		},
		"more events than an answer has": func(n *edgetest.Node) seal.Object { return at(edgetest.ID+".258", many(n)...) },
	} {
		t.Run(name, func(t *testing.T) {
			n := edgetest.Start(t)
			publish(n, "service.claimed")
			w, s := watch(t, n)
			must.Do(t, w.Once(t.Context()))
			lie := answer(n)
			n.Lie(func(w http.ResponseWriter, _ *http.Request) { edgetest.Document(w, http.StatusOK, lie) })
			var unverified *edge.Unverified
			if err := w.Follow(t.Context()); !errors.As(err, &unverified) || strings.ContainsRune(err.Error(), '\x1b') {
				t.Errorf("found %v, expected that it is not believed", err)
			}
			check.That(t, len(s.lines) == 1 && len(s.cursors) == 1, "%d lines, %d cursors", len(s.lines), len(s.cursors))
		})
	}
}

// many returns 257 events in a row.
func many(n *edgetest.Node) []any {
	var all []any
	for i := range int64(257) {
		all = append(all, n.SealWith(n.Key, seal.Object{"sequence": 2 + i}))
	}
	return all
}

// TestTopicsThatWereNotAskedFor: with a filter an event may be skipped, but none
// comes twice, back or unasked.
func TestTopicsThatWereNotAskedFor(t *testing.T) {
	for name, c := range map[string]struct {
		changes seal.Object
		ok      bool
	}{
		"a skipped one before it": {seal.Object{"sequence": int64(9)}, true},
		"a skipped one behind it": {seal.Object{"sequence": int64(8)}, true},
		"behind the cursor":       {seal.Object{"sequence": int64(10)}, false},
		"another topic":           {seal.Object{"sequence": int64(9), "topic": "policy.version.available"}, false},
		"repeated":                {seal.Object{"sequence": int64(4)}, false},
	} {
		n := edgetest.Start(t)
		w, s := watch(t, n)
		w.Topics, w.Cursor = []string{"service.claimed"}, edge.Cursor{Node: edgetest.ID, Sequence: 4}
		event := n.SealWith(n.Key, c.changes)
		n.Lie(func(w http.ResponseWriter, r *http.Request) {
			a := seal.Object{"events": []any{}, "cursor": r.FormValue("cursor")}
			if a["cursor"] == edgetest.ID+".4" {
				a = seal.Object{"events": []any{event}, "cursor": edgetest.ID + ".9"}
			}
			edgetest.Document(w, http.StatusOK, a)
		})
		err := w.Once(t.Context())
		check.That(t, (err == nil) == c.ok && (len(s.lines) == 1) == c.ok, "%s: %v, %d lines", name, err, len(s.lines))
	}
}
