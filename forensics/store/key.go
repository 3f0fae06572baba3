package store

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

// KeySize is the size of a user's key.
const KeySize = guard.KeySize

// Key is a user's secret. A case returns remembered results only if they were
// written under the same key, because anyone who can write to the file can change
// the rest. A nil Key remembers nothing.
type Key struct {
	rows  [KeySize]byte
	pages cipher.AEAD // only for its authentication
}

// NewKey derives a key from a secret.
func NewKey(secret [KeySize]byte) (*Key, error) {
	k := &Key{}
	rows, err := guard.Derive(secret, "svc-verify store: rows")
	if err != nil {
		return nil, err
	}
	k.rows = rows
	pages, err := guard.Derive(secret, "svc-verify store: pages")
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(pages[:])
	if err != nil {
		return nil, err
	}
	k.pages, err = cipher.NewGCM(block)
	return k, err
}

// code returns the HMAC-SHA256 of parts.
func (k *Key) code(of string, parts ...[]byte) chain.Hash { return guard.Code(k.rows, of, parts...) }

// tag authenticates a page. Tags are secret: they are only ever digested under
// the same key, so that the same nonce may be used for another state of a page.
func (k *Key) tag(tag []byte, number uint32, page []byte) []byte {
	var nonce [12]byte
	binary.BigEndian.PutUint32(nonce[8:], number)
	return k.pages.Seal(tag, nonce[:], nil, page)
}

// readStanding returns the value at a place; nil if this key vouches for none.
func readStanding(c *sqlite.Conn, k *Key, place chain.Hash) (value []byte, err error) {
	const query = "SELECT value, code FROM vouched WHERE place = ?"
	err = c.Each(query, []any{place[:]}, func(s *sqlite.Stmt) error {
		found := append([]byte{}, s.Blob(0)...)
		if want := k.code("vouched", place[:], found); hmac.Equal(want[:], s.Blob(1)) {
			value = found
		}
		return nil
	})
	return value, err
}

// writeStanding puts a value at a place, instead of an earlier one.
func writeStanding(c *sqlite.Conn, k *Key, place chain.Hash, value []byte) error {
	code := k.code("vouched", place[:], value)
	return c.Run("INSERT OR REPLACE INTO vouched VALUES (?, ?, ?)", place[:], value, code[:])
}

// newLineage returns a name for the state of a case from now on.
func newLineage() []byte {
	b := make([]byte, sha256.Size)
	rand.Read(b) // never fails
	return b
}
