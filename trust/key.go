package trust

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
)

// Role describes which statements a pinned key may sign (SPEC 3.3).
type Role string

// The roles, each with its own section of the trust file.
const (
	Audit  Role = "audit"  // audit_keys: tenant log, checkpoints, service decisions, statuses
	Signer Role = "signer" // protected_signer_keys: receipts
	Node   Role = "node"   // nodes: approvals, customer decisions, capability evidence, witness receipts, journals
)

// Roles has all roles, in the order of their sections.
var Roles = []Role{Audit, Signer, Node}

// PublicKey is an Ed25519 public key: its 32 raw bytes. Two keys are the same
// exactly if these bytes are equal, whatever their ids are.
type PublicKey [ed25519.PublicKeySize]byte

// Fingerprint returns the SHA-256 of the raw key as 64 lower-case hex digits.
func (k PublicKey) Fingerprint() string {
	sum := sha256.Sum256(k[:])
	return hex.EncodeToString(sum[:])
}

// Key is one pinned key. Node is the node that it belongs to: the key id without
// its generation, and "" for a key of another role than Node.
type Key struct {
	ID     string
	Role   Role
	Node   string
	Public PublicKey
}

// Distinct returns how many votes the keys are in a quorum (SPEC 5.3): the
// number of distinct nodes or of distinct public keys, whichever is smaller.
// Two keys of one node count once, and so does one key under two names.
func Distinct(keys []Key) int {
	nodes, publics := map[string]bool{}, map[PublicKey]bool{}
	for _, k := range keys {
		nodes[k.Node], publics[k.Public] = true, true
	}
	return min(len(nodes), len(publics))
}
