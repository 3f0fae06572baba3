// Package part stores the results of one worker on a share of the evidence, so that the
// results of many workers can be joined to the same verdict.
//
// A part is made of records in one canonical order. It has everything that a verdict on whole
// logs needs, and never holds the body of an event. The records of several [File] together are
// a [Content]: to join parts is to write their [Content]. Joining is associative and
// commutative: the same evidence always yields the same part.
package part

import (
	"context"
	"iter"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store/block"
)

// Content is the records of several parts together. Its methods may be called by several
// goroutines at once. All iterators ascend in the order that their records name, and a yielded
// record is valid until the next one. An error comes last, with nil.
type Content interface {
	Logged
	Header() Header

	// Unread returns the paths that could not be read, in the order of their fields.
	Unread() []facts.Unread

	// Skips yields the spans that could not be read, by share and record.
	Skips(context.Context) iter.Seq2[*Skip, error]

	// Documents yields the bundles, checkpoints and cursors, by digest.
	Documents(context.Context) iter.Seq2[*Document, error]

	// Stretches yields the same as Copies, with as many copies in series as are together in a
	// block. The first series may begin below the sequence. A judge has seen each series.
	Stretches(ctx context.Context, log facts.Log, from uint64, by Judging) iter.Seq2[Stretch, error]

	// PullStatements returns next, which returns the values of Statements one by one and nil
	// behind the last, and stop, which ends that. It costs less than [iter.Pull2].
	PullStatements(ctx context.Context, log facts.Log, from uint64) (next func() (*Statement, error), stop func())
}

// Logged is the records of a [Content] that are of logs.
type Logged interface {
	// Shares returns the shares that were read, ascending by source and range.
	Shares() []Share

	// Logs returns the logs that have copies, in order.
	Logs() []facts.Log

	// Copies yields the copies of the events of a log from a sequence on, by sequence
	// and digest. Each is there once, with all of its arrivals, and stays as it is while
	// the next one is read.
	Copies(ctx context.Context, log facts.Log, from uint64) iter.Seq2[*Copy, error]

	// Statements yields the copies of events that other logs must meet, by sequence and
	// digest: events of the types that package crosscheck reads.
	Statements(ctx context.Context, log facts.Log, from uint64) iter.Seq2[*Statement, error]

	// Batches yields the stretches of events that came under batch ids, by id, log and
	// first sequence.
	Batches(context.Context) iter.Seq2[*Batch, error]
}

// Header has the rules under which the records were made.
type Header struct {
	Rules       string     // the version of reading, judging and comparing
	Read        string     // how evidence was read: the reader's version, format, batch attributes, limits
	TrustSHA256 chain.Hash // of the trust file
	Plan        chain.Hash // of the plan; zero without one
}

type (
	// Copy is as blocks have it.
	Copy = block.Copy
	// Arrival is as blocks have it.
	Arrival = block.Arrival
	// Place is as blocks have it.
	Place = block.Place
	// Range is as blocks have it.
	Range = block.Range
	// Share is as blocks have it.
	Share = block.Share
	// Path is as blocks have it.
	Path = block.Path
	// Container is as blocks have it.
	Container = block.Container
	// Series is as blocks have it.
	Series = block.Series
	// Damaged is as blocks have it.
	Damaged = block.Damaged
)

// DigestSize is how much of a copy's digest is kept.
const DigestSize = block.DigestSize

// Skip is a span that could not be read, or the first of many of one kind.
type Skip struct {
	Place
	Code, Detail string
	Excerpt      []byte
	Spans        int64 // how many it counts
	Through      int64 // the record of the last of them; its own if it is the only one
}

// Document is a bundle, a checkpoint or a cursor, with its texts under the trust file.
type Document struct {
	SHA256 chain.Hash
	Kind   string
	Places []Place // at least one, in the order of arrivals
	Bytes  []byte  // nil in a part, which has its texts instead
	Walk   []byte  // canonical JSON: its text for the walk
	Cross  []byte  // canonical JSON: its text for the comparison
}

// Statement is a copy of an event that is compared with other logs.
type Statement struct {
	Sequence      uint64
	Digest        [DigestSize]byte
	Type          string
	TransactionID string
	Said          []byte // its data, if its owner signed it; see evidence.Said
}

// Batch is a run of neighbouring events of one log that came under one batch id. No
// event before or after it came under the id.
type Batch struct {
	ID          string
	Log         facts.Log
	First, Last uint64
	Events      int64 // copies
	Deliveries  int64
	Redelivered int64 // copies that arrived more than once under it
	Differing   int64 // further copies of an event that came under it
	Genuine     int64 // events of the run whose hashes give this very id; 0 if there is none

	// Copies begins the SHA-256 over sequence (8 bytes), recorded hash and digest of
	// each copy: runs with the same have the same copies.
	Copies [DigestSize]byte
}
