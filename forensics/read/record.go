package read

import "github.com/svc-edge/svc-verify/finding"

// Record is one log record, event or document as it was found.
type Record struct {
	Place    Place
	Body     []byte // valid until the handler returns
	Kind     Kind
	Fidelity Fidelity
	Batches  []Batch // in the order header, resource, scope, record; valid until the handler returns

	// Consumed is how many octets had been consumed before: of the file, and of
	// what decompression made of it.
	Consumed int64

	// ExportTime and ObservedTime are what the transport noted, in nanoseconds
	// since 1970 UTC; 0 if it is not known. Nothing vouches for them.
	ExportTime, ObservedTime int64
}

// Place says where something stands.
type Place struct {
	// Container names the stream in which Offset counts: "" for the file
	// itself, else the steps from the file to the stream, joined by "!". A step
	// is the name of an archive member, or a decoding: "gzip", "zstd", "frames"
	// (the contents of length-prefixed zstd frames, one after the other),
	// "utf-16", "request". A step that occurs more than once in one stream has
	// "@" and its offset there. Names of members are text from the evidence:
	// quote before showing.
	Container string

	// Offset and Length are the bytes in that stream. What was decoded out of a
	// value of a dump, such as a Kafka message, has the place of that value.
	Offset, Length int64

	// Index counts what one call of Read reported, records and skips, from 0.
	Index int64
}

// Kind says what form a body had.
type Kind uint8

// The kinds of body. Documents are not log records: they stood on their own.
const (
	Text      Kind = iota + 1 // a string, or a whole line
	Bytes                     // octets
	Structure                 // a map or list; Body is its JSON
	Scalar                    // a number or boolean; Body is its JSON
	Empty                     // no body at all
	Bundle                    // a proof bundle (SPEC 7)
	Envelope                  // a signed statement, such as a checkpoint (SPEC 3.1)
)

// Fidelity says how exactly the bytes of a body came through. The classes are
// in order, the best first.
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

	// Lossy: the transport does not keep all of it. Body is the best that can
	// be said.
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

// Batch is a batch id (SPEC 9.2) and where on the way it was written. It is a
// hint: anyone on the way can write it.
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

// Skip is a span that gave no record or, if its code is one of the notes,
// something about a span that was read all the same.
type Skip struct {
	Place   Place
	Code    finding.Code
	Detail  string // one sentence part, ASCII and printable
	Excerpt []byte // the first bytes of the span; hostile, and valid until the handler returns

	// Consumed is how many octets had been consumed before, as in a Record.
	Consumed int64
}

// asOther makes a value of no known format, and without traces of an event, the
// record of another service. That is what it is beside records of a known format.
func (s *Skip) asOther() {
	s.Code, s.Detail = finding.SourceNoRecord, "a record of another service"
}

// Handler takes what Read finds, in the order of the evidence. An error that
// it returns ends the reading, and Read returns it.
type Handler interface {
	// Format is called when a stream turns out to hold a format, once for
	// each format of each stream, before its first record. why is one
	// sentence part.
	Format(container string, f Format, why string) error

	// Record takes a record, which is valid until Record returns.
	Record(*Record) error

	// Skip takes a span that gave no record, or a note.
	Skip(Skip) error
}
