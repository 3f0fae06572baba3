package eddsa

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"filippo.io/edwards25519"
)

const (
	// breakEven is the number of signatures under one key from which its table
	// is worth building, sampleFirst included: below it crypto/ed25519 is faster.
	breakEven = 128

	// wideEven is the number from which the wide tables are worth building.
	wideEven = 1 << 15

	// sampleFirst is how many signatures crypto/ed25519 decides as well, right
	// after the table of a key was built: a wrong table is found at once.
	sampleFirst = 64

	// sampleEvery is the distance of the signatures that crypto/ed25519 decides as well from
	// then on, one in a batch. A table that went bad later is found soon: it would mostly
	// refuse valid signatures, and every refusal is confirmed.
	sampleEvery = 1024
)

// ErrDisagreement reports that the tables and crypto/ed25519 decided differently on one
// signature. It is never the fault of the evidence: either this package is wrong or the memory
// is, and no verdict of this run can be relied on.
var ErrDisagreement = errors.New("two implementations of Ed25519 disagree")

// Item is one signature to verify: the message as it was signed, and the
// signature, which holds only if it is 64 bytes long.
type Item struct {
	Message, Signature []byte
}

// Key verifies signatures under one public key (SPEC 1.8). It may be used by
// several goroutines at once, and must come from [New] or [Keys] and not be
// copied.
type Key struct {
	public  ed25519.PublicKey
	minus   *edwards25519.Point // the key's point, negated; nil if there is none
	keys    *Keys               // that it shares memory with; nil if it has all it wants
	seen    atomic.Uint64       // signatures handed to Verify
	lost    atomic.Uint64       // of them, those before it last lost its tables
	decided atomic.Uint64       // signatures decided by the present tables
	used    atomic.Uint64       // the time of keys when it last used its tables

	tables   atomic.Pointer[tables] // they are replaced and never changed
	building sync.Mutex             // held while tables are made or asked for
	claim    *claim                 // on the memory of other keys; guarded by building
}

// New returns a Key for the 32 raw bytes of an Ed25519 public key. Whether the key should be
// trusted is not asked here: under bytes that encode no point no signature holds, and a key of
// small order is treated as in crypto/ed25519.
func New(public [ed25519.PublicKeySize]byte) *Key {
	k := &Key{public: public[:]}
	if point, err := new(edwards25519.Point).SetBytes(k.public); err == nil {
		k.minus = point.Negate(point)
	}
	return k
}

// Verify sets valid[i] to whether items[i] holds: to the result of [ed25519.Verify] for it,
// whatever the other items are. The only error wraps [ErrDisagreement]; then no entry of valid
// is true. Verify panics if items and valid are not of the same length.
func (k *Key) Verify(items []Item, valid []bool) error {
	if len(items) != len(valid) {
		panic("eddsa: as many verdicts as items are needed")
	}
	clear(valid)
	t := k.tablesFor(k.seen.Add(uint64(len(items))))
	if t == nil {
		for i, item := range items {
			valid[i] = k.referenceVerdict(item)
		}
		return nil
	}
	t.verifyItems(k.public, items, valid)
	if err := k.confirmRejections(items, valid); err != nil {
		clear(valid)
		return err
	}
	return nil
}

// tablesFor returns the tables of the key, nil if it has none: it is too early
// for them, or the other keys have a better use for the memory.
func (k *Key) tablesFor(seen uint64) *tables {
	if k.keys != nil {
		k.used.Store(k.keys.time.Add(1))
	}
	if t := k.tables.Load(); t.radixOf() >= k.worthRadix(seen, t) {
		return t
	}
	k.building.Lock()
	defer k.building.Unlock()
	t := k.tables.Load()
	radix := k.worthRadix(seen, t)
	if t.radixOf() >= radix || k.keys != nil && !k.keys.reserveMemory(k, radix) {
		return t
	}
	t = &tables{base: baseTable(radix), minusKey: newTable(k.minus, radix)}
	k.decided.Store(0) // they are new: all of the first are sampled again
	if k.keys == nil {
		k.tables.Store(t)
	} else {
		k.keys.keepTables(k, t)
	}
	return t
}

// worthRadix returns the radix of the tables that are worth having for a key with so
// many signatures and the tables t, 0 if none are. The narrow ones come first:
// there may be no memory for others.
func (k *Key) worthRadix(seen uint64, t *tables) uint {
	lost := k.lost.Load()
	switch {
	case k.minus == nil || seen < lost+breakEven:
		return 0
	case t == nil || seen < lost+wideEven:
		return narrow
	}
	return wide
}

// referenceVerdict is the verdict of crypto/ed25519, which is the right one.
func (k *Key) referenceVerdict(item Item) bool {
	return ed25519.Verify(k.public, item.Message, item.Signature)
}

// confirmRejections has crypto/ed25519 decide again on every rejection, so that evidence
// is never called wrong on the word of the tables, and on a sample of the rest.
// The sample goes by count: one goroutine always draws the same. It guards
// against a defect, not against an adversary, who can count too.
func (k *Key) confirmRejections(items []Item, valid []bool) error {
	n := uint64(len(items))
	first := k.decided.Add(n) - n
	for i, item := range items {
		at := first + uint64(i)
		sampled := at < sampleFirst || at%sampleEvery == 0
		if valid[i] && !sampled {
			continue
		}
		if k.referenceVerdict(item) != valid[i] {
			return fmt.Errorf("signature %d of %d under key %x: %w", i+1, n, k.public, ErrDisagreement)
		}
	}
	return nil
}
