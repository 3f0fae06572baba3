package walk

import (
	"context"
	"iter"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Document is a bundle, a checkpoint or an export cursor, with its place. In place of its
// bytes it has its testimony under the trust file of the walk.
type Document struct {
	facts.Document
	Evidence finding.Evidence
}

// Reader reads the evidence of a walk. Its methods may be called by several
// goroutines at once. An error means that the evidence could not be read. Faults in
// the evidence are not errors: the walk finds them.
type Reader interface {
	// Logs returns all logs that have events, in no particular order.
	Logs(context.Context) ([]facts.Log, error)

	// Events yields the copies of a log's events above a sequence, ascending by
	// sequence and variant. An event is valid until the next one is yielded, and
	// nil if there is an error. When the context is done, the last error is the
	// context's.
	Events(ctx context.Context, log facts.Log, after uint64) iter.Seq2[*facts.Event, error]

	// Report returns the statement of a valid event of the type node.reported.
	Report(context.Context, facts.Log, facts.Event) (Report, error)

	// Explains reports whether the losses of a transport explain every difference between a
	// genuine copy of an event and another one.
	Explains(ctx context.Context, log facts.Log, genuine, copied facts.Event) (bool, error)

	// Places returns the places of the copy, always in the same order.
	Places(context.Context, facts.Log, facts.Event) ([]finding.Evidence, error)

	// Unread returns the spans between two events that could not be read, in
	// every source that has both. If the second is the zero Event, it returns
	// the spans from the first event to the end of every source that has it.
	Unread(ctx context.Context, log facts.Log, before, after facts.Event) ([]finding.Evidence, error)

	// Documents yields the documents, always in the same order.
	Documents(context.Context) iter.Seq2[Document, error]

	// Empty returns the empty files, under every path that they were given
	// under, always in the same order.
	Empty(context.Context) ([]finding.Evidence, error)

	// Inventory returns the parts of the evidence, and the findings from
	// reading it.
	Inventory(context.Context) (Inventory, error)
}

// Inventory lists the parts of the evidence. It becomes part of the result, and
// its findings count for the verdict.
type Inventory struct {
	Batches  Batches
	Sources  []SourceFile
	Findings []finding.Finding
}

// Batches counts export batches by their ids (SPEC 9.2).
type Batches struct {
	Distinct    int64 `json:"distinct"`
	Redelivered int64 `json:"redelivered"`
	Conflicting int64 `json:"conflicting"`
	Absent      int64 `json:"absent"` // events that were delivered without an id
}

// SourceFile is one file or stream of the evidence.
type SourceFile struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256"`
	Format  string `json:"format"`
	Records int64  `json:"records"`
	Events  int64  `json:"events"`
	Skipped int64  `json:"skipped"`

	// JournalOf lists the logs whose own journal the source is or contains
	// (SPEC 13.6), ascending.
	JournalOf []string `json:"journal_of,omitempty"`
}

// Claims identify signatures that are verified together: by a digest over
// everything that the outcome depends on, and by their number.
type Claims struct {
	SHA256 chain.Hash
	Count  int
}

// Signatures remembers claims whose signatures all verify. It remembers nothing
// else: if one signature does not verify, all of them are verified again each time.
type Signatures interface {
	// Known reports whether the claims were kept before.
	Known(context.Context, Claims) (bool, error)

	// Keep remembers claims that hold.
	Keep(context.Context, Claims) error
}
