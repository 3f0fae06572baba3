package casefile

import (
	"github.com/svc-edge/svc-verify/chain"
)

// Log is one audit log of which the case holds events.
type Log struct {
	Number   int64 // within this case only
	TenantID string
	LogID    string
}

// Place is where something stands in the evidence: the source, the way through
// the archives in it, and the bytes of that container's decompressed stream.
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

// BatchID is a batch id and where on the way it was written: in the record, its
// resource or scope, a Kafka or an HTTP header.
type BatchID struct{ Where, ID string }

// Source is one file or stream, known by its content.
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

// Skip is a span that could not be read as evidence. Where there are very many
// small ones, it stands for more than itself; its place is that of the first, and
// reaches to the last that is in the same container.
type Skip struct {
	Place
	Code    string
	Detail  string
	Excerpt []byte // the first bytes, at most [ExcerptSize]
	Spans   int64  // how many it stands for: itself, and others of its kind behind it
	Through int64  // the number of the last of them among the records and skips of the source
}

// ExcerptSize bounds what is kept of a span that could not be read: enough for
// a person to see what it was.
const ExcerptSize = 512

// Unread is a path that was given and could not be read at all.
type Unread struct{ Path, Code, Detail string }

// Document is a bundle or another signed document that was found among the evidence.
type Document struct {
	SHA256 chain.Hash // of Bytes
	Kind   string
	Bytes  []byte
	Places []Place
}
