package server_test

import (
	"context"
	"crypto"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/server"
)

// closedTypes are the types of the tenant log whose data can name no one.
var closedTypes = []string{
	"approval.recorded", "decision.recorded", "issuance.completed", "certificate.revoked", "node.reported",
}

// quietTypes are those with open data that no operator orders.
var quietTypes = []string{
	"node.enrolled", "rotation.staged", "rotation.promoted", "rotation.issuing", "break_glass.resume_expired",
}

// after are the events since there were so many: of each type with open data
// whom it names.
func (b *bench) after(count int) map[string]string {
	b.t.Helper()
	found := map[string]string{}
	for _, e := range b.events()[count:] {
		body := seal.Member(e, "body")
		if kind := seal.Text(body, "type"); !slices.Contains(closedTypes, kind) {
			found[kind] = seal.Text(seal.Member(body, "data"), "by")
		}
	}
	return found
}

// Every order of an operator names the operator in the tenant log, and so does everything that
// follows from it at once. An event that happens by itself, or because of a node or a
// workload, names no operator.
func TestOrdersNameTheOperator(t *testing.T) {
	b, nodes := assigned(t, "nginx")
	const bert = "operator/bert"
	done := map[string]bool{"POST /api/v1/transactions/{id}/evidence": true} // changes nothing
	gives := func(pattern, path string, body seal.Object, want ...string) seal.Object {
		t.Helper()
		done[pattern] = true
		method, _, _ := strings.Cut(pattern, " ")
		before := len(b.events())
		answer := b.as(bert, method, path, body)
		found := b.after(before)
		for _, kind := range want {
			check.That(t, found[kind] == "bert", "%s: %s names %q, of %v", pattern, kind, found[kind], found)
		}
		return answer
	}
	// Nodes are held, so that nothing else happens meanwhile.
	all := []string{"request", "approve", "decide", "deliver", "promote", "integration", "witness"}
	settle := func() {
		setDeaf(nodes, false, all...)
		b.shows("web", "healthy", "")
		setDeaf(nodes, true, all...)
	}
	settle()
	transactions := "/api/v1/transactions/"
	gives("POST /api/v1/transactions", "/api/v1/transactions", order(t, "tx-1", "store-tls"), "issuance.requested")
	setDeaf(nodes, false, all...)
	b.becomes("tx-1", "issued")
	gives("POST /api/v1/transactions/{id}/revocation", transactions+"tx-1/revocation",
		seal.Object{"reason": "superseded"}, "revocation.requested")

	const web = "/api/v1/integrations/web"
	changed := []string{"integration.changed", "rotation.denied", "revocation.requested"}
	rotates := func() string {
		t.Helper()
		begun := gives("POST /v1/managed/rotate", "/v1/managed/rotate", rotate("nginx", "web", "manual"),
			"rotation.requested")
		return seal.Text(begun, "transaction_id")
	}
	for i, change := range []func(){
		func() {
			gives("PUT /api/v1/integrations/{id}", web, desired("nginx", nodes[0].id), changed...)
		},
		func() {
			gives("POST /api/v1/integrations/{id}/test", web+"/test", seal.Object{}, changed...)
		},
		func() {
			gives("DELETE /api/v1/integrations/{id}", web, nil, changed...)
			b.as(operator, "PUT", web, desired("nginx", nodes[0].id))
		},
	} {
		settle()
		id := rotates()
		setDeaf(nodes, false, all...)
		b.rotation(id, "staged")
		setDeaf(nodes, true, all...)
		change()
		check.That(t, i != 0 || b.count("rotation.staged") == 1, "nothing was staged")
	}
	settle()
	id := b.rotates("nginx", "manual")
	gives("POST /api/v1/transactions/{id}/cancellation", transactions+id+"/cancellation", seal.Object{},
		"rotation.denied", "issuance.denied", "integration.changed")
	settle()
	id = b.rotates("nginx", "manual")
	setDeaf(nodes, false, "request", "approve", "decide", "deliver")
	b.rotation(id, "staged")
	gives("POST /api/v1/transactions/{id}/promotion", transactions+id+"/promotion", seal.Object{}, "rotation.promoting")
	setDeaf(nodes, false, all...)
	b.rotation(id, "promoted")
	setDeaf(nodes, true, "approve")
	b.request("tx-2", "payments-api")
	gives("POST /api/v1/policies", "/api/v1/policies", seal.Object{"policy": policy(2)},
		"policy.published", "issuance.denied")
	gives("PUT /api/v1/services/{service...}", "/api/v1/services/web",
		seal.Object{"workload_profile": "store-tls", "node_id": nodes[0].id}, "service.claimed")
	gives("POST /api/v1/signer/rotation", "/api/v1/signer/rotation", seal.Object{}, "key.rotated", "registry.published")
	gives("POST /api/v1/issuance/pause", pauses, seal.Object{"reason": "x"}, "issuance.paused")
	asked := gives("POST /api/v1/issuance/resume-requests", resumes, asks(60), "break_glass.resume_requested")
	request := seal.Text(asked, "request_id")
	b.clock.pass(61 * time.Second)
	b.refused("conflict", bert, "POST", resumes+"/"+request+"/approval", seal.Object{})
	gives("POST /api/v1/issuance/resume-requests/{id}/approval", b.asksResume(60), seal.Object{}, "issuance.resumed")
	gives("POST /api/v1/nodes/{id}/disablement", nodes[2].path("disablement"), seal.Object{}, "node.disabled")

	for _, pattern := range server.Orders(b.server) {
		check.That(t, done[pattern], "%s was not tried", pattern)
	}
	b.nobodyElse()
}

