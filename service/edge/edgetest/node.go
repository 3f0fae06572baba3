// Package edgetest is the local API of a Mesh Node for tests, which can be made to lie. It has
// real TLS on loopback, real signatures, and any answer that a test wants
// (service/docs/service.md).
package edgetest

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// Tenant and ID are whose node it is.
const (
	Tenant = "acme-corp"
	ID     = "mesh-oslo-1"
)

// Node is a node whose answers a test can set.
type Node struct {
	URL string
	// Dir contains an observer's files: ca.pem, observer.pem and .key, node.pem with the
	// node's public key; in addition other-ca.pem, other-node.pem and stranger.pem and .key,
	// which are not of this node.
	Dir string
	// Key signs the events; the connection stays with the first one.
	Key seal.Key

	mu       sync.Mutex
	health   seal.Object
	changed  chan struct{}
	events   []seal.Object
	oldest   int64 // the first sequence that is kept
	lie      http.HandlerFunc
	requests int
	server   *http.Server
}

// Start starts a node on a loopback address, until the test ends.
func Start(t testing.TB) *Node {
	t.Helper()
	return startNode(t, nil, tls.VersionTLS13)
}

// StartTLS12 starts a node that speaks no newer TLS than 1.2.
func StartTLS12(t testing.TB) *Node {
	t.Helper()
	return startNode(t, nil, tls.VersionTLS12)
}

// StartWith starts a node that answers with another key than it signs with.
func StartWith(t testing.TB, key crypto.Signer) *Node {
	t.Helper()
	return startNode(t, key, tls.VersionTLS13)
}

func startNode(t testing.TB, answering crypto.Signer, version uint16) *Node {
	t.Helper()
	_, key := must.Two(ed25519.GenerateKey(rand.Reader))(t)
	if answering == nil {
		answering = key
	}
	n := &Node{Dir: t.TempDir(), Key: seal.Key{ID: ID, Private: key}, health: Healthy(), changed: make(chan struct{}),
		oldest: 1}
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	n.URL = "https://" + l.Addr().String()
	n.serve(t, l, answering, version)
	return n
}

// serve writes the files of the node's observers and answers on a listener.
func (n *Node) serve(t testing.TB, l net.Listener, key crypto.Signer, version uint16) {
	t.Helper()
	file := func(name string) string { return filepath.Join(n.Dir, name) }
	ca, other := testca.New("ca"), testca.New("ca") // of one name, and two keys
	ca.Write(file("ca.pem"))
	other.Write(file("other-ca.pem"))
	testca.Write(file("stranger"), other.Client("soc", Observer))
	testca.Write(file("observer"), ca.Client("soc", Observer))
	WritePublic(t, file("node.pem"), n.Key.Public())
	public, _ := must.Two(ed25519.GenerateKey(rand.Reader))(t)
	WritePublic(t, file("other-node.pem"), public)
	n.server = &http.Server{Handler: http.HandlerFunc(n.answer), ReadHeaderTimeout: time.Minute, TLSConfig: &tls.Config{
		MinVersion: version, MaxVersion: version, ClientCAs: ca.Pool(), ClientAuth: tls.RequireAndVerifyClientCert,
		Certificates: []tls.Certificate{ca.Certify(testca.ServerTemplate(), key)},
	}, ErrorLog: quietLog()}
	go func() { _ = n.server.ServeTLS(l, "", "") }() // it ends with the test
	t.Cleanup(func() { _ = n.server.Close() })
}

// Publish signs the next event of a topic.
func (n *Node) Publish(topic string, data seal.Object) {
	n.Append(n.Seal(topic, data))
}

// Seal signs the event that would be next.
func (n *Node) Seal(topic string, data seal.Object) seal.Object {
	n.mu.Lock()
	defer n.mu.Unlock()
	return seal.Seal(n.statement(topic, data), n.Key)
}

func (n *Node) statement(topic string, data seal.Object) seal.Object {
	return seal.Object{
		"protocol": "svc.trust-event.v1", "tenant_id": Tenant, "node_id": ID, "sequence": int64(len(n.events)) + 1,
		"topic": topic, "occurred_at": "2026-03-02T09:30:00.000Z", "data": data,
	}
}

// SealWith signs the event that would be next, with members of the statement changed, by any
// key.
func (n *Node) SealWith(key seal.Key, changes seal.Object) seal.Object {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.statement("service.claimed", seal.Object{})
	maps.Copy(s, changes)
	return seal.Seal(s, key)
}

// Append puts an event at the end of the feed, whatever its content.
func (n *Node) Append(event seal.Object) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.events = append(n.events, event)
	close(n.changed)
	n.changed = make(chan struct{})
}

// Forget lets the events before a sequence go.
func (n *Node) Forget(before int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.oldest = before
}

// Report changes the health report, which is [Healthy] at the start.
func (n *Node) Report(change func(seal.Object)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change(n.health)
}

// Lie makes the node answer everything with a handler; nil ends that.
func (n *Node) Lie(h http.HandlerFunc) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lie = h
}

// Requests returns how many requests came.
func (n *Node) Requests() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.requests
}

func (n *Node) answer(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	n.requests++
	lie, health := n.lie, seal.CloneObject(n.health)
	n.mu.Unlock()
	switch {
	case lie != nil:
		lie(w, r)
	case r.URL.Path == "/healthz":
		Document(w, http.StatusOK, health)
	case r.URL.Path == "/v1/trust-events":
		n.feed(w, r)
	default:
		Problem(w, http.StatusNotFound, "not_found", "there is nothing here")
	}
}

// feed answers with events, or waits for one.
func (n *Node) feed(w http.ResponseWriter, r *http.Request) {
	wait, err := strconv.Atoi(r.FormValue("wait_seconds"))
	if err != nil {
		Problem(w, http.StatusBadRequest, "request_invalid", "wait_seconds: expected a number")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Duration(wait)*time.Second)
	defer cancel()
	for {
		n.mu.Lock()
		events, last, ok := n.after(r.FormValue("cursor"), r.FormValue("topics"))
		changed := n.changed
		n.mu.Unlock()
		if !ok {
			Problem(w, http.StatusGone, "cursor_expired", "the cursor has expired")
			return
		}
		if len(events) > 0 || ctx.Err() != nil {
			Document(w, http.StatusOK, seal.Object{"events": events, "cursor": fmt.Sprintf("%s.%d", ID, last)})
			return
		}
		select {
		case <-ctx.Done():
		case <-changed:
		}
	}
}

// after returns the events after a cursor, and the last that was looked at.
func (n *Node) after(cursor, topics string) (events []any, last int64, ok bool) {
	from := n.oldest - 1
	if cursor != "" {
		text, _ := strings.CutPrefix(cursor, ID+".")
		var err error
		if from, err = strconv.ParseInt(text, 10, 64); err != nil || from < n.oldest-1 || from > int64(len(n.events)) {
			return nil, 0, false
		}
	}
	events, last = []any{}, from
	const most = 256
	for _, e := range n.events[from:] {
		last++
		topic := seal.Text(seal.Member(e, "statement"), "topic")
		if topics == "" || strings.Contains(","+topics+",", ","+topic+",") {
			events = append(events, e)
		}
		if len(events) == most {
			break
		}
	}
	return events, last, true
}
