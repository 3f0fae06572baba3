package facts

import (
	"fmt"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/verify"
)

// The object for a comparison. Hashes are hex, and empty members are left out.
type (
	comparisonJSON struct {
		Checkpoint *SignedCheckpoint `json:"checkpoint,omitempty"`
		Bundle     *bundleJSON       `json:"bundle,omitempty"`
	}
	bundleJSON struct {
		*BundleTestimony
		Names     []string `json:"certificate_names,omitempty"`
		NotBefore string   `json:"not_before,omitempty"`
		NotAfter  string   `json:"not_after,omitempty"`
		RevokedAt string   `json:"revoked_at,omitempty"`
		AsOf      string   `json:"as_of,omitempty"`
	}
)

// comparisonJSON returns the object for a comparison.
func (t *Testimony) comparisonJSON() comparisonJSON {
	out := comparisonJSON{Checkpoint: t.Checkpoint}
	if b := t.Bundle; b != nil {
		s := &b.Standing
		out.Bundle = &bundleJSON{b, s.CertificateNames, s.NotBefore, s.NotAfter, s.RevokedAt, s.AsOf}
	}
	return out
}

func (t *Testimony) readComparison(r *form.Reader, v *ijson.Value) {
	o := r.Object(v, "checkpoint?", "bundle?")
	if o.Has("checkpoint") {
		c := o.Object("checkpoint", "sha256", "sequence", "head_hash", "key_id")
		t.Checkpoint = &SignedCheckpoint{c.Digest("sha256"), uint64(c.Counter("sequence")), c.Digest("head_hash"),
			c.Identifier("key_id")}
	}
	if o.Has("bundle") {
		t.Bundle = readBundle(r, o)
	}
	if b := t.Bundle; b != nil && b.Verdict == verify.Verified && t.Checkpoint == nil {
		r.Fault(v, form.BadValue, "the checkpoint of a bundle that verifies", "none")
	}
}

func readBundle(r *form.Reader, testimony form.Object) *BundleTestimony {
	verdict := testimony.Object("bundle", "sha256", "verdict", "failure?", "unknown_keys?", "tenant_id?",
		"transaction_id?", "status?",
		"certificate_serial?", "certificate_names?", "not_before?", "not_after?", "revoked_at?", "as_of?",
		"approvals?", "decisions?", "capability?", "witnesses?", "events?").
		OneOf("verdict", string(verify.Verified), string(verify.Rejected), string(verify.Inconclusive))
	if verify.Verdict(verdict) != verify.Verified {
		return readUnverified(r, testimony, verify.Verdict(verdict))
	}
	o := testimony.Object("bundle", "sha256", "verdict", "tenant_id", "transaction_id", "status",
		"certificate_serial", "certificate_names", "not_before", "not_after", "revoked_at?", "as_of",
		"approvals?", "decisions",
		"capability?", "witnesses?", "events?")
	b := &BundleTestimony{SHA256: o.Digest("sha256"), Verdict: verify.Verified, TenantID: o.Subject("tenant_id"),
		TransactionID: o.Subject("transaction_id"), Status: o.OneOf("status", bundle.Issued, bundle.Revoked),
		Approvals: readParts(r, o, "approvals", form.MaxList), Decisions: readParts(r, o, "decisions", 2),
		Capability: readParts(r, o, "capability", form.MaxList), Witnesses: readParts(r, o, "witnesses", form.MaxList)}
	b.Serial, b.Standing = readStanding(r, o)
	if o.Has("events") {
		for _, v := range o.List("events", 1, form.MaxPathLinks) {
			e := r.Object(v, "type", "sequence", "hash", "manifest_sha256")
			b.Events = append(b.Events, DisclosedEvent{e.Identifier("type"), uint64(e.Counter("sequence")), e.Digest("hash"),
				e.Digest("manifest_sha256")})
		}
	}
	return b
}

// readUnverified reads the members of a bundle that does not verify.
func readUnverified(r *form.Reader, testimony form.Object, verdict verify.Verdict) *BundleTestimony {
	o := testimony.Object("bundle", "sha256", "verdict", "failure", "unknown_keys?")
	isText := func(s string) bool { return s != "" && len(s) <= MaxText+len("...") && utf8.ValidString(s) }
	b := &BundleTestimony{SHA256: o.Digest("sha256"), Verdict: verdict,
		Failure: o.Text("failure", fmt.Sprintf("at most %d octets of text", MaxText), isText)}
	if o.Has("unknown_keys") {
		for _, v := range o.List("unknown_keys", 1, verify.MostUnknownKeys) {
			b.UnknownKeys = append(b.UnknownKeys, r.Text(v, "a key id, or a registry generation", isText))
		}
	}
	return b
}

// readStanding reads the serial and the standing of the certificate.
func readStanding(r *form.Reader, o form.Object) (serial string, s verify.Standing) {
	isText := func(s string) bool { return s != "" && len(s) <= MaxText && utf8.ValidString(s) }
	s = verify.Standing{NotBefore: form.FormatTime(o.Time("not_before")), NotAfter: form.FormatTime(o.Time("not_after")),
		AsOf: form.FormatTime(o.Time("as_of")), Freshness: verify.NoAge}
	if o.Has("revoked_at") {
		s.RevokedAt = form.FormatTime(o.Time("revoked_at"))
	}
	for _, v := range o.List("certificate_names", 1, form.MaxList) {
		s.CertificateNames = append(s.CertificateNames, r.Text(v, "a name", isText))
	}
	return o.Text("certificate_serial", "a serial", isText), s
}

func readParts(r *form.Reader, o form.Object, name string, most int) []Part {
	if !o.Has(name) {
		return nil
	}
	var parts []Part
	for _, v := range o.List(name, 1, most) {
		p := r.Object(v, "sha256", "node_id?", "trust_domain?", "decision?", "at")
		part := Part{SHA256: chain.Hash(p.Digest("sha256")), At: millis(p.Time("at"))}
		if p.Has("node_id") {
			part.NodeID = p.Subject("node_id")
		}
		if p.Has("trust_domain") {
			part.Domain = p.OneOf("trust_domain", bundle.Customer, bundle.Service)
		}
		if p.Has("decision") {
			part.Decision = p.OneOf("decision", bundle.Allow, bundle.Deny)
		}
		parts = append(parts, part)
	}
	return parts
}
