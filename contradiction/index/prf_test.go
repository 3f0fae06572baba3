package index

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"
)

// TestKeyedHash compares the hash with CBC from the library.
func TestKeyedHash(t *testing.T) {
	k := newKeyed()
	rapid.Check(t, func(t *rapid.T) {
		domain := rapid.ByteMax(kinds-1).Draw(t, "domain")
		message := rapid.SliceOfN(rapid.Byte(), 1, 100).Draw(t, "message")
		plain := make([]byte, aes.BlockSize)
		plain[0] = domain
		binary.BigEndian.PutUint64(plain[8:], uint64(len(message)))
		plain = append(plain, message...)
		plain = append(plain, bytes.Repeat([]byte{0}, -len(plain)&(aes.BlockSize-1))...)
		cbc := cipher.NewCBCEncrypter(k.cipher, make([]byte, aes.BlockSize)) // #nosec G407 -- a MAC begins with zeros
		cbc.CryptBlocks(plain, plain)
		want := binary.BigEndian.Uint64(plain[len(plain)-aes.BlockSize:])
		if got := k.sum(domain, message); got != want {
			t.Errorf("%x, want %x", got, want)
		}
	})
	if newKeyed().sum(1, []byte("a")) == k.sum(1, []byte("a")) {
		t.Error("two runs have one secret")
	}
}
