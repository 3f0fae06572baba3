package contradiction

import (
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/trust"
)

// Shows describes what two hashes of one sequence show. The zero value is for codes
// that are not about hashes.
type Shows string

// The values of Shows.
const (
	TwoHistories Shows = "two-histories" // the log has two histories, and the keys signed both
	FalseLink    Shows = "false-link"    // a skip link in one of the bundles does not name the event that is there
	Open         Shows = "open"          // one of the two, and the bundles do not say which
)

// Finding is a contradiction of two bundles. Both are proven, so that those who
// signed them committed to both sides.
type Finding struct {
	Code          finding.Code `json:"code"`
	Shows         Shows        `json:"shows,omitempty"`          // for two hashes of one sequence
	TenantID      string       `json:"tenant_id,omitempty"`      // "" if the sides are of two tenants
	LogID         string       `json:"log_id,omitempty"`         // likewise
	TransactionID string       `json:"transaction_id,omitempty"` // "" if the sides are of two transactions
	Sequence      uint64       `json:"sequence,omitempty"`       // of the log, where the sides part; 0 for a serial
	Serial        string       `json:"serial,omitempty"`         // for a serial
	Issuer        string       `json:"issuer_public_key_sha256,omitempty"`
	What          What         `json:"what"` // the kind of the sides' values
	Sides         [2]Side      `json:"sides"`
	Shared        uint64       `json:"shared_sequence,omitempty"` // for a false link: above it, with one hash on both sides
	SignedBoth    []Signer     `json:"signed_both"`               // ascending by role and key id, never nil
	WitnessedBoth []string     `json:"witnessed_both"`            // nodes, by any of their keys; ascending, never nil
	Sentences     []string     `json:"sentences"`                 // for people: the fault, its consequence, the signers
}

// What names the kind of the sides' values.
type What string

// The kinds of values.
const (
	Manifest      What = "manifest"       // digests
	IssuanceEvent What = "issuance-event" // hashes
	Certificate   What = "certificate"    // digests
	Status        What = "status"         // "issued" or "revoked"
	EventHash     What = "event-hash"     // hashes
)

// Side is one bundle's side of a contradiction.
type Side struct {
	BundleSHA256  string   `json:"bundle_sha256"`
	TenantID      string   `json:"tenant_id"`
	TransactionID string   `json:"transaction_id"`
	Checkpoint    uint64   `json:"checkpoint_sequence"`
	Legacy        bool     `json:"legacy_checkpoint"`  // no one witnessed it
	Sequence      uint64   `json:"sequence,omitempty"` // of the event that the value is about; for "issued" the checkpoint's
	Value         string   `json:"value"`
	RestsOn       []Ground `json:"rests_on"` // in the order of derivation
}

// Ground is one thing that a side rests on: a signed statement, or a link.
type Ground struct {
	Kind     GroundKind `json:"kind"`
	Sequence uint64     `json:"sequence,omitempty"` // of the checkpoint or event
	Role     trust.Role `json:"role,omitempty"`     // of the key that signed it; "" for a link
	KeyID    string     `json:"key_id,omitempty"`
	NodeID   string     `json:"node_id,omitempty"` // of a node's key
}

// GroundKind is a kind of statement or link.
type GroundKind string

// The kinds of grounds.
const (
	OnCheckpoint      GroundKind = "checkpoint"
	OnWitness         GroundKind = "witness-receipt"
	OnPreviousLink    GroundKind = "previous-link"
	OnSkipLink        GroundKind = "skip-link"
	OnIssuanceEvent   GroundKind = "issuance-event"
	OnRevocationEvent GroundKind = "revocation-event"
	OnStatus          GroundKind = "status"
	OnReceipt         GroundKind = "signer-receipt"
)

// Signer is a key that signed both sides.
type Signer struct {
	Role   trust.Role `json:"role"`
	KeyID  string     `json:"key_id"`
	NodeID string     `json:"node_id,omitempty"` // of a node's key
}
