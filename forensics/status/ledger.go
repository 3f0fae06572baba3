package status

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
)

// key identifies a transaction or a manifest. Two that have one key by chance, of 2^128, only
// make an answer less definite.
type key [16]byte

func keyOf(words ...string) (k key) {
	h := sha256.New()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{0})
	}
	return key(h.Sum(nil)[:len(k)])
}

func keyOfManifest(m chain.Hash) key { return key(m[:len(key{})]) }

// record links a key to an event about it.
type record struct {
	key      key
	sequence uint64
}

func (r record) compareKey(k key) int { return bytes.Compare(r.key[:], k[:]) }

// records are sorted by key and sequence, each once.
type records []record

func (all *records) sortRecords() {
	slices.SortFunc(*all, func(a, b record) int {
		return cmp.Or(bytes.Compare(a.key[:], b.key[:]), cmp.Compare(a.sequence, b.sequence))
	})
	*all = slices.Clip(slices.Compact(*all))
}

// ofKey returns the records of a key, ascending by sequence.
func (all records) ofKey(k key) records {
	return equalTo(all, k, record.compareKey)
}

// equalTo returns the elements of a sorted list that are equal to a key.
func equalTo[E any](all []E, k key, compare func(E, key) int) []E {
	first, _ := slices.BinarySearchFunc(all, k, compare)
	last := first
	for last < len(all) && compare(all[last], k) == 0 {
		last++
	}
	return all[first:last]
}

// upTo returns the records whose sequence is at most n.
func (all records) upTo(n uint64) records {
	i, _ := slices.BinarySearchFunc(all, n+1, func(r record, n uint64) int { return cmp.Compare(r.sequence, n) })
	return all[:i]
}

// sameSequences reports whether two lists name the same events.
func (all records) sameSequences(other records) bool {
	return slices.EqualFunc(all, other, func(a, b record) bool { return a.sequence == b.sequence })
}

// ledger is the signed revocations of one tenant log.
type ledger struct {
	transactions records // by transaction
	manifests    records // the same, by manifest
	last         uint64  // the last event that was examined
}

func (l *ledger) sortRevocations() {
	l.transactions.sortRecords()
	l.manifests.sortRecords()
}

// revocation contains a ledger's facts on one transaction.
type revocation struct {
	sequence      uint64 // of the first one in the log; 0: none
	contradictory bool
	unlinked      bool // there is one above the last event that was examined
}

// findRevocation looks up a transaction. Sequence and manifest are of its signed issuance, 0 and
// zero if there is none.
func (l *ledger) findRevocation(transaction key, sequence uint64, manifest chain.Hash) revocation {
	all := l.transactions.ofKey(transaction)
	here := all.upTo(l.last)
	r := revocation{contradictory: len(here) > 1, unlinked: len(here) < len(all)}
	if len(here) > 0 {
		r.sequence = here[0].sequence
	}
	if sequence == 0 {
		return r
	}
	early := r.sequence > 0 && r.sequence < sequence
	if early || !all.sameSequences(l.manifests.ofKey(keyOfManifest(manifest))) {
		r.contradictory = true
	}
	return r
}
