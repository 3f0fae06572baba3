package event

import (
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// The event types whose data is closed (SPEC 4.4).
const (
	ApprovalRecorded   = "approval.recorded"
	DecisionRecorded   = "decision.recorded"
	IssuanceCompleted  = "issuance.completed"
	CertificateRevoked = "certificate.revoked"
	NodeReported       = "node.reported"
	ApprovalSigned     = "approval.signed"
	CheckpointWitness  = "checkpoint.witnessed"
	CapabilityObserved = "capability.observed"
)

// member is one member of closed data and the form of its value.
type member struct {
	name string
	kind kind
}

// kind is the form of a value in closed data.
type kind struct {
	read func(form.Object, string)
	scan func(*scanner) bool
}

// The kinds of value in closed data.
var (
	digest = kind{
		func(o form.Object, n string) { o.Digest(n) },
		func(s *scanner) bool { return s.takeDigest(new(chain.Hash)) },
	}
	subject = kind{
		func(o form.Object, n string) { o.Subject(n) },
		func(s *scanner) bool { return s.takeAccepted(form.Subject[[]byte]) },
	}
	identifier = kind{
		func(o form.Object, n string) { o.Identifier(n) },
		func(s *scanner) bool { return s.takeAccepted(form.Identifier[[]byte]) },
	}
	counter = kind{
		func(o form.Object, n string) { o.Counter(n) },
		func(s *scanner) bool { return s.takeCounter() > 0 },
	}
	signature = kind{
		func(o form.Object, n string) { o.Bytes(n, SignatureSize, SignatureSize) },
		func(s *scanner) bool { return s.takeOctets(make([]byte, SignatureSize)) },
	}
	decision = oneOf("allow", "deny")
	domain   = oneOf("customer", "service")
)

func oneOf(words ...string) kind {
	return kind{
		func(o form.Object, n string) { o.OneOf(n, words...) },
		func(s *scanner) bool {
			return s.takeAccepted(func(w []byte) bool { return slices.Contains(words, string(w)) })
		},
	}
}

// closed lists the members of closed data, in canonical order (SPEC 4.4).
var closed = map[string][]member{
	ApprovalRecorded:   {{"approval_sha256", digest}, {"node_id", subject}},
	DecisionRecorded:   {{"decision", decision}, {"decision_sha256", digest}, {"trust_domain", domain}},
	IssuanceCompleted:  {{"manifest_sha256", digest}},
	CertificateRevoked: {{"manifest_sha256", digest}, {"revocation_receipt_sha256", digest}},
	NodeReported: {{"audit_head", digest}, {"audit_sequence", counter}, {"body_sha256", digest}, {"key_id", identifier},
		{"node_id", subject}, {"previous_hash", digest}, {"signature", signature}, {"skip_hash", digest}},
	ApprovalSigned:     {{"approval_sha256", digest}, {"decision", decision}},
	CheckpointWitness:  {{"checkpoint_sha256", digest}, {"head_hash", digest}, {"sequence", counter}},
	CapabilityObserved: {{"capability_evidence_sha256", digest}},
}

// readData checks the data of an event: closed for the types of the table, an
// object of bounded depth for all others.
func readData(r *form.Reader, e Event) {
	members, ok := closed[e.Type]
	if !ok {
		openData(r, e.Data)
		return
	}
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.name
	}
	o := r.Object(e.Data, names...)
	for _, m := range members {
		m.kind.read(o, m.name)
	}
}

// openData checks the two rules that even open data has (SPEC 1.2).
func openData(r *form.Reader, v *ijson.Value) {
	switch {
	case v == nil:
	case v.Kind() != ijson.Object:
		r.Fault(v, form.BadValue, ijson.Object.String(), v.Kind().String())
	case v.Depth() > form.MaxDataDepth:
		r.Fault(v, form.TooLarge, "data of at most 16 levels", "deeper nesting")
	}
}
