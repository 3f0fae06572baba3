package server_test

import (
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
)

// life is one path of a transaction, and what it comes to.
type life struct {
	name     string
	path     func(b *bench, nodes []*mesh, id string) string // returns the id, if it is another
	status   string
	code     string
	rotation string   // "" if it is none
	events   []string // of the transaction, in this order; the last of them decides
}

const reasonable = "superseded"

// revokes revokes a certificate.
func revokes(b *bench, id string) {
	b.as(operator, "POST", "/api/v1/transactions/"+id+"/revocation", seal.Object{"reason": reasonable})
}

// issues has a certificate issued.
func issues(b *bench, id string) {
	b.issued(id, "payments-api")
}

// stages starts a rotation whose certificate is staged.
func stages(b *bench) string {
	b.shows("web", "healthy", "")
	id := b.rotatesTo("staged", "nginx", "manual")
	return id
}

func cancels(b *bench, id string) {
	b.as(operator, "POST", "/api/v1/transactions/"+id+"/cancellation", seal.Object{})
}

// setDeaf has the nodes leave some work undone, or do it again.
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
	{"issued", func(b *bench, _ []*mesh, id string) string {
		issues(b, id)
		return id
	}, "issued", "", "", []string{issued}},
	{"issued, then revoked", func(b *bench, _ []*mesh, id string) string {
		issues(b, id)
		revokes(b, id)
		return id
	}, "revoked", "", "", []string{issued, revoked}},
	{"revoked twice", func(b *bench, _ []*mesh, id string) string {
		issues(b, id)
		revokes(b, id)
		revokes(b, id)
		return id
	}, "revoked", "", "", []string{issued, revoked}},
	{"a second revocation for another reason", func(b *bench, _ []*mesh, id string) string {
		issues(b, id)
		revokes(b, id)
		b.refused("conflict", operator, "POST", "/api/v1/transactions/"+id+"/revocation",
			seal.Object{"reason": "keyCompromise"})
		return id
	}, "revoked", "", "", []string{issued, revoked}},
	{"a revocation that is refused", func(b *bench, _ []*mesh, id string) string {
		issues(b, id)
		b.refused("request_invalid", operator, "POST", "/api/v1/transactions/"+id+"/revocation",
			seal.Object{"reason": "no reason"})
		return id
	}, "issued", "", "", []string{issued}},
	{"denied, and not revoked", func(b *bench, nodes []*mesh, id string) string {
		setDeaf(nodes, true, "approve")
		b.request(id, "payments-api")
		b.as(operator, "POST", pauses, seal.Object{"reason": "test"})
		b.denied(id, "issuance_paused")
		b.refused("conflict", operator, "POST", "/api/v1/transactions/"+id+"/revocation", seal.Object{"reason": reasonable})
		setDeaf(nodes, false, "approve")
		request := b.as(operator, "POST", "/api/v1/issuance/resume-requests",
			seal.Object{"reason": "test", "valid_seconds": int64(600)})
		b.as(other, "POST", "/api/v1/issuance/resume-requests/"+seal.Text(request, "request_id")+"/approval", seal.Object{})
		return id
	}, "denied", "issuance_paused", "", []string{denied}},
	{"a rotation that is cancelled before it is issued", func(b *bench, nodes []*mesh, _ string) string {
		setDeaf(nodes, true, "approve")
		id := b.rotatesTo("issuing", "nginx", "manual")
		cancels(b, id)
		setDeaf(nodes, false, "approve")
		return id
	}, "denied", "rotation_cancelled", "denied", []string{denied, "rotation.denied"}},
	{"a rotation that is cancelled while it is delivered", func(b *bench, nodes []*mesh, _ string) string {
		setDeaf(nodes, true, "deliver")
		b.shows("web", "healthy", "")
		id := b.rotatesTo("delivering", "nginx", "manual")
		cancels(b, id)
		setDeaf(nodes, false, "deliver")
		return id
	}, "revoked", "rotation_cancelled", "denied", []string{issued, revoked, "rotation.denied"}},
	{"a rotation that is cancelled when it is staged", func(b *bench, _ []*mesh, _ string) string {
		id := stages(b)
		cancels(b, id)
		return id
	}, "revoked", "rotation_cancelled", "denied", []string{issued, revoked, "rotation.denied"}},
	{"a rotation whose certificate is revoked", func(b *bench, _ []*mesh, _ string) string {
		id := stages(b)
		revokes(b, id)
		return id
	}, "revoked", "", "denied", []string{issued, revoked, "rotation.denied"}},
	{"a rotation that fails on its node", func(b *bench, nodes []*mesh, _ string) string {
		id := stages(b)
		nodes[0].give(seal.Object{"kind": "deliver", "transaction_id": id, "status": "failed", "error_code": "reload_failed"})
		return id
	}, "revoked", "reload_failed", "failed", []string{issued, revoked, "rotation.failed"}},
	{"a rotation whose integration changes", func(b *bench, nodes []*mesh, _ string) string {
		id := stages(b)
		b.as(operator, "PUT", "/api/v1/integrations/web", desired("nginx", nodes[0].id))
		return id
	}, "revoked", "integration_binding_mismatch", "denied", []string{issued, revoked, "rotation.denied"}},
	{"a rotation that is promoted, and its certificate revoked later", func(b *bench, _ []*mesh, _ string) string {
		b.shows("web", "healthy", "")
		id := b.rotatesTo("promoted", "nginx", "automatic_after_health")
		revokes(b, id)
		return id
	}, "revoked", "", "promoted", []string{issued, "rotation.promoted", revoked}},
	{"undecided for too long", func(b *bench, nodes []*mesh, id string) string {
		setDeaf(nodes, true, "approve")
		b.request(id, "payments-api")
		b.clock.pass(11 * time.Minute)
		b.denied(id, "transaction_expired")
		setDeaf(nodes, false, "approve")
		return id
	}, "denied", "transaction_expired", "", []string{denied}},
	{"a rotation whose node is disabled", func(b *bench, nodes []*mesh, _ string) string {
		id := stages(b)
		b.as(operator, "POST", nodes[0].path("disablement"), seal.Object{})
		return id
	}, "revoked", "integration_binding_mismatch", "denied", []string{issued, revoked, "rotation.denied"}},
	{"undecided", func(b *bench, nodes []*mesh, id string) string {
		setDeaf(nodes, true, "approve")
		b.request(id, "payments-api")
		b.refused("conflict", operator, "POST", "/api/v1/transactions/"+id+"/revocation", seal.Object{"reason": reasonable})
		return id
	}, "pending", "", "", nil},
}

