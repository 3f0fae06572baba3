package part

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/access"
)

// How long the secret of a part key is, in bytes.
const (
	LeastKey = 32
	MostKey  = 4096
)

// keyLabel separates the part key from other keys of the same secret (SPEC 19.6).
const keyLabel = "svc-verify part: mac"

// Key is the secret that workers and those who conclude from their parts share. Only its
// holders can make a part that holds under it.
type Key struct{ mac []byte }

// NewKey derives a key from a secret of [LeastKey] to [MostKey] bytes.
func NewKey(secret []byte) (*Key, error) {
	if len(secret) < LeastKey || len(secret) > MostKey {
		return nil, fmt.Errorf("expected a key of %d to %d octets, found %d", LeastKey, MostKey, len(secret))
	}
	mac, err := hkdf.Key(sha256.New, secret, nil, keyLabel, sha256.Size)
	return &Key{mac}, err
}

// ReadKey reads a key file, which only its owner may use. Errors do not name the file.
func ReadKey(path string) (*Key, error) {
	f, err := access.OpenRegular(path)
	if err != nil {
		return nil, access.WithoutPath(err)
	}
	defer f.Close()
	if err := access.Check(f, access.Nothing); err != nil {
		return nil, fmt.Errorf("expected a file that only its owner can use, found %w", err)
	}
	secret, err := io.ReadAll(io.LimitReader(f, MostKey+1))
	if err != nil {
		return nil, access.WithoutPath(err)
	}
	return NewKey(secret)
}

// code returns the MAC of a part with the given digest. It is never zero, which means none.
func (k *Key) code(digest chain.Hash) (sum chain.Hash) {
	h := hmac.New(sha256.New, k.mac)
	h.Write(digest[:])
	h.Sum(sum[:0])
	return sum
}
