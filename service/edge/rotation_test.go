package edge_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"path/filepath"
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
	s.shows(t, w, 3, "the rotation")
	must.Equal(t, len(s.rotations), 1, "rotations")
	r := s.rotations[0]
	check.That(t, r.KeyID == next.ID && bytes.Equal(r.Key[:], next.Public()), "found %+v", r)
	n.Append(n.SealWith(old, nil))
	s.refuses(t, w, 3, "replaced", "an event by the old key")
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
	s.refuses(t, w, 0, "pinned", "with the old key alone")
	edgetest.WritePublic(t, filepath.Join(n.Dir, "node.pem"), old.Public(), next.Public())
	for _, from := range []edge.Cursor{behind, {}} {
		w, s = watch(t, n)
		w.Cursor = from
		s.shows(t, w, 2-int(from.Sequence), "with both keys")
		check.Equal(t, len(s.rotations), 0, "rotations with both keys")
	}
}

// pinnedBy is a watch of a node that is pinned by the digest of a key alone.
func pinnedBy(t *testing.T, n *edgetest.Node, key crypto.PublicKey) (*edge.Watch, *seen) {
	t.Helper()
	c := config(t, n)
	c.Pins = must.Get(edge.ReadPins("", digest(t, key)))(t)
	w, s := watch(t, n)
	w.Client = client(t, c)
	return w, s
}

// TestPinnedByDigest: a digest alone pins the key of the events too.
func TestPinnedByDigest(t *testing.T) {
	n := edgetest.Start(t)
	publish(n, "service.claimed")
	w, s := pinnedBy(t, n, n.Key.Public())
	s.shows(t, w, 1, "by the key of the digest")
	n.Append(n.SealWith(newKey(t, edgetest.ID), nil))
	s.refuses(t, w, 1, "", "by another key")
}

// TestNoKeyForEvents: a node that answers with a key that signs no events.
func TestNoKeyForEvents(t *testing.T) {
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	n := edgetest.StartWith(t, key)
	publish(n, "service.claimed")
	w, s := pinnedBy(t, n, key.Public())
	check.Do(t, check.Err(w.Client.Health(t.Context())))
	s.refuses(t, w, 0, "Ed25519", "a key that signs no events")
}
