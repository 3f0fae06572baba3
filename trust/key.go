package trust

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
)

// Role is what a pinned key may sign for (SPEC 3.3).
type Role string

// The roles, each with its own section of the trust file.
const (
	Audit  Role = "audit"  // audit_keys: tenant log, checkpoints, service decisions, statuses
	Signer Role = "signer" // protected_signer_keys: receipts
	Node   Role = "node"   // nodes: approvals, customer decisions, capability evidence, witness receipts, journals
)

// PublicKey is the 32 raw bytes of an Ed25519 public key. Two keys are the same
// key exactly when these bytes are equal, whatever they are called.
type PublicKey [ed25519.PublicKeySize]byte

// Fingerprint returns the SHA-256 of the raw key as 64 lower-case hex digits.
func (k PublicKey) Fingerprint() string {
	sum := sha256.Sum256(k[:])
	return hex.EncodeToString(sum[:])
}

// Key is one pinned key. Node is the node that it belongs to, for a key of the
// role Node only: the key id without its generation.
type Key struct {
	ID     string
	Role   Role
	Node   string
	Public PublicKey
}

// Distinct counts the keys as a quorum does (SPEC 5.3): by distinct nodes and
// by distinct public keys, whichever is fewer. Two keys of one node count once,
// and so does one key under two names.
func Distinct(keys []Key) int {
	nodes, publics := map[string]bool{}, map[PublicKey]bool{}
	for _, k := range keys {
		nodes[k.Node], publics[k.Public] = true, true
	}
	return min(len(nodes), len(publics))
}
