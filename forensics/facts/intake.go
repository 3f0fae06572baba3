package facts

import (
	"io"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
)

// Chunk is a part of one source, read and scanned but not yet in the case.
type Chunk struct {
	Source     int64
	Containers []Container
	Events     []Arrival
	Documents  []FoundDocument
	Skips      []FoundSkip
	Prepared   any // made by the target
}

// Container is a source ("") or a file within the archives of one.
type Container struct {
	Path   string
	Format string // as the reader recognised it; "" if this chunk only continues it
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
	Spans        int64  // how many spans are one here; 0 is 1
	Through      int64  // the record of the last of them; only if Spans > 1
	Told         int64  // how many of them an earlier chunk added
}

// count is how many spans are one here.
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

// Arrival is an event that was delivered. Its line may not change until the
// chunk was added.
type Arrival struct {
	Found
	Line       *event.Line
	Fidelity   Fidelity
	Batch      string // as [Batches] writes it; "" without a batch id
	ObservedAt int64
}

// Progress is how much of a source was ingested. It is written together with the
// rows, so the two always agree.
type Progress struct {
	Source     int64
	Size       int64      // bytes when the source was opened
	Reports    int64      // by the reader so far, of records or not
	Read       int64      // bytes that had been read by then
	ReadSHA256 chain.Hash // of those bytes
	Events     int64      // of the reports, events
	Documents  int64
	Skipped    int64
	How        string // it is read, of those that are not finished
}

// KnownSource is a source of a case that was ingested to its end.
type KnownSource struct {
	Number int64
	How    string // it was read
	Ours   bool   // the key vouches for it, or this writer added it: nothing of it is missing
}

// Beginning is a source of a case that can be how a file began.
type Beginning struct {
	Source int64
	Size   int64
	SHA256 chain.Hash
}

// Spool is a temporary file for a source that cannot be read twice.
type Spool interface {
	io.Writer
	io.ReaderAt
	io.Closer
}
