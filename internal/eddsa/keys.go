package eddsa

import (
	"cmp"
	"crypto/ed25519"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Keys keeps the keys that signatures are verified under: a [Key] gets faster
// with use. The tables of all of them share one bounded memory, which the keys
// in use get. It may be used by several goroutines at once.
type Keys struct {
	most int           // bytes of tables
	time atomic.Uint64 // calls of Verify

	mu   sync.Mutex
	keys map[[ed25519.PublicKeySize]byte]*Key
	held map[*Key]uint // by key with tables, or making them: their radix
	base map[uint]bool // radices for which the base point has tables
	size int           // bytes of all these tables
}

// MostTables bounds the memory of the tables that keys are used with: a few keys
// with many signatures, or a hundred with a few.
const MostTables = 64 << 20

// NewKeys returns keys whose tables, with the base point's, use at most so many bytes
// together. Keys without tables are as good, and slower.
func NewKeys(most int) *Keys {
	return &Keys{most: most, keys: map[[ed25519.PublicKeySize]byte]*Key{}, held: map[*Key]uint{}, base: map[uint]bool{}}
}

// Of returns the Key of a public key.
func (k *Keys) Of(public [ed25519.PublicKeySize]byte) *Key {
	k.mu.Lock()
	defer k.mu.Unlock()
	key, ok := k.keys[public]
	if !ok {
		key = New(public)
		key.keys = k
		k.keys[public] = key
	}
	return key
}

// reserveMemory reserves memory for tables of a key, and reports whether it got it. If no
// memory is free, the key has to claim the memory of others.
func (k *Keys) reserveMemory(key *Key, radix uint) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	need := tableSize(radix) - tableSize(k.held[key])
	if !k.base[radix] {
		need += tableSize(radix)
	}
	if missing := k.size + need - k.most; missing > 0 && !k.claimPrevails(key, missing) {
		return false
	}
	key.claim = nil
	k.held[key], k.base[radix] = radix, true
	k.size += need
	return true
}

// keepTables gives a key the tables that it has made, unless it has lost the memory
// for them meanwhile.
func (k *Keys) keepTables(key *Key, t *tables) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held[key] == t.radixOf() {
		key.tables.Store(t)
	}
}

// dropTables removes the tables of a key. It has to earn new ones from the start.
func (k *Keys) dropTables(key *Key) {
	k.size -= tableSize(k.held[key])
	delete(k.held, key)
	key.tables.Store(nil)
	key.lost.Store(key.seen.Load())
}

// claim compares the use of a key, from a moment on, with the use of the keys whose memory it
// wants. They are the ones whose last use is longest ago: an idle key gives way at once, and a
// key in use only to one that is used far more.
type claim struct {
	seen   uint64          // signatures of the key at that moment
	others map[*Key]uint64 // signatures of the others
}

const (
	// patience is how many signatures of its own a claim waits for until it is
	// decided. With as many, keys in even use rarely replace each other: tables
	// that are made again and again cost more than they save.
	patience = breakEven / 2

	// atOnce is for how many a claim waits on keys that are not used meanwhile.
	atOnce = patience / 4

	// gain is how much more the first tables of a key save than wide ones after
	// them.
	gain = 16
)

// claimPrevails decides the claim of a key on so many bytes of others: it has been
// used twice as much. It makes a claim where there is none.
func (k *Keys) claimPrevails(key *Key, missing int) bool {
	if key.claim == nil {
		key.claim = k.newClaim(key, missing)
		return false
	}
	own, used, freed := key.seen.Load()-key.claim.seen, uint64(0), 0
	for other, before := range key.claim.others {
		freed += tableSize(k.held[other])
		used += other.seen.Load() - before
	}
	if k.held[key] != 0 {
		own /= gain
	}
	switch {
	case freed >= missing && (own >= atOnce && used == 0 || own >= patience && own >= 2*used):
		for other := range key.claim.others {
			k.dropTables(other)
		}
		return true
	case own >= patience:
		key.claim = k.newClaim(key, missing)
	}
	return false
}

// newClaim makes a claim on the memory of the keys that were used longest ago.
func (k *Keys) newClaim(key *Key, missing int) *claim {
	c := &claim{seen: key.seen.Load(), others: map[*Key]uint64{}}
	byUse := slices.SortedFunc(maps.Keys(k.held), func(a, b *Key) int { return cmp.Compare(a.used.Load(), b.used.Load()) })
	for _, other := range byUse {
		if missing <= 0 {
			break
		}
		if other != key {
			c.others[other] = other.seen.Load()
			missing -= tableSize(k.held[other])
		}
	}
	return c
}
