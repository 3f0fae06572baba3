package casefile

import (
	"github.com/svc-edge/svc-verify/chain"
)

// Chunk is a part of one source, read and scanned but not yet in the case.
// [Writer.Add] adds its parts in this order: containers, events, documents, skips.
type Chunk struct {
	Source     int64
	Containers []Container
	Events     []Arrival
	Runs       []Run // of Events, ascending, without overlap
	Documents  []FoundDocument
	Skips      []FoundSkip
	Prepared   any // what a target other than a case has made of it
}

// Run is a stretch of a chunk's events that came under one batch id.
type Run struct {
	First, Count int
	Digest       chain.Hash // over all that is in the events
	Known        bool       // by KnownRun; then the events need no Line
}

// Container is a source ("") or a file within the archives of one.
type Container struct {
	Path   string
	Format string // as the reader recognised it; "" if this chunk only goes on with it
	Why    string
}

// Found is a place whose container is one of the chunk's.
type Found struct {
	Container int // index in Chunk.Containers
	Offset    int64
	Length    int64
	Record    int64
}

// FoundDocument is a bundle or a checkpoint that was delivered.
type FoundDocument struct {
	Found
	Kind  string
	Bytes []byte
}

// FoundSkip is a span that the reader could not read, or the first of many of one
// kind.
type FoundSkip struct {
	Found
	Code, Detail string
	Excerpt      []byte // cut to ExcerptSize when it is added
	Spans        int64  // how many it stands for; 0 is 1
	Through      int64  // the record of the last of them; only if Spans > 1
	Told         int64  // how many of them an earlier chunk added
}

// count is how many spans it stands for.
func (s *FoundSkip) count() int64 { return max(1, s.Spans) }

// New returns how many spans the chunk adds with it.
func (s *FoundSkip) New() int64 { return s.count() - s.Told }

// Skipped returns how many spans the chunk adds.
func (c *Chunk) Skipped() (n int64) {
	for i := range c.Skips {
		n += c.Skips[i].New()
	}
	return n
}
