// Package object judges one object of an archive: what kind of evidence it is,
// whether it verifies, and on which keys that rests.
//
// An object is a regular file. It is a proof bundle, a case, evidence of whole
// logs (a journal, a dump, or an archive of such files), or no evidence at all. What
// is no evidence is read and compared like all else, and has no verdict.
package object

import (
	"crypto/sha256"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/outcome"
)

// Kind is what an object is, by its octets.
type Kind string

// The kinds.
const (
	Bundle Kind = "bundle" // a proof bundle, or what claims to be one
	Case   Kind = "case"   // a case file of svc-verify
	Logs   Kind = "logs"   // a journal, a dump, or what contains such evidence
	Other  Kind = "other"  // no evidence
)

// Context is what a verdict depends on beside the octets of the object.
type Context struct {
	Trust  [sha256.Size]byte // of the trust file
	Policy [sha256.Size]byte // of what the caller demands beyond it
	Rules  string            // the version of the rules: verify.Rules
}

// Judgement is what an object came to in a context.
type Judgement struct {
	Kind    Kind
	Verdict outcome.Class // Verified, Rejected or Inconclusive; "" for Other
	Code    finding.Code  // of the finding that decides; "" if verified
	Pointer string        // RFC 6901, into the object
	Reason  string        // a sentence; "" if verified
	Facts   Facts
}
