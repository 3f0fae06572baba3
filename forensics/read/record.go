package read

import "github.com/svc-edge/svc-verify/finding"

// Record is one log record, event or document.
type Record struct {
	Place    Place
	Format   Format // whose reader took it out of its stream
	Body     []byte // valid until the handler returns
	Kind     Kind
	Fidelity Fidelity
	Batches  []Batch // in the order header, resource, scope, record; valid until the handler returns

	// Wrapping are the ways in which the body was written within the text around
	// it, the outermost first; none if it stood there as it is.
	Wrapping []string

	// Consumed is the number of bytes consumed before, of the file and of its
	// decompressed contents.
	Consumed int64

	// ExportTime and ObservedTime were noted by the transport, in nanoseconds
	// since 1970 UTC; 0 if unknown. Nothing vouches for them.
	ExportTime, ObservedTime int64
}

// Place is a place in the evidence.
type Place struct {
	// Container names the stream in which Offset counts: "" for the file itself, else the
	// steps from the file to the stream, joined by "!". A step is the name of an archive
	// member, or a decoding: "gzip", "zstd", "bzip2", "xz", "zlib", "deflate", "lz4",
	// "snappy", "frames" (the contents of length-prefixed zstd frames, one after the other),
	// "utf-16", "utf-32", "request", "lost" (the bytes where an archive is damaged), or a table:
	// "sqlite:" with its name, "avro". A step that occurs more than once in one stream has "@"
	// and its offset there. Names of members are text from the evidence: quote before showing.
	Container string

	// Offset and Length are in bytes of that stream. Anything decoded from a value
	// of a dump, such as a Kafka message, has the place of that value. In a table,
	// Offset is the number of a row, from 0, and Length is 1; but rows of text have the
	// place of their bytes.
	Offset, Length int64

	// Index numbers the records and skips of one call of Read, from 0.
	Index int64
}

// Kind is the form of a body.
type Kind uint8

// The kinds of body. The last two are documents, not log records.
const (
	Text      Kind = iota + 1 // a string, or a whole line
	Bytes                     // bytes
	Structure                 // a map or list; Body is its JSON
	Scalar                    // a number or boolean; Body is its JSON
	Empty                     // no body at all
	Bundle                    // a proof bundle (SPEC 7)
	Envelope                  // a signed statement, such as a checkpoint (SPEC 3.1)
)

// Fidelity describes how exactly the bytes of a body were preserved. The classes are
// ordered, best first.
type Fidelity uint8

// The classes of fidelity.
const (
	// Exact: the very bytes, with only the encoding of the transport undone.
	Exact Fidelity = iota + 1

	// Unquoted: a string that an exporter had quoted as JSON, unquoted once.
	Unquoted

	// Recanonicalised: a structure that an exporter or store had taken apart.
	// Body is its canonical form (SPEC 1.3), which is the original if no
	// value was changed on the way.
	Recanonicalised

	// Lossy: the transport does not preserve all of it. Body is the best
	// approximation.
	Lossy
)

// String returns the name of the class.
func (f Fidelity) String() string {
	names := [...]string{"unknown", "exact", "unquoted", "recanonicalised", "lossy"}
	if int(f) >= len(names) {
		f = 0
	}
	return names[f]
}

// Batch is a batch id (SPEC 9.2) with the place that it was read from. It is a
// hint, because anyone on the way can write it.
type Batch struct {
	ID    string
	Where Where
}

// Where is a place for attributes on the way of a record.
type Where string

// The places where a batch id can be. Stores that put all attributes into one
// namespace count as InRecord.
const (
	InRecord      Where = "record"
	InResource    Where = "resource"
	InScope       Where = "scope"
	InKafkaHeader Where = "kafka-header"
	InHTTPHeader  Where = "http-header"
)

// Skip is a span without a record or, if its code is one of the notes, a remark on
// a span that was read.
type Skip struct {
	Place   Place
	Code    finding.Code
	Detail  string // one sentence part, ASCII and printable
	Help    string // how to read the span: a command for FILE, or advice; "" if nothing is known
	Excerpt []byte // the first bytes of the span; hostile, and valid until the handler returns

	// Consumed is the number of bytes consumed before, as in a Record.
	Consumed int64

	// Member is the member of an archive that it is about, or of, if leaves are read; may be
	// nil.
	Member *Member

	// Block is set if the detail describes a block. No other detail replaces it.
	Block bool
}

// Text returns the detail and, if there is any, the help.
func (s *Skip) Text() string {
	if s.Help == "" {
		return s.Detail
	}
	return s.Detail + "; to read it: " + s.Help
}

// Handler receives the findings of Read, in the order of the evidence. If it
// returns an error, reading ends and Read returns that error.
type Handler interface {
	// Format is called when a format is recognised, once for each format of each
	// stream, before its first record. why is part of a sentence.
	Format(container string, f Format, why string) error

	// Record receives a record, which is valid until Record returns.
	Record(*Record) error

	// Skip receives a span without a record, or a note.
	Skip(Skip) error
}

// LevelHandler is a Handler that receives the size of each stream, when it was read to its
// end: of the file, and of all that is decoded out of it, but for tables. Of a stream in
// pieces, the last call counts.
type LevelHandler interface {
	Handler
	Level(container string, octets int64) error
}
