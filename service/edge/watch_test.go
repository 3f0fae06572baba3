package edge_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/edge"
	"github.com/svc-edge/svc-verify/service/edge/edgetest"
)

// config is the configuration of an observer of the node.
func config(t *testing.T, n *edgetest.Node) edge.Config {
	t.Helper()
	pins := must.Get(edge.ReadPins(filepath.Join(n.Dir, "node.pem"), ""))(t)
	return edge.Config{URL: n.URL, CA: filepath.Join(n.Dir, "ca.pem"),
		Certificate: filepath.Join(n.Dir, "observer.pem"), Key: filepath.Join(n.Dir, "observer.key"), Pins: pins}
}

// client connects as an observer of the node.
func client(t *testing.T, c edge.Config) *edge.Client {
	t.Helper()
	client := must.Get(edge.NewClient(c))(t)
	t.Cleanup(client.Close)
	return client
}

// seen is the output of a watch: lines and cursors.
type seen struct {
	mu        sync.Mutex
	lines     []string
	cursors   []edge.Cursor
	rotations []edge.Rotation
	retries   []error
}

// watch makes a watch of the node that shows into memory.
func watch(t *testing.T, n *edgetest.Node) (*edge.Watch, *seen) {
	t.Helper()
	s := &seen{}
	locked := func(f func()) {
		s.mu.Lock()
		defer s.mu.Unlock()
		f()
	}
	w := &edge.Watch{
		Client: client(t, config(t, n)), Tenant: edgetest.Tenant,
		Show:     func(line []byte) error { locked(func() { s.lines = append(s.lines, string(line)) }); return nil },
		Save:     func(c edge.Cursor) error { locked(func() { s.cursors = append(s.cursors, c) }); return nil },
		Rotated:  func(r edge.Rotation) { locked(func() { s.rotations = append(s.rotations, r) }) },
		Retrying: func(err error) { locked(func() { s.retries = append(s.retries, err) }) },
	}
	return w, s
}

// shows makes the watch look once, without an error and with so many lines in all.
func (s *seen) shows(t *testing.T, w *edge.Watch, lines int, label string) {
	t.Helper()
	must.OK(t, w.Once(t.Context()), "%s", label)
	must.Equal(t, len(s.lines), lines, "%s: lines", label)
}

// refuses makes the watch look once, with an error that has a text and so many lines in all.
func (s *seen) refuses(t *testing.T, w *edge.Watch, lines int, text, label string) {
	t.Helper()
	check.Fails(t, w.Once(t.Context()), text, "%s", label)
	check.Equal(t, len(s.lines), lines, "%s: lines", label)
}

func publish(n *edgetest.Node, topics ...string) {
	for _, topic := range topics {
		n.Publish(topic, seal.Object{"policy_version": int64(8)})
	}
}

func newKey(t *testing.T, id string) seal.Key {
	t.Helper()
	_, private := must.Two(ed25519.GenerateKey(rand.Reader))(t)
	return seal.Key{ID: id, Private: private}
}

func TestOnce(t *testing.T) {
	n := edgetest.Start(t)
	w, s := watch(t, n)
	s.shows(t, w, 0, "an empty feed")
	must.Equal(t, w.Cursor, edge.Cursor{Node: edgetest.ID}, "the cursor in an empty feed")
	event := n.Seal("policy.version.available", seal.Object{"text": "\x1b[2J\u202e\u009b"})
	n.Append(event)
	for range 600 {
		publish(n, "service.claimed")
	}
	s.shows(t, w, 601, "all")
	if want := string(seal.Canonical(event)) + "\n"; s.lines[0] != want {
		t.Errorf("line %q, expected %q", s.lines[0], want)
	}
	last := s.cursors[len(s.cursors)-1]
	check.That(t, last == w.Cursor && last.String() == edgetest.ID+".601" &&
		len(s.cursors) == 602, "%d cursors, the last %v", len(s.cursors), last)
	s.shows(t, w, 601, "again")
}

func TestTopics(t *testing.T) {
	n := edgetest.Start(t)
	publish(n, "service.claimed", "capability.observed", "service.claimed", "capability.observed", "capability.expired")
	w, s := watch(t, n)
	w.Topics = []string{"service.claimed"}
	s.shows(t, w, 2, "of one topic")
	check.Equal(t, w.Cursor.Sequence, 5, "the cursor, which passes what was looked at")
}

// TestBeginsWithTheOldest: without a cursor, events that are no longer kept are no gap; with
// one they are lost, and this is reported.
func TestBeginsWithTheOldest(t *testing.T) {
	n := edgetest.Start(t)
	publish(n, "service.claimed", "service.claimed", "service.claimed", "service.claimed")
	n.Forget(3)
	w, s := watch(t, n)
	s.shows(t, w, 2, "without a cursor")
	w, s = watch(t, n)
	w.Cursor = edge.Cursor{Node: edgetest.ID, Sequence: 1}
	var expired *edge.Expired
	err := w.Once(t.Context())
	check.That(t, errors.As(err, &expired) && expired.Cursor == w.Cursor &&
		len(s.lines)+len(s.cursors) == 0, "%v, %d lines, %d cursors", err, len(s.lines), len(s.cursors))
	w.Cursor.Sequence = 2 // the last event before the kept ones was looked at
	s.shows(t, w, 2, "from the last one that was dropped")
}

