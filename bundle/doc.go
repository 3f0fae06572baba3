// Package bundle reads a proof bundle into typed parts (SPEC 7). It checks the
// form only: first the size limit, then strict I-JSON, then every part. Package
// verify decides whether the content is true; until then, a statement can only
// be read as a trust.Sealed.
//
// A bundle is one JSON object:
//
//	{
//	  "protocol": "svc.evidence-bundle.v1",
//	  "manifest": { … },            the object that the issuance event commits to
//	  "certificates": [ leaf, issuer ],
//	  "status": envelope,           issued or revoked, at this checkpoint
//	  "approvals": [ envelope, … ],
//	  "decisions": { "customer": envelope, "service": envelope },
//	  "capability_evidence": [ envelope, … ],
//	  "signer_registries": [ { … }, … ],
//	  "signer_receipt": envelope,
//	  "revocation_receipt": envelope,
//	  "audit_path": { "links": [ … ] },
//	  "checkpoint": envelope,
//	  "witness_receipts": [ envelope, … ]
//	}
//
// Every digest is of canonical bytes (SPEC 1.3), so white space and the order of
// members in the file do not matter.
package bundle
