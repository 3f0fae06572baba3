// Package chain checks the hash chain of an audit log (SPEC 4, 6).
//
// # The chain
//
// Events of a log are numbered from 1. Each has two links to older ones: the
// previous link to its predecessor, and a skip link that reaches further back.
// An event's hash commits to its sequence number, both links and its body:
//
//	hash(0) = SHA-256("svc.audit-genesis.v1" 0x00 JCS({"log_id": …, "tenant_id": …}))
//	hash(n) = SHA-256("svc.audit-link.v1" 0x00 uint64be(n) hash(n-1) hash(skip(n)) SHA-256(JCS(body)))
//
// Because a hash commits to both hash(n-1) and hash(skip(n)), a proof that one
// event is below another needs only the links along [Way]. Their number is
// logarithmic in the distance.
//
// # Three ways to check it
//
// [Path] checks the links of a proof bundle, from a checkpoint's head down to
// the disclosed events. [Frontier] replays every link of a log in order, as a
// witness does, and keeps only the hashes that later skip links can name.
// [Segment] summarises a run of events, so that runs can be checked separately
// and joined. A walk over a whole journal is made of segments.
//
// Everything in this package is a pure function of its arguments. There is no
// I/O and no clock, and signatures are not verified.
package chain

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

const (
	genesisDomain = "svc.audit-genesis.v1\x00"
	linkDomain    = "svc.audit-link.v1\x00"
)

// Hash is a SHA-256 digest: of a link, of a body, or of the genesis statement.
type Hash [sha256.Size]byte

// String returns the hash in 64 lower-case hex digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText returns the same digits.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads 64 hex digits.
func (h *Hash) UnmarshalText(text []byte) error {
	if len(text) != 2*len(h) {
		return hex.ErrLength
	}
	_, err := hex.Decode(h[:], text)
	return err
}

// Link is an event without its body (SPEC 4.2): its place in the log, both links
// and the digest of the body.
type Link struct {
	Sequence uint64
	Previous Hash // hash of the event at Sequence-1
	Skip     Hash // hash of the event at Skip(Sequence)
	Body     Hash // SHA-256 of the canonical body
}

// Hash computes the event's hash from the link (SPEC 4.2).
func (l Link) Hash() Hash {
	var buf [len(linkDomain) + 8 + 3*sha256.Size]byte
	b := append(buf[:0], linkDomain...)
	b = binary.BigEndian.AppendUint64(b, l.Sequence)
	b = append(b, l.Previous[:]...)
	b = append(b, l.Skip[:]...)
	b = append(b, l.Body[:]...)
	return sha256.Sum256(b)
}

// Genesis returns hash(0) of a log, which binds the whole chain to its log and
// tenant (SPEC 4.2). Both arguments must be identifiers (SPEC 1.5). Identifiers
// need no escapes in JSON.
func Genesis(tenantID, logID string) Hash {
	return sha256.Sum256([]byte(genesisDomain + `{"log_id":"` + logID + `","tenant_id":"` + tenantID + `"}`))
}

// Skip returns the sequence that the skip link of event n names: the "lipmaa"
// number of n (SPEC 4.3). Skip(n) < n for every n ≥ 1, and two skip links never
// cross: for m < n either Skip(n) ≤ Skip(m) or Skip(n) ≥ m. Skip(0) is 0.
//
// Call 1, 4, 13, 40, … = (3^k-1)/2 the full numbers. From a full number the link
// goes back by 3^(k-1). From any other n, divide n by the largest full number
// below it, the remainder by the next smaller full number, and so on: the link
// goes back by the full number that first leaves no remainder.
func Skip(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	full, power := uint64(1), uint64(1) // full = (3*power-1)/2
	for (n-1)/3 >= full {
		full, power = 3*full+1, 3*power
	}
	if full == n {
		return n - power
	}
	for rest := n % full; rest != 0; rest %= full {
		full /= 3
	}
	return n - full
}

// Step returns the next sequence on the way from n down to target (SPEC 4.3): the skip link's,
// or the predecessor if the skip link goes below target. n must be greater than target.
func Step(n, target uint64) uint64 {
	if s := Skip(n); s >= target {
		return s
	}
	return n - 1
}

// Way returns the sequences from one event down to an older one, both
// included (SPEC 4.3). It is empty when from < to.
func Way(from, to uint64) []uint64 {
	if from < to {
		return nil
	}
	way := []uint64{from}
	for n := from; n > to; {
		n = Step(n, to)
		way = append(way, n)
	}
	return way
}
