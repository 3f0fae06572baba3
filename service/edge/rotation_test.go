package edge_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/edge"
	"github.com/svc-edge/svc-verify/service/edge/edgetest"
)

func TestRotation(t *testing.T) {
	n := edgetest.Start(t)
	publish(n, "service.claimed")
	old, next := n.Key, newKey(t, edgetest.ID+"/2")
	n.Publish("identity.rotated", seal.Object{"key_id": next.ID, "public_key": seal.Base64(next.Public())})
	n.Key = next
	publish(n, "service.claimed")

	w, s := watch(t, n)
	if err := w.Once(t.Context()); err != nil || len(s.lines) != 3 || len(s.rotations) != 1 {
		t.Fatalf("%v, %d lines, rotations %v", err, len(s.lines), s.rotations)
	}
	r := s.rotations[0]
	check.That(t, r.KeyID == next.ID && bytes.Equal(r.Key[:], next.Public()), "found %+v", r)
	n.Append(n.SealWith(old, nil))
	if err := w.Once(t.Context()); err == nil || len(s.lines) != 3 || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("an event by the old key: %v, %d lines", err, len(s.lines))
	}
}

// TestRotationAndPins: a key that is pinned besides needs no hint, also if the
// rotation itself is not seen; one that is not pinned is of no use in the next
// run.
func TestRotationAndPins(t *testing.T) {
	n := edgetest.Start(t)
	old, next := n.Key, newKey(t, edgetest.ID+"/2")
	n.Publish("identity.rotated", seal.Object{"key_id": next.ID, "public_key": seal.Base64(next.Public())})
	n.Key = next
	publish(n, "service.claimed")
	behind := edge.Cursor{Node: edgetest.ID, Sequence: 1}

	w, s := watch(t, n)
	w.Cursor = behind
	if err := w.Once(t.Context()); err == nil || len(s.lines) != 0 || !strings.Contains(err.Error(), "pinned") {
		t.Errorf("with the old key alone: %v, %d lines", err, len(s.lines))
	}
	edgetest.WritePublic(t, filepath.Join(n.Dir, "node.pem"), old.Public(), next.Public())
	for _, from := range []edge.Cursor{behind, {}} {
		w, s = watch(t, n)
		w.Cursor = from
		if err := w.Once(t.Context()); err != nil || len(s.rotations) != 0 || int64(len(s.lines)) != 2-from.Sequence {
			t.Errorf("with both keys: %v, %d lines, rotations %v", err, len(s.lines), s.rotations)
		}
	}
}

// TestPinnedByDigest: a digest alone stands for the events too.
func TestPinnedByDigest(t *testing.T) {
	n := edgetest.Start(t)
	publish(n, "service.claimed")
	c := config(t, n)
	var err error
	if c.Pins, err = edge.ReadPins("", digest(t, n.Key.Public())); err != nil {
		t.Fatal(err)
	}
	w, s := watch(t, n)
	w.Client = client(t, c)
	if err := w.Once(t.Context()); err != nil || len(s.lines) != 1 {
		t.Errorf("%v, %d lines", err, len(s.lines))
	}
	n.Append(n.SealWith(newKey(t, edgetest.ID), nil))
	if err := w.Once(t.Context()); err == nil || len(s.lines) != 1 {
		t.Errorf("by another key: %v, %d lines", err, len(s.lines))
	}
}

// TestNoKeyForEvents: a node that answers with a key that signs no events.
func TestNoKeyForEvents(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must.Do(t, err)
	n := edgetest.StartWith(t, key)
	publish(n, "service.claimed")
	c := config(t, n)
	if c.Pins, err = edge.ReadPins("", digest(t, key.Public())); err != nil {
		t.Fatal(err)
	}
	w, s := watch(t, n)
	w.Client = client(t, c)
	check.Do(t, check.Err(w.Client.Health(t.Context())))
	if err := w.Once(t.Context()); err == nil || len(s.lines) != 0 || !strings.Contains(err.Error(), "Ed25519") {
		t.Errorf("%v, %d lines", err, len(s.lines))
	}
}
