package form

import (
	"crypto/sha512"
	"encoding/hex"
)

// SHA512 reads a SHA-512 digest: exactly 128 lower-case hex digits.
func (o Object) SHA512(name string) (digest [sha512.Size]byte) {
	o.Text(name, "a SHA-512 digest: 128 lower-case hex digits", func(s string) (ok bool) {
		digest, ok = SHA512(s)
		return ok
	})
	return digest
}

// SHA512 decodes a SHA-512 digest: exactly 128 lower-case hex digits.
func SHA512(s string) (digest [sha512.Size]byte, ok bool) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(digest) || hex.EncodeToString(b) != s {
		return digest, false
	}
	return [sha512.Size]byte(b), true
}
