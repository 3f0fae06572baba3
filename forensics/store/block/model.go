// Package block is the codec of blocks: neighbouring copies of the events of a log, as
// columns of numbers (SPEC 19.3).
//
// A block has one form: the same copies give the same bytes, and a reader refuses any other.
// Decoded data is bounded by the bytes that are there.
package block

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Range is a part of a source: the bytes from From up to, but without, To.
type Range struct{ From, To int64 }

// String writes the range for people.
func (r Range) String() string { return fmt.Sprintf("%d to %d", r.From, r.To) }

// Share is the part of one source that was read: all of it, or a range that begins and ends
// where a record does. Everything with a place names the share by its index in the list of
// shares. Ranges of one source neither overlap nor touch.
type Share struct {
	Source     chain.Hash // SHA-256 of the whole source
	Size       int64      // bytes of the whole source
	Range      Range
	Paths      []Path      // where the source was given, ascending
	Containers []Container // in the order in which they were found; no two have the same texts
	Records    int64       // how many numbers of records there are: events, documents and skips
	Events     int64
	Documents  int64
	Skipped    int64
	Complete   bool // the range was read to its end
}

// Path is a place where a source was given.
type Path struct{ Given, Absolute string }

// Container is a source ("") or a file in its archives.
type Container struct {
	Path, Format, Why string
	Unbatched         int64 // arrivals of events in it that came without a batch id
}

// Place is the place of a record.
type Place struct {
	Share     int
	Container int   // index in the containers of the share
	Offset    int64 // within the whole of the decompressed container
	Length    int64
	Record    int64 // its number among the records of the share, from 0
}

// Copy is one copy of an event. The hash that its content gives is known, but not the digest
// of its body. A copy in a part is judged, and has no signature. A case keeps the signature,
// and each reader judges the copy.
type Copy struct {
	event.Header
	Digest   [DigestSize]byte // the first bytes of [facts.Event.Digest]
	Size     int64            // bytes of its body
	Body     Body             // where the rest of that is kept
	Arrivals []Arrival
}

// DigestSize is how much of a copy's digest is kept: enough to tell copies apart.
const DigestSize = 16

// Arrival is one arrival of a copy.
type Arrival struct {
	Place
	Fidelity   facts.Fidelity
	Batch      string // as [facts.Batches] writes it; "" without a batch id
	ObservedAt int64  // nanoseconds since 1970; 0 if unknown
}

// Follow adds the facts of a later range on the same container.
func (c *Container) Follow(behind Container) {
	c.Unbatched += behind.Unbatched
	c.Format, c.Why = joinLists(c.Format, behind.Format), joinLists(c.Why, behind.Why)
}

// joinLists joins two lists. The end of the first and the beginning of the second are the same
// item, as ranges are cut where the format continues.
func joinLists(list, next string) string {
	first, rest, more := strings.Cut(next, ", ")
	switch {
	case list == "":
		return next
	case list[strings.LastIndex(", "+list, ", "):] != first:
		return strings.TrimSuffix(list+", "+next, ", ")
	case more:
		return list + ", " + rest
	}
	return list
}

// Damaged is the error for a part that is not as it was written: cut short, changed,
// or not in the canonical form.
type Damaged struct{ Place, Expected, Found string }

func (e *Damaged) Error() string {
	return fmt.Sprintf("the part is damaged: at %s: expected %s, found %s", e.Place, e.Expected, e.Found)
}
