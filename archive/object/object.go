// Package object judges one object of an archive: what kind of evidence it is,
// whether it verifies, and on which keys that rests.
//
// An object is a regular file. It is a proof bundle, a case, evidence of whole logs (a
// journal, a dump, or an archive of such files), or no evidence at all. An object without
// evidence is read and compared like any other, and has no verdict.
package object

import (
	"crypto/sha256"

	"github.com/svc-edge/svc-verify/archive/codec"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// Kind is the kind of an object, by its bytes.
type Kind string

// The kinds.
const (
	Bundle Kind = "bundle" // a proof bundle, or an object that claims to be one
	Case   Kind = "case"   // a case file of svc-verify
	Logs   Kind = "logs"   // a journal, a dump, or an object that contains such evidence
	Other  Kind = "other"  // no evidence
)

// Context is everything that a verdict depends on besides the bytes of the object.
type Context struct {
	Trust  [sha256.Size]byte // of the trust file
	Policy [sha256.Size]byte // of the caller's demands beyond it
	Rules  string            // the version of the rules: verify.Rules
}

// Judgement is the result of judging an object in a context.
type Judgement struct {
	Kind    Kind
	Verdict outcome.Class // Verified, Rejected or Inconclusive; "" for Other
	Code    finding.Code  // of the finding that decides; "" if verified
	Pointer string        // RFC 6901, into the object
	Reason  string        // a sentence; "" if verified
	Facts   Facts
}

// PackPolicy describes the document of a policy (SPEC 15.2). A member that demands nothing is left out, so that two
// policies that demand the same have the same document. Evidence that is kept has to meet no other demands.
func PackPolicy(m *codec.Members, p *verify.Policy) {
	if p.TransactionID != "" || p.Certificate != nil || p.MaxAge != 0 {
		panic("a policy that no document can have") // a fault of the program
	}
	m.Time("legacy_before?", &p.LegacyBefore)
	codec.Number(m, "minimum_approvals?", &p.MinimumApprovals, 2, verify.MostApprovals) // one is always needed
	m.Text("tenant_id?", &p.TenantID, form.SubjectForm, form.Subject[string])
}

// PolicyDigest returns the SHA-256 of a policy's document.
func PolicyDigest(p verify.Policy) [sha256.Size]byte {
	m := codec.WriteMembers(nil)
	PackPolicy(&m, &p)
	return sha256.Sum256(m.End())
}

// ContextOf returns the context of verification under a trust file and a policy by this
// version of the rules.
func ContextOf(root *trust.Root, p verify.Policy) Context {
	return Context{Trust: root.SHA256(), Policy: PolicyDigest(p), Rules: verify.Rules}
}

// PathText writes the path of an object as text for documents (SPEC 15.1).
func PathText(path string) string { return safetext.PathText(path) }

// ParsePath reads the text of a path; false if PathText writes no path so.
func ParsePath(text string) (path string, ok bool) { return safetext.ParsePathText(text) }

// ClassOf returns the class that a finding about objects, or about what goes with them, gives an answer.
func ClassOf(code finding.Code) outcome.Class {
	if code == CaseUnread {
		return outcome.Unreadable
	}
	return outcome.ClassOf(code)
}

// WorstOf returns the class that findings give an answer; Verified if there are none.
func WorstOf(findings []finding.InDocument) outcome.Class {
	worst := outcome.Verified
	for i := range findings {
		worst = outcome.Worst(worst, ClassOf(findings[i].Code))
	}
	return worst
}
