package server_test

import (
	"bufio"
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

// TestNodeThatHangs: a node that hangs is offline three poll intervals after its last
// call, whatever it keeps open, and the answer says for how long it was silent. Until
// then it is as it said, and when it calls again too.
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