// nobodyElse wants events that no operator ordered to name none.
func (b *bench) nobodyElse() {
	b.t.Helper()
	seen := map[string]int{}
	for _, e := range b.events() {
		body := seal.Member(e, "body")
		data := seal.Member(body, "data")
		switch kind := seal.Text(body, "type"); {
		case slices.Contains(quietTypes, kind),
			slices.Contains(closedTypes, kind),
			kind == "issuance.requested" && seal.Text(data, "workload_profile") == "payments-api",
			kind == "integration.changed" && seal.Text(data, "state") == "healthy":
			seen[kind]++
			check.That(b.t, data["by"] == nil, "%s names %v", kind, data["by"])
		}
	}
	check.That(b.t, len(seen) >= 11, "only %v were seen", slices.Sorted(maps.Keys(seen)))
}

// asWith makes a call with a certificate of its own.
func (b *bench) asWith(name string, key crypto.Signer, method, path string, body seal.Object) error {
	b.t.Helper()
	c := httpd.NewClient(httpd.ClientConfig{
		URL: b.url, Roots: b.ca.Pool(), Timeout: time.Minute,
		Identity: b.ca.Certify(testca.ClientTemplate("caller", "spiffe://"+tenant+".example/operator/"+name), key),
	})
	defer c.Close()
	_, err := c.Do(context.Background(), method, path, body)
	return err
}

// Who asks for a resume cannot approve it: not with another certificate of the
// same name, not under another name with the same key, not in other letters.
func TestTwoOperatorsAreTwo(t *testing.T) {
	b := start(t)
	b.publish(1)
	ada, renewed := testca.NewKey(), testca.NewKey()
	b.as(operator, "POST", pauses, seal.Object{"reason": "test"})
	must.Do(t, b.asWith("ada", ada, http.MethodPost, resumes, asks(600)))
	open := seal.Member(seal.Member(b.overview(), "incidents"), "resume_request")
	approval := resumes + "/" + seal.Text(open, "request_id") + "/approval"
	for range 2 {
		for _, c := range []struct {
			what, name string
			key        crypto.Signer
		}{
			{"the same certificate", "ada", ada}, {"a renewed one", "ada", renewed},
			{"another name, the same key", "grace", ada}, {"in capitals", "ADA", renewed},
			{"a second device", "ada/phone", renewed},
		} {
			err := b.asWith(c.name, c.key, http.MethodPost, approval, seal.Object{})
			check.That(t, isProblem(err, "identity_refused"), "%s approved: %v", c.what, err)
		}
		b.restart() // and it is still known who asked
	}
	check.OK(t, b.asWith("grace", testca.NewKey(), http.MethodPost, approval, seal.Object{}), "another operator")
}
