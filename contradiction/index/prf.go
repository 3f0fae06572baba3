package index

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
)

// keyed is a keyed hash: CBC-MAC with AES, over a first block that has the length, so that no
// message begins another. Its key is random and of this run alone. Bundles come from parties
// that may want to hide something, and without the key no one can choose two claims that have
// one hash.
type keyed struct {
	cipher cipher.Block
	state  [aes.BlockSize]byte
	begun  [kinds]begun // by domain
}

func newKeyed() *keyed {
	var key [16]byte
	rand.Read(key[:]) // never fails
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // the key has a length that AES knows
	}
	return &keyed{cipher: block}
}

// begun is the state after the first block, which most messages of a domain share.
type begun struct {
	length int
	state  [aes.BlockSize]byte
}

// sum hashes a message that is not empty. The same message in another domain, a
// number below kinds, has another hash.
func (k *keyed) sum(domain byte, message []byte) uint64 {
	b := &k.begun[domain]
	if b.length != len(message) {
		b.length, b.state = len(message), [aes.BlockSize]byte{domain}
		binary.BigEndian.PutUint64(b.state[8:], uint64(len(message)))
		k.cipher.Encrypt(b.state[:], b.state[:])
	}
	k.state = b.state
	for len(message) > 0 {
		n := min(len(message), aes.BlockSize)
		subtle.XORBytes(k.state[:], k.state[:], message[:n])
		message = message[n:]
		k.cipher.Encrypt(k.state[:], k.state[:])
	}
	return binary.BigEndian.Uint64(k.state[:])
}
