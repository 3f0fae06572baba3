// Package trust checks signatures against the pinned keys of a trust file
// (SPEC 2, 3). No other package decides whether a signature of the evidence
// counts.
//
// A trust file contains keys and pins that the customer collected independently:
//
//	{
//	  "audit_keys": { "audit-2026-1": "<base64url Ed25519 public key>" },
//	  "protected_signer_keys": { "signer-2026-1": "…" },
//	  "registries": { "1": "<base64url SHA-256 of the canonical registry>" },
//	  "nodes": { "mesh-berlin-1": "…", "mesh-berlin-1/2": "…" },
//	  "minimum_audit_witnesses": 2
//	}
//
// [Parse] reads it, and refuses weak keys and any key that occurs twice, under
// two names or in two roles.
//
// Every signed statement has the same envelope. A [Sealed] statement can only
// be read as unverified. [Open] verifies its signature with one key: the one
// that the key id names, in the one role that may sign the statement. A key
// inside evidence is never used. A [Session] gives the same answers about much
// evidence, faster.
package trust
