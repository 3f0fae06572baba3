package chance

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func TestStreams(t *testing.T) {
	first := New(1).Stream("a").Bytes(40)
	check.That(t, bytes.Equal(first, New(1).Stream("a").Bytes(40)), "the same stream has other bytes")
	for name, other := range map[string]*Stream{"another name": New(1).Stream("b"), "another seed": New(2).Stream("a")} {
		check.That(t, !bytes.Equal(first, other.Bytes(40)), "%s: the same bytes", name)
	}
}

func TestClockOnlyMovesForward(t *testing.T) {
	clock := New(1).Clock()
	last := time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)
	for range 1000 {
		next := clock.Next()
		if step := next.Sub(last); step <= 0 || step > longestStep || step%time.Millisecond != 0 {
			t.Fatalf("the clock moved by %s", step)
		}
		last = next
	}
	clock.Pass(time.Hour)
	next := clock.Next()
	check.That(t, next.Sub(last) > time.Hour, "an hour passed, and the clock went from %s to %s", last, next)
}

func TestKeysFollowFromTheSeed(t *testing.T) {
	algorithms := []string{"ecdsa-p256", "ecdsa-p384", "ed25519"}
	if !testing.Short() {
		algorithms = append(algorithms, "rsa-2048")
	}
	for _, algorithm := range algorithms {
		a, b := key(t, 1, algorithm), key(t, 1, algorithm)
		check.That(t, public(a).Equal(b.Public()), "%s: another key from the same seed", algorithm)
		check.That(t, !public(a).Equal(key(t, 2, algorithm).Public()), "%s: the same key from another seed", algorithm)
		first, second := sign(t, a), sign(t, b)
		check.That(t, bytes.Equal(first, second), "%s: another signature of the same message", algorithm)
	}
}

func TestSignatures(t *testing.T) {
	sum := sha256.Sum256(message)
	algorithms := []string{"ecdsa-p256", "ecdsa-p384", "rsa-2048", "ed25519"}
	if !testing.Short() {
		algorithms = append(algorithms, "rsa-3072")
	}
	for _, algorithm := range algorithms {
		k := key(t, 3, algorithm)
		ok := false
		switch p := k.Public().(type) {
		case *ecdsa.PublicKey:
			ok = ecdsa.VerifyASN1(p, sum[:], sign(t, k))
		case *rsa.PublicKey:
			ok = rsa.VerifyPKCS1v15(p, crypto.SHA256, sum[:], sign(t, k)) == nil &&
				fmt.Sprint("rsa-", p.N.BitLen()) == algorithm && p.E == 65537
		case ed25519.PublicKey:
			ok = ed25519.Verify(p, message, sign(t, k))
		}
		check.That(t, ok, "%s: the signature does not verify", algorithm)
	}
}

func TestUnknownAlgorithm(t *testing.T) {
	check.That(t, check.Err(New(1).Stream("k").Key("ecdsa-p521")) != nil, "a key of an unknown algorithm was made")
}

var message = []byte("message")

func key(t *testing.T, seed uint64, algorithm string) crypto.Signer {
	t.Helper()
	return must.Get(New(seed).Stream("k").Key(algorithm))(t)
}

func public(k crypto.Signer) interface{ Equal(crypto.PublicKey) bool } {
	return k.Public().(interface{ Equal(crypto.PublicKey) bool })
}

func sign(t *testing.T, k crypto.Signer) []byte {
	t.Helper()
	digest, hash := message, crypto.Hash(0)
	if _, isEd := k.(ed25519.PrivateKey); !isEd {
		sum := sha256.Sum256(message)
		digest, hash = sum[:], crypto.SHA256
	}
	return must.Get(k.Sign(rand.Reader, digest, hash))(t)
}