// TestShownBeforeTheCursorMoves: a line that does not get out is not passed.
func TestShownBeforeTheCursorMoves(t *testing.T) {
	n := edgetest.Start(t)
	publish(n, "service.claimed", "service.claimed", "service.claimed")
	w, s := watch(t, n)
	broken := errors.New("broken pipe")
	show := w.Show
	w.Show = func(line []byte) error {
		if len(s.lines) == 1 {
			return broken
		}
		return show(line)
	}
	if err := w.Follow(t.Context()); !errors.Is(err, broken) || len(s.cursors) != 1 || s.cursors[0].Sequence != 1 {
		t.Errorf("%v, cursors %v, expected one at event 1", err, s.cursors)
	}
	w, s = watch(t, n)
	w.Save = func(edge.Cursor) error { return broken }
	err := w.Follow(t.Context())
	check.That(t, errors.Is(err, broken) && len(s.lines) == 1, "%v, %d lines, expected one", err, len(s.lines))
}

// TestFollow: a watch waits for events, and comes back after the node was away.
func TestFollow(t *testing.T) {
	n := edgetest.Start(t)
	w, s := watch(t, n)
	w.Wait = edge.MaxWait
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- w.Follow(ctx) }()
	must.Eventually(t, "a poll", func() bool { return n.Requests() > 0 })
	publish(n, "service.claimed")
	must.Eventually(t, "the first event, and the next poll", func() bool { return s.count() == 1 && n.Requests() == 2 })
	n.Lie(func(w http.ResponseWriter, _ *http.Request) {
		edgetest.Problem(w, http.StatusServiceUnavailable, "unavailable", "\x1b[2J")
	})
	publish(n, "service.claimed")
	must.Eventually(t, "the second event", func() bool { return s.count() == 2 })
	must.Eventually(t, "a refusal", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.retries) > 0 })
	n.Lie(nil)
	publish(n, "service.claimed")
	must.Eventually(t, "the third event", func() bool { return s.count() == 3 })
	cancel()
	check.Do(t, <-done)
	text := s.retries[0].Error()
	check.That(t, strings.Contains(text, "unavailable") && !strings.ContainsRune(text, '\x1b'), "found %q", text)
}

func (s *seen) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lines)
}

// asked answers requests without a network.
type asked func(*http.Request) (*http.Response, error)

func (a asked) RoundTrip(r *http.Request) (*http.Response, error) { return a(r) }

// TestPauses: between two tries there is always a pause, and it grows while the node is away;
// a node that does not wait is not asked without end. The time is a bubble's, where no one
// waits.
func TestPauses(t *testing.T) {
	n := edgetest.Start(t)
	w, s := watch(t, n)
	must.Do(t, w.Once(t.Context())) // the node and its certificate are known from here on
	state := &tls.ConnectionState{PeerCertificates: []*x509.Certificate{edge.Leaf(w)}}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var tries []time.Time
		edge.Through(w, asked(func(*http.Request) (*http.Response, error) {
			if tries = append(tries, time.Now()); len(tries) == 12 {
				cancel()
			}
			if len(tries)%4 >= 2 {
				return nil, io.ErrUnexpectedEOF
			}
			header := http.Header{"Content-Type": {"application/json"}}
			body := io.NopCloser(strings.NewReader(`{"events":[],"cursor":"` + edgetest.ID + `.0"}`))
			return &http.Response{StatusCode: http.StatusOK, Header: header, Body: body, TLS: state}, nil
		}))
		err := w.Follow(ctx)
		check.That(t, err == nil && len(s.retries) != 0, "%v %v", err, len(s.retries))
		failures := 0
		for i, at := range tries[1:] {
			least, most := time.Second, time.Second
			if failures++; (i+1)%4 < 2 {
				failures = 0
			} else {
				most = 2 * time.Second << (failures - 1)
				least = most / 2
			}
			d := at.Sub(tries[i])
			check.That(t, d >= least && d <= most, "before try %d: %v, expected %v to %v", i+2, d, least, most)
		}
	})
	for failures, most := 1, 2*time.Second; failures < 40; failures++ {
		d := edge.Backoff(failures)
		check.That(t, d >= most/2 && d <= most, "after %d failures %v, expected up to %v", failures, d, most)
		most = min(2*most, 30*time.Second)
	}
}

func digest(t *testing.T, key any) string {
	t.Helper()
	sum := sha(edgetest.SPKI(t, key))
	return hex.EncodeToString(sum[:])
}
