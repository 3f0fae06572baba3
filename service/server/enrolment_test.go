package server_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func TestRefusesEnrolments(t *testing.T) {
	b, nodes := quiet(t)
	m := nodes[0]
	first := m.node.Key()
	fresh := func(id string) seal.Key {
		return seal.Key{ID: id, Private: m.source.Stream(id + time.Now().String()).Ed25519()}
	}
	second := fresh(m.id + "/2")
	change := func(name string, value any) seal.Object {
		statement := seal.Member(seal.Member(enrolment(second, first), "enrolment"), "statement")
		statement[name] = value
		return seal.Object{"enrolment": seal.Seal(statement, first)}
	}
	weak := make([]byte, 32)
	weak[0] = 1
	for name, c := range map[string]struct {
		body seal.Object
		code string
	}{
		"another key under a known id": {enrolment(fresh(m.id), first), "conflict"},
		"a generation too far":         {enrolment(fresh(m.id+"/3"), first), "conflict"},
		"signed by itself":             {enrolment(second, second), "identity_refused"},
		"signed by another node":       {enrolment(second, nodes[1].node.Key()), "identity_refused"},
		"the key of another node": {enrolment(seal.Key{ID: m.id + "/2", Private: nodes[1].node.Key().Private}, first),
			"conflict"},
		"the key that it has":      {enrolment(seal.Key{ID: m.id + "/2", Private: first.Private}, first), "conflict"},
		"another tenant":           {change("tenant_id", "other"), "request_invalid"},
		"another node":             {change("node_id", nodes[1].id), "request_invalid"},
		"a key id of another node": {enrolment(fresh(nodes[1].id+"/2"), first), "request_invalid"},
		"a weak key":               {change("public_key", seal.Base64(weak)), "request_invalid"},
		"no key":                   {change("public_key", ""), "request_invalid"},
		"a member too many":        {change("comment", "x"), "request_invalid"},
		"another protocol":         {change("protocol", "svc.approval.v1"), "request_invalid"},
		"nothing":                  {seal.Object{}, "request_invalid"},
	} {
		check.That(t, isProblem(check.Err(b.try("node/"+m.id, "POST", m.path("enrolment"), c.body)), c.code),
			"%s is not refused", name)
	}
	for k := byte(0); k <= 18; k++ { // y from p on: another spelling of 0 to 18
		key := bytes.Repeat([]byte{0xff}, 32)
		key[0], key[31] = 0xed+k, 0x7f
		_, err := b.try("node/"+m.id, "POST", m.path("enrolment"), change("public_key", seal.Base64(key)))
		check.That(t, isProblem(err,
			"request_invalid"), "a key that is not canonical, %d: %v", k, err)
	}
	if b.count("key.rotated") != 1 { // the signer's
		t.Error("a refused key was logged")
	}
	for range 2 {
		b.as("node/"+m.id, "POST", m.path("enrolment"), enrolment(second, first))
		b.as("node/"+m.id, "POST", m.path("enrolment"), enrolment(first, first))
	}
	check.That(t, b.count("key.rotated") == 2 && b.count("node.enrolled") == 3, "the log has %v", b.types())
	roster := seal.Member(nodes[1].poll(), "roster")
	keys := seal.Member(seal.Member(roster, "statement"), "nodes")
	check.That(t, len(keys) == 4 && seal.Text(keys, second.ID) != "", "the roster has %v", keys)
	long := newMesh(b, strings.Repeat("m", 101))
	b.refused("request_invalid", "node/"+long.id, "POST", long.path("enrolment"),
		enrolment(long.node.Key(), long.node.Key()))
	stranger := newMesh(b, "mesh-none-1")
	b.refused("identity_refused", "node/mesh-none-1", "POST", stranger.path("sync"), stranger.position(0))
	b.refused("identity_refused", "node/mesh-none-1", "GET", stranger.path("links"), nil)
}

func TestRefusesPositions(t *testing.T) {
	b, nodes := quiet(t)
	m := nodes[0]
	early := m.position(0)
	must.That(t, early["report"] != nil, "no report")
	m.node.Observe("payments-api", "attested-boot")
	m.poll()
	b.clock.pass(time.Minute)
	m.poll()
	reports := b.count("node.reported")
	body := func(change func(seal.Object)) seal.Object {
		o := m.position(0)
		change(o)
		return o
	}
	report := func(name string, value any) seal.Object {
		return body(func(o seal.Object) { seal.Member(o, "report")[name] = value })
	}
	for name, c := range map[string]struct {
		body seal.Object
		code string
	}{
		"a journal that went back": {early, "conflict"},
		"another head":             {report("audit_head", seal.SHA256(nil)), "conflict"},
		"another signature":        {report("signature", seal.Base64(make([]byte, 64))), "conflict"},
		"another node's report":    {report("node_id", nodes[1].id), "request_invalid"},
		"another node's key":       {report("key_id", nodes[1].id), "conflict"},
		"a report with more":       {report("comment", "x"), "request_invalid"},
		"a hash that is none":      {report("skip_hash", "x"), "request_invalid"},
		"a member too many":        {body(set("comment", "x")), "request_invalid"},
		"a long wait":              {body(set("wait_seconds", int64(31))), "request_invalid"},
		"no health":                {body(func(o seal.Object) { delete(o, "health") }), "request_invalid"},
		"an unknown status":        {body(set("health", seal.Object{"status": "fine"})), "request_invalid"},
	} {
		check.That(t, isProblem(check.Err(b.try("node/"+m.id, "POST", m.path("sync"), c.body)), c.code),
			"%s is not refused", name)
	}
	check.Equal(t, b.count("node.reported"), reports, "reports logged")
}

func TestResultsInOneCall(t *testing.T) {
	b, nodes := quiet(t)
	b.request("tx-1", "payments-api")
	m := asked(nodes, "approve", "tx-1")[0]
	good := m.do(m.piece("approve", "tx-1"))
	o := b.as("node/"+m.id, "POST", m.path("results"),
		seal.Object{"results": []any{"x", good, seal.Object{"kind": "none"}}})
	refused := seal.List(o, "refused")
	if len(refused) != 2 || seal.Integer(refused[1].(seal.Object), "index") != 2 || b.count("approval.recorded") != 1 {
		t.Errorf("one good result of three: %s", seal.Canonical(o))
	}
	b.refused("request_invalid", "node/"+m.id, "POST", m.path("results"), seal.Object{"results": make256(257)})
	b.refused("request_invalid", "node/"+m.id, "POST", m.path("results"), seal.Object{})
	b.as("node/"+m.id, "POST", m.path("results"), seal.Object{"results": make256(256)})
	b.refused("identity_refused", "node/mesh-none-1", "POST", "/api/v1/nodes/mesh-none-1/results",
		seal.Object{"results": []any{}})
}

func make256(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = "x"
	}
	return list
}
