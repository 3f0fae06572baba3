// Package bundle opens a proof bundle (SPEC 7): the size limit, then strict
// I-JSON, then every part into a typed value. It decides form only. Whether
// anything in a bundle is true is for package verify to say; until then the
// statements are reachable only as trust.Sealed.
//
// A bundle is one JSON object:
//
//	{
//	  "protocol": "svc.evidence-bundle.v1",
//	  "manifest": { … },            what the issuance event commits to
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
// Every digest here is of canonical bytes (SPEC 1.3), whatever white space or
// member order the file has.
package bundle
