// Package trust holds the pinned keys and quorums of a trust file (SPEC 2), and
// is the only place where a signature is opened (SPEC 3).
//
// The trust file is what the customer collected independently:
//
//	{
//	  "audit_keys": { "audit-2026-1": "<base64url Ed25519 public key>" },
//	  "protected_signer_keys": { "signer-2026-1": "…" },
//	  "registries": { "1": "<base64url SHA-256 of the canonical registry>" },
//	  "nodes": { "mesh-berlin-1": "…", "mesh-berlin-1/2": "…" },
//	  "minimum_audit_witnesses": 2
//	}
//
// [Parse] reads it, and refuses a file that could be trusted for more than it
// says: weak keys, one key under two names or in two roles.
//
// Everything signed stands in one envelope. A [Sealed] statement can be read
// only as unverified until [Open] has tried the one key that its key id names
// in the one role that may sign it. There is no way from a key inside evidence
// to a signature check.
package trust
