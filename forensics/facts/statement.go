package facts

import (
	"slices"

	"github.com/svc-edge/svc-verify/chain"
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

// NamedBy returns the events whose hashes a link says, its own first.
func NamedBy(l chain.Link, hash chain.Hash) []KnownEvent {
	all := []KnownEvent{{Sequence: l.Sequence, Hash: hash.String()}, {Sequence: l.Sequence - 1, Hash: l.Previous.String()}}
	if n := chain.Skip(l.Sequence); n != l.Sequence-1 {
		all = append(all, KnownEvent{Sequence: n, Hash: l.Skip.String()})
	}
	return slices.DeleteFunc(all, func(k KnownEvent) bool { return k.Sequence == 0 })
}
