package trust

import (
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/eddsa"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/vectors"
)

// newSession returns a session, and a function that returns how many signatures it has
// verified.
func newSession(t testing.TB, memory int) (*Session, func() int) {
	t.Helper()
	root := must.Get(Parse(file(nil)))(t)
	s := NewSession(root, memory)
	verify, count, mu := s.verify, 0, sync.Mutex{}
	s.verify = func(key PublicKey, items []eddsa.Item, valid []bool) error {
		mu.Lock()
		count += len(items)
		mu.Unlock()
		return verify(key, items, valid)
	}
	return s, func() int { return count }
}

// numbered returns the key of a number, a message, and the key's signature of it.
func numbered(key byte, message uint64) (PublicKey, []byte, []byte) {
	m := binary.BigEndian.AppendUint64(nil, message)
	return PublicKey(private(key).Public().(ed25519.PublicKey)), m, ed25519.Sign(private(key), m)
}

// TestSessionVectors: a session judges the public vectors as crypto/ed25519 does, whether it
// has seen them or not.
func TestSessionVectors(t *testing.T) {
	s, _ := newSession(t, SessionMemory)
	for range 2 {
		for i, v := range vectors.Ed25519(t) {
			if len(v.Public) != ed25519.PublicKeySize {
				continue
			}
			k := PublicKey(v.Public)
			got := s.isSignedBy(k, v.Message, v.Signature)
			check.That(t, got == k.isSignedBy(v.Message, v.Signature), "%s, vector %d: accepted %t", v.Source, i, got)
		}
	}
}

// TestSessionOfAnyMemory: no amount of memory changes an answer, and goroutines
// get in no one's way. The tables are there: a key has hundreds of signatures.
func TestSessionOfAnyMemory(t *testing.T) {
	for _, memory := range []int{0, rememberedSize, rememberedSize + 1<<20, SessionMemory} {
		s, _ := newSession(t, memory)
		var workers sync.WaitGroup
		for worker := range 3 {
			workers.Go(func() {
				for i := range uint64(400) {
					k, m, signature := numbered(byte(i%2), i+uint64(worker)*50)
					damaged := slices.Clone(signature)
					damaged[i%64] ^= 4
					check.That(t, s.isSignedBy(k, m, signature) && (i%10 != 0 || !s.isSignedBy(k, m, damaged)),
						"with %d bytes signature %d is judged wrong", memory, i)
				}
			})
		}
		workers.Wait()
		check.Do(t, s.Err())
	}
}

// TestSessionRemembers: a signature that holds is verified once, and another one
// each time: another key, message or signature makes another claim, and so does
// where the signature ends and the message begins.
func TestSessionRemembers(t *testing.T) {
	s, verified := newSession(t, 0)
	k, m, signature := numbered(1, 7)
	other, _, foreign := numbered(2, 7)
	for range 3 {
		for _, claim := range []struct {
			key                PublicKey
			message, signature []byte
			want               bool
		}{
			{k, m, signature, true},
			{other, m, signature, false},
			{k, m[1:], signature, false},
			{k, m, foreign, false},
			{k, slices.Concat(signature[63:], m), signature[:63], false},
			{k, m[1:], slices.Concat(signature, m[:1]), false},
			{k, m, nil, false},
		} {
			check.That(t, s.isSignedBy(claim.key, claim.message, claim.signature) == claim.want, "%+v is judged wrong", claim)
		}
	}
	check.That(t, verified() == 1+3*3, "%d signatures were verified, want 10", verified())
}

// TestRememberedIsBounded: used claims stay, unused ones go, and there are never more than
// twice as many as are promised.
func TestRememberedIsBounded(t *testing.T) {
	var r remembered
	used, unused := claim{1}, claim{2}
	r.addSignature(used)
	r.addSignature(unused)
	for i := range 5 * rememberedClaims {
		id := claim{3}
		binary.BigEndian.PutUint64(id[1:], uint64(i))
		r.addSignature(id)
		must.That(t, r.hasSignature(id) && (i%1000 != 0 || r.hasSignature(used)), "claim %d is lost", i)
		must.That(t, len(r.latest) <= rememberedClaims && len(r.before) <= rememberedClaims, "%d and %d claims",
			len(r.latest), len(r.before))
	}
	check.That(t, !r.hasSignature(unused), "a claim is kept for good")
}

// TestSessionDisagreement: where the implementations disagree nothing holds, and
// the session has an error from then on.
func TestSessionDisagreement(t *testing.T) {
	s, _ := newSession(t, 0)
	verify := s.verify
	s.verify = func(PublicKey, []eddsa.Item, []bool) error { return fmt.Errorf("here: %w", eddsa.ErrDisagreement) }
	k, m, signature := numbered(1, 1)
	check.That(t, s.Err() == nil && !s.isSignedBy(k, m, signature) && errors.Is(s.Err(), eddsa.ErrDisagreement), "%v",
		s.Err())
	s.verify = verify
	check.That(t, s.isSignedBy(k, m, signature) && s.Err() != nil,
		"the error does not last, or the signature was remembered as wrong")
}
