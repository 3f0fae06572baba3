package server_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/server"
)

// shown is the node as the console shows it.
func (m *mesh) shown() seal.Object { return m.b.shown("nodes", "node_id", m.id) }

// connects opens a connection to the cloud, as a node does, and leaves it to the test.
func (m *mesh) connects() net.Conn {
	m.b.t.Helper()
	conn := must.Get(tls.Dial("tcp", strings.TrimPrefix(m.b.url, "https://"), &tls.Config{
		RootCAs: m.b.ca.Pool(), MinVersion: tls.VersionTLS13,
		Certificates: []tls.Certificate{m.b.identity("node/" + m.id)},
	}))(m.b.t)
	m.b.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// begins writes the beginning of a poll, up to so many bytes of its body.
func (m *mesh) begins(conn io.Writer, bytes int) {
	m.b.t.Helper()
	body := seal.Canonical(m.position(30))
	must.Get(fmt.Fprintf(conn,
		"POST %s HTTP/1.1\r\nHost: cloud\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		m.path("sync"), len(body), body[:min(bytes, len(body))]))(m.b.t)
}

// TestNodeThatHangs: a node that hangs is offline three poll intervals after its last call,
// whatever it keeps open, and the answer states for how long it was silent. Until then it is
// as it said, and when it calls again too.
func TestNodeThatHangs(t *testing.T) {
	for name, hangs := range map[string]func(m *mesh){
		"with nothing open": func(*mesh) {},
		"while its poll is held": func(m *mesh) {
			ctx, cancel := context.WithCancel(context.Background())
			m.b.t.Cleanup(cancel)
			held := make(chan struct{})
			go func() {
				close(held)
				_, _ = m.b.client("node/"+m.id).Poll(ctx, time.Minute, http.MethodPost, m.path("sync"), m.position(30))
			}()
			<-held
			time.Sleep(200 * time.Millisecond) // the poll is there, or it does not matter
		},
		"with polls that are held twice": func(m *mesh) {
			for range 2 {
				m.begins(m.connects(), 1<<20)
			}
			time.Sleep(200 * time.Millisecond)
		},
		"before the head of a call": func(m *mesh) { m.connects() },
		"in the head of a call": func(m *mesh) {
			must.Get(io.WriteString(m.connects(), "POST "+m.path("sync")+" HTTP/1.1\r\nHost:"))(m.b.t)
		},
		"in the body of a call": func(m *mesh) { m.begins(m.connects(), 20) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, func(c *server.Config) { c.Poll = time.Hour })
			m := newMesh(b, nodeIDs[0]).enrol()
			m.poll()
			hangs(m)
			b.clock.pass(3*time.Hour - time.Minute)
			wants(t, m.shown(), "before it is overdue", "state", "ok")
			b.clock.pass(time.Minute)
			n := m.shown()
			if silent := seal.Integer(n, "silent_seconds"); n["state"] != "offline" || silent < 3*3600 || silent > 3*3600+60 {
				t.Errorf("when it is overdue: %s", seal.Canonical(n))
			}
			check.Equal(t, seal.Text(b.overview(), "label"), "Degraded · 0/1 nodes healthy", "the label")
			m.poll()
			if n := m.shown(); n["state"] != "ok" || seal.Integer(n, "silent_seconds") > 60 {
				t.Errorf("when it polled again: %s", seal.Canonical(n))
			}
		})
	}
}

// TestPollIsHeldForAnInterval: a node that waits for longer is answered after a poll
// interval, and polls again.
func TestPollIsHeldForAnInterval(t *testing.T) {
	b := start(t, func(c *server.Config) { c.Poll = 200 * time.Millisecond })
	m := newMesh(b, nodeIDs[0]).enrol()
	b.publish(1)
	m.up()
	must.Eventually(b.t, "the node knows all news", func() bool {
		return b.states("ok") == 1 && len(m.topics()) > 0
	})
	m.down()
	conn := m.connects()
	m.begins(conn, 1<<20)
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil { // it asked for 30
		t.Fatal(err)
	}
	answer := must.Get(http.ReadResponse(bufio.NewReader(conn), nil))(t)
	defer answer.Body.Close()
	news, err := io.ReadAll(answer.Body)
	check.That(t, err == nil && strings.TrimSpace(string(news)) == "{}", "%s, %v", news, err)
}

// TestOtherCallsAreHeard: a node that hands results over is heard.
func TestOtherCallsAreHeard(t *testing.T) {
	b := start(t, func(c *server.Config) { c.Poll = time.Hour })
	m := newMesh(b, nodeIDs[0]).enrol()
	m.b.as("node/"+m.id, http.MethodPost, m.path("results"), seal.Object{"results": []any{}})
	wants(t, m.shown(), "before its first poll, as nothing is known of it", "state", "offline")
	m.poll()
	for range 3 {
		b.clock.pass(2 * time.Hour)
		m.b.as("node/"+m.id, http.MethodPost, m.path("results"), seal.Object{"results": []any{}})
	}
	wants(t, m.shown(), "while it hands over results", "state", "ok")
}

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
	check.That(t, len(refused) == 2 && seal.Integer(refused[1].(seal.Object), "index") == 2 &&
		b.count("approval.recorded") == 1, "one good result of three: %s", seal.Canonical(o))
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
