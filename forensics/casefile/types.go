package casefile

import (
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Log is an audit log that has events in the case.
type Log struct {
	Number int64 // within this case only
	facts.Log
}

// Place is a place in the evidence: the source, the path through its archives, and
// a range of that decompressed stream.
type Place struct {
	Source    int64
	Container string // "" for the source itself
	Offset    int64
	Length    int64
	Record    int64 // its number among the records and skips of the source, from 0
}

// Delivery is one arrival of a copy of an event.
type Delivery struct {
	Place
	Batches    []BatchID
	ObservedAt int64 // nanoseconds since 1970 by the clock of a collector; 0 if unknown
}

// BatchID is a batch id and the place where it was written: in the record, its
// resource or scope, a Kafka header or an HTTP header.
type BatchID struct{ Where, ID string }

// Source is one file or stream, identified by its content.
type Source struct {
	Number   int64
	Paths    []string // as it was given, ascending
	Size     int64
	SHA256   chain.Hash // if not Complete, of what was read so far
	Complete bool       // ingested to its end
	Format   string     // of the source itself; several are separated by ", "
	Records  int64      // deliveries of events, documents, and skips
	Events   int64      // of these, deliveries of events
	Skipped  int64      // of these, skips
}

// Skip is a span that could not be read as evidence. One row can stand for very
// many small spans: its place begins with the first, and ends with the last in the
// same container.
type Skip struct {
	Place
	Code    string
	Detail  string
	Excerpt []byte // the first bytes, at most [ExcerptSize]
	Spans   int64  // how many it stands for: itself, and others of its kind behind it
	Through int64  // the number of the last of them among the records and skips of the source
}

// Hides reports whether an event can be in the span. The others are notes on what was
// read all the same, or hold no record by their nature.
func (s *Skip) Hides() bool {
	entry := finding.Code(s.Code).Entry()
	return entry.Hides == finding.HidesRest || entry.Hides == finding.HidesSpan && s.Length > 0
}

// ExcerptSize bounds the excerpt of a span that could not be read.
const ExcerptSize = 512

// Unread is a path that was given and could not be read.
type Unread struct{ Path, Code, Detail string }

// Document is a bundle or another signed document in the evidence. Evidence that does
// not hold its bytes has in their place what is taken from it.
type Document struct {
	SHA256 chain.Hash // of Bytes
	Kind   string
	Bytes  []byte
	Walk   []byte // the document of a walk.Testimony; nil where Bytes is there
	Cross  []byte // the document of a crosscheck.Testimony; nil where Bytes is there
	Places []Place
}