// TestLives: every path of a transaction has the right status where it is asked for,
// in the list, in the overview and in the log, also after the cloud started again.
func TestLives(t *testing.T) {
	b, nodes := assigned(t, "nginx")
	ids := map[string]string{}
	for i, l := range lives {
		ids[l.name] = l.path(b, nodes, "tx-"+string(rune('a'+i)))
	}
	hold := func(when string) {
		t.Helper()
		listed := map[string]seal.Object{}
		for _, each := range seal.List(b.as(operator, "GET", "/api/v1/transactions?limit=100", nil), "transactions") {
			listed[seal.Text(each.(seal.Object), "transaction_id")] = each.(seal.Object)
		}
		for _, l := range lives {
			id := ids[l.name]
			for place, o := range map[string]seal.Object{"by itself": b.status(id, "0"), "in the list": listed[id]} {
				check.That(t, seal.Text(o, "status") == l.status && seal.Text(o, "code") == l.code &&
					seal.Text(seal.Member(o, "rotation"), "status") == l.rotation,
					"%s, %s %s: %s", l.name, place, when, seal.Canonical(o))
			}
			if l.rotation != "" {
				if o := b.shown(id); seal.Text(o, "status") != l.rotation {
					t.Errorf("%s, in the overview %s: %s", l.name, when, seal.Canonical(o))
				}
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
