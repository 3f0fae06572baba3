package seal

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// Hash is a SHA-256 digest.
type Hash [sha256.Size]byte

// String returns the hash in lowercase hex.
func (h Hash) String() string {
	return hex.EncodeToString(h[:])
}

// ParseHash reads a hash from hex.
func ParseHash(s string) (Hash, error) {
	var h Hash
	if len(s) != hex.EncodedLen(len(h)) {
		return h, fmt.Errorf("a hash has 64 hex digits, found %q", s)
	}
	_, err := hex.Decode(h[:], []byte(s))
	return h, err
}

// Genesis is hash(0) of a log, SPEC 4.2.
func Genesis(tenantID, logID string) Hash {
	b := []byte("svc.audit-genesis.v1\x00")
	return sha256.Sum256(append(b, Canonical(Object{"log_id": logID, "tenant_id": tenantID})...))
}

// Link contains the input of an event's hash, SPEC 4.2.
type Link struct {
	Sequence             uint64
	Previous, Skip, Body Hash
}

// Hash is hash(n) of the event.
func (l Link) Hash() Hash {
	b := []byte("svc.audit-link.v1\x00")
	b = binary.BigEndian.AppendUint64(b, l.Sequence)
	b = append(b, l.Previous[:]...)
	b = append(b, l.Skip[:]...)
	return sha256.Sum256(append(b, l.Body[:]...))
}

// BatchID is the id of a batch of events of one log with these hashes, SPEC 9.2.
func BatchID(logID string, hashes []Hash) string {
	b := []byte("svc.audit-batch.v1\x00" + logID + "\x00")
	for _, hash := range hashes {
		b = append(b, hash[:]...)
	}
	return SHA256(b)
}

// Skip is the sequence to which the skip link of event n leads, SPEC 4.3.
//
// Complete runs of the log are 1, 4, 13, 40, … events long, each three of the
// one before it and one event more. The last event of such a run that starts
// the log skips to the end of the run's first third; in a run further on it
// skips to the event before the run.
func Skip(n uint64) uint64 {
	if run := longestRun(n); run == n {
		return run / 3
	}
	rest := n
	for {
		run := longestRun(rest)
		if run == rest {
			return n - run
		}
		rest -= run
	}
}

// longestRun is the greatest of 1, 4, 13, 40, … that is not above n.
func longestRun(n uint64) uint64 {
	run := uint64(1)
	for run <= (n-1)/3 {
		run = 3*run + 1
	}
	return run
}

// Way lists the sequences from a head down to an older target, both included,
// SPEC 4.3: the skip link wherever it does not overshoot, else the predecessor.
func Way(head, target uint64) []uint64 {
	way := []uint64{head}
	for at := head; at > target; {
		next := Skip(at)
		if next < target {
			next = at - 1
		}
		way = append(way, next)
		at = next
	}
	return way
}
