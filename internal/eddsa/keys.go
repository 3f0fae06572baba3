package eddsa

import (
	"crypto/ed25519"
	"sync"
)

// Keys keeps the keys that signatures are verified under: a [Key] gets faster
// with use. It may be used by several goroutines at once.
type Keys struct {
	most int // bytes of tables

	mu   sync.Mutex
	keys map[[ed25519.PublicKeySize]byte]*Key
}

// MostTables bounds the memory of the tables that keys are used with: a few keys
// with many signatures, or a hundred with a few.
const MostTables = 64 << 20

// NewKeys returns keys whose tables take about most bytes together.
func NewKeys(most int) *Keys {
	return &Keys{most: most, keys: map[[ed25519.PublicKeySize]byte]*Key{}}
}

// Of returns the Key of a public key.
func (k *Keys) Of(public [ed25519.PublicKeySize]byte) *Key {
	k.mu.Lock()
	defer k.mu.Unlock()
	key, ok := k.keys[public]
	if !ok {
		key = New(public)
		k.keys[public] = key
	}
	return key
}

// Trim drops all keys when their tables have become too many: those in use soon
// have tables again.
func (k *Keys) Trim() {
	k.mu.Lock()
	defer k.mu.Unlock()
	size := 0
	for _, key := range k.keys {
		size += key.Size()
	}
	if size > k.most {
		clear(k.keys)
	}
}
