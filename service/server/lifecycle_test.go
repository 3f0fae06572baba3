package server_test

import (
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
)

// life is one path of a transaction, and its end.
type life struct {
	name     string
	path     []step
	status   string
	code     string
	rotation string   // "" if it is none
	events   []string // of the transaction, in this order; the last of them decides
}

// lived is a transaction on its path.
type lived struct {
	*bench
	nodes []*mesh
	id    string
}

// step is something that happens to a transaction.
type step = func(l *lived)

const reasonable = "superseded"

// call has an operator call a path below the transaction.
func (l *lived) call(what string, body seal.Object) { l.as(operator, "POST", l.path(what), body) }

func (l *lived) path(what string) string { return "/api/v1/transactions/" + l.id + "/" + what }

func issues(l *lived)   { l.issued(l.id, "payments-api") }
func requests(l *lived) { l.request(l.id, "payments-api") }
func revokes(l *lived)  { l.call("revocation", seal.Object{"reason": reasonable}) }
func cancels(l *lived)  { l.call("cancellation", seal.Object{}) }

// keeps has the revocation refused.
func keeps(code, reason string) step {
	return func(l *lived) {
		l.refused(code, operator, "POST", l.path("revocation"), seal.Object{"reason": reason})
	}
}

// rotates starts a rotation and waits until it has this status.
func rotates(status, mode string) step {
	return func(l *lived) {
		l.shows("web", "healthy", "")
		l.id = l.rotatesTo(status, "nginx", mode)
	}
}

func deaf(kind string) step  { return func(l *lived) { setDeaf(l.nodes, true, kind) } }
func hears(kind string) step { return func(l *lived) { setDeaf(l.nodes, false, kind) } }

// stages starts a rotation whose certificate is staged.
var stages = rotates("staged", "manual")

// setDeaf makes the nodes leave some work undone, or do it again.
func setDeaf(nodes []*mesh, is bool, kinds ...string) {
	for _, m := range nodes {
		m.set(func() {
			for _, kind := range kinds {
				m.deaf[kind] = is
			}
		})
	}
}

var (
	issued  = "issuance.completed"
	denied  = "issuance.denied"
	revoked = "certificate.revoked"
)

// lives are the paths of transactions, one after the other in one tenant. The last
// ones leave nodes behind that take no part any more.
var lives = []life{
	{"issued", []step{issues}, "issued", "", "", []string{issued}},
	{"issued, then revoked", []step{issues, revokes}, "revoked", "", "", []string{issued, revoked}},
	{"revoked twice", []step{issues, revokes, revokes}, "revoked", "", "", []string{issued, revoked}},
	{"a second revocation for another reason", []step{issues, revokes, keeps("conflict", "keyCompromise")},
		"revoked", "", "", []string{issued, revoked}},
	{"a revocation that is refused", []step{issues, keeps("request_invalid", "no reason")},
		"issued", "", "", []string{issued}},
	{"denied, and not revoked", []step{deaf("approve"), requests, func(l *lived) {
		l.as(operator, "POST", pauses, seal.Object{"reason": "test"})
		l.denied(l.id, "issuance_paused")
	}, keeps("conflict", reasonable), hears("approve"), func(l *lived) {
		l.as(other, "POST", l.asksResume(600), seal.Object{})
	}}, "denied", "issuance_paused", "", []string{denied}},
	{"a rotation that is cancelled before it is issued",
		[]step{deaf("approve"), rotates("issuing", "manual"), cancels, hears("approve")},
		"denied", "rotation_cancelled", "denied", []string{denied, "rotation.denied"}},
	{"a rotation that is cancelled while it is delivered",
		[]step{deaf("deliver"), rotates("delivering", "manual"), cancels, hears("deliver")},
		"revoked", "rotation_cancelled", "denied", []string{issued, revoked, "rotation.denied"}},
	{"a rotation that is cancelled when it is staged", []step{stages, cancels},
		"revoked", "rotation_cancelled", "denied", []string{issued, revoked, "rotation.denied"}},
	{"a rotation whose certificate is revoked", []step{stages, revokes},
		"revoked", "", "denied", []string{issued, revoked, "rotation.denied"}},
	{"a rotation that fails on its node", []step{stages, func(l *lived) {
		l.nodes[0].give(seal.Object{"kind": "deliver", "transaction_id": l.id, "status": "failed",
			"error_code": "reload_failed"})
	}}, "revoked", "reload_failed", "failed", []string{issued, revoked, "rotation.failed"}},
	{"a rotation whose integration changes", []step{stages, func(l *lived) {
		l.as(operator, "PUT", "/api/v1/integrations/web", desired("nginx", l.nodes[0].id))
	}}, "revoked", "integration_binding_mismatch", "denied", []string{issued, revoked, "rotation.denied"}},
	{"a rotation that is promoted, and its certificate revoked later",
		[]step{rotates("promoted", "automatic_after_health"), revokes},
		"revoked", "", "promoted", []string{issued, "rotation.promoted", revoked}},
	{"undecided for too long", []step{deaf("approve"), requests, func(l *lived) {
		l.clock.pass(11 * time.Minute)
		l.denied(l.id, "transaction_expired")
	}, hears("approve")}, "denied", "transaction_expired", "", []string{denied}},
	{"a rotation whose node is disabled", []step{stages, func(l *lived) {
		l.as(operator, "POST", l.nodes[0].path("disablement"), seal.Object{})
	}}, "revoked", "integration_binding_mismatch", "denied", []string{issued, revoked, "rotation.denied"}},
	{"undecided", []step{deaf("approve"), requests, keeps("conflict", reasonable)}, "pending", "", "", nil},
}

// TestLives: every path of a transaction has the right status in its own answer, in the overview
// and in the log, also after the cloud started again.
func TestLives(t *testing.T) {
	b, nodes := assigned(t, "nginx")
	ids := map[string]string{}
	for i, l := range lives {
		on := &lived{b, nodes, "tx-" + string(rune('a'+i))}
		for _, next := range l.path {
			next(on)
		}
		ids[l.name] = on.id
	}
	hold := func(when string) {
		t.Helper()
		for _, l := range lives {
			id := ids[l.name]
			o := b.status(id, "0")
			check.That(t, seal.Text(o, "status") == l.status && seal.Text(o, "code") == l.code &&
				seal.Text(seal.Member(o, "rotation"), "status") == l.rotation, "%s, %s: %s", l.name, when, seal.Canonical(o))
			if l.rotation != "" {
				wants(t, b.shown("rotations", "transaction_id", id), l.name+", in the overview "+when, "status", l.rotation)
			}
		}
	}
	hold("at first")
	for _, l := range lives {
		var types []string
		count := map[string]int{}
		for _, event := range b.events() {
			if body := seal.Member(event, "body"); seal.Text(body, "transaction_id") == ids[l.name] {
				types = append(types, seal.Text(body, "type"))
				count[seal.Text(body, "type")]++
			}
		}
		check.That(t, has(types, l.events...) && count[denied]+count[issued] <= 1 && count[revoked] <= 1 &&
			(count[revoked] == 1) == (l.status == "revoked") && (count[denied] == 1) == (l.status == "denied"),
			"%s: the log has %q", l.name, types)
	}
	b.restart()
	hold("after a restart")
}
