package walk

import (
	"cmp"
	"context"
	"iter"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
)

// Log names one log of the evidence.
type Log struct{ TenantID, LogID string }

// JournalOf names the journal of a node.
func JournalOf(tenantID, node string) Log { return Log{tenantID, "node/" + node} }

// TenantLog names the log that the service keeps for a tenant.
func TenantLog(tenantID string) Log { return Log{tenantID, "tenant/" + tenantID} }

// Node returns the node whose journal the log is. It returns false for other
// logs.
func (l Log) Node() (string, bool) { return strings.CutPrefix(l.LogID, "node/") }

// IsTenant reports whether the log is its tenant's own.
func (l Log) IsTenant() bool { return l == TenantLog(l.TenantID) }

// Compare orders logs by tenant and id.
func (l Log) Compare(o Log) int {
	return cmp.Or(strings.Compare(l.TenantID, o.TenantID), strings.Compare(l.LogID, o.LogID))
}

// Event is one copy of an event. Ref is how the source finds the copy again, and
// means nothing to anyone else.
type Event struct {
	event.Header
	Ref      int64
	Faithful bool       // some transport kept all of it, in whatever spelling
	Digest   chain.Hash // of the copy's bytes, where its sequence has several copies: they differ in it
}

// Document is a document beside the logs: a bundle, a checkpoint or an export
// cursor.
type Document struct {
	Bytes    []byte
	Evidence finding.Evidence
}

// Source is the evidence. Its methods may be called by several goroutines at
// once. An error means that the evidence could not be read; what is wrong with
// the evidence is found by the walk.
type Source interface {
	// Logs returns every log of which there is an event, in any order.
	Logs(context.Context) ([]Log, error)

	// Events yields the copies of the events of a log above a sequence,
	// ascending by sequence and digest. What a pointer leads to is valid until
	// the next one, and nil beside an error. It ends with the context's error
	// when that is done.
	Events(ctx context.Context, log Log, after uint64) iter.Seq2[*Event, error]

	// Bytes returns the copy itself: one event as JSON.
	Bytes(context.Context, Log, Event) ([]byte, error)

	// Places returns where the copy stands, in an order that does not change.
	Places(context.Context, Log, Event) ([]finding.Evidence, error)

	// Unread returns the spans that could not be read between two events, in
	// any source that holds both; if the second is the zero Event, those from
	// the first to the end of any source that holds it.
	Unread(ctx context.Context, log Log, before, after Event) ([]finding.Evidence, error)

	// Documents yields the documents, in an order that does not change.
	Documents(context.Context) iter.Seq2[Document, error]

	// Empty returns the files that hold nothing at all, under every path that
	// they were given under, in an order that does not change.
	Empty(context.Context) ([]finding.Evidence, error)

	// Inventory returns what the evidence consists of, and what was found
	// while it was read in.
	Inventory(context.Context) (Inventory, error)
}

// Inventory is what the evidence consists of. It is handed on into the result;
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

	// JournalOf are the logs whose own journal the source is, or has in it
	// (SPEC 13.6), ascending.
	JournalOf []string `json:"journal_of,omitempty"`
}

// Claims are signatures that were verified together: a digest over everything
// that the verdicts on them depend on, and their number.
type Claims struct {
	SHA256 chain.Hash
	Count  int
}

// Signatures remembers claims of which every one was found to hold. Nothing
// else is ever remembered: where one does not hold, all are verified again each
// time.
type Signatures interface {
	// Known reports whether the claims were kept before.
	Known(context.Context, Claims) (bool, error)

	// Keep remembers claims that hold.
	Keep(context.Context, Claims) error
}
