package facts

import (
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/trust"
)

// AnchorKind is the kind of statement that anchors a log.
type AnchorKind string

// The kinds of anchor.
const (
	WitnessedCheckpoint AnchorKind = "witnessed-checkpoint" // with a quorum of witnesses
	Checkpoint          AnchorKind = "checkpoint"           // of the log's owner alone
	NodeReport          AnchorKind = "node-report"          // a node.reported event of the tenant log
	ExportCursor        AnchorKind = "export-cursor"        // of the node itself
	JournalWitness      AnchorKind = "journal-witness"      // checkpoint.witnessed events in journals of nodes
)

// KnownEvent is a missing event whose hash is known from an anchor or from the
// path of a bundle. A path, and the link in a node's report, also name the event
// before it and the target of its skip link. If the bundle discloses the event, it
// contains all of it.
type KnownEvent struct {
	Sequence      uint64     `json:"sequence"`
	Hash          string     `json:"hash"`
	By            AnchorKind `json:"by"`
	Name          string     `json:"name"` // the path of the bundle, or the event of the tenant log
	Disclosed     bool       `json:"disclosed"`
	Type          string     `json:"type,omitempty"`           // of a disclosed event
	TransactionID string     `json:"transaction_id,omitempty"` // of a disclosed event
}

// StatementKind is a kind of signed statement.
type StatementKind string

// The kinds of statement.
const (
	SignedEvents      StatementKind = "events"      // copies of events of the log
	SignedReports     StatementKind = "reports"     // of a node's head, in events of the tenant log
	SignedCheckpoints StatementKind = "checkpoints" // of the log
	SignedCursors     StatementKind = "cursors"     // of the log's export
	SignedParts       StatementKind = "parts"       // of bundles with a checkpoint of the log: approvals, receipts
)

// NamedBy returns the events whose hashes a link has, its own first.
func NamedBy(l chain.Link, hash chain.Hash) []KnownEvent {
	all := []KnownEvent{{Sequence: l.Sequence, Hash: hash.String()}, {Sequence: l.Sequence - 1, Hash: l.Previous.String()}}
	if n := chain.Skip(l.Sequence); n != l.Sequence-1 {
		all = append(all, KnownEvent{Sequence: n, Hash: l.Skip.String()})
	}
	return slices.DeleteFunc(all, func(k KnownEvent) bool { return k.Sequence == 0 })
}

// PartUse is a signed part of a document: the key that it names, and its pinning.
type PartUse struct {
	Kind    StatementKind `json:"kind"`
	KeyID   string        `json:"key_id"`
	Role    trust.Role    `json:"role"` // that must sign it
	Node    string        `json:"node,omitempty"`
	Pinning Pinning       `json:"pinning"`
}

// Pinning is the relation of a statement to the trust file.
type Pinning string

// The pinnings of a statement.
const (
	KeyHolds    Pinning = "holds"      // the signature holds
	KeyFails    Pinning = "fails"      // it does not, under a pinned key
	KeyUnpinned Pinning = "unpinned"   // no key of this id is pinned for the role
	KeyOfOther  Pinning = "other-node" // the key is another node's
)

// Attested is the hash that a statement names, under a signature that holds.
type Attested struct {
	By   AnchorKind `json:"by"`
	Hash chain.Hash `json:"hash"`
	At   Millis     `json:"at"` // when it was made
}

// Millis is a time in milliseconds since 1970, and in JSON a text.
type Millis int64

func millis(t time.Time) Millis { return Millis(t.UnixMilli()) }

// MarshalText returns the time as the formats have it.
func (m Millis) MarshalText() ([]byte, error) { return []byte(form.FormatMillis(int64(m))), nil }

// Fault is a fault of a document.
type Fault struct {
	Code     finding.Code `json:"code"`
	Expected string       `json:"expected"` // at most MaxText bytes, and "..." if it was cut
	Found    string       `json:"found"`    // the same
}
