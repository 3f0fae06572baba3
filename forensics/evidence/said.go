package evidence

import (
	"encoding/base64"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/form"
)

// Said is the data of an event, which the type of the event closes (SPEC 4.4). Fields that the
// type does not have are zero.
type Said struct {
	Digest   chain.Hash  // of the document that the event is about
	Node     string      // of approval.recorded and node.reported
	Domain   string      // of decision.recorded
	Decision string      // of approval.signed and decision.recorded
	Sequence uint64      // of checkpoint.witnessed
	Head     chain.Hash  // of checkpoint.witnessed
	Report   walk.Report // of node.reported
}

// ReadSaid reads the data of an event of a type. It returns false if the type does not close
// its data, or the data does not have the type's members.
func ReadSaid(eventType string, data []byte) (s Said, ok bool) {
	r := &s.Report
	ok = event.Closed(eventType, data, func(name string, value []byte) {
		switch name {
		case "approval_sha256", "decision_sha256", "checkpoint_sha256", "capability_evidence_sha256", "manifest_sha256":
			s.Digest, _ = form.Digest(value)
		case "decision":
			s.Decision = string(value)
		case "trust_domain":
			s.Domain = string(value)
		case "head_hash":
			s.Head, _ = form.Digest(value)
		case "sequence":
			s.Sequence = parseCounter(value)
		case "node_id":
			s.Node = string(value)
		case "audit_sequence":
			r.Link.Sequence = parseCounter(value)
		case "audit_head":
			r.Recorded, _ = form.Digest(value)
		case "previous_hash":
			r.Link.Previous, _ = form.Digest(value)
		case "skip_hash":
			r.Link.Skip, _ = form.Digest(value)
		case "body_sha256":
			r.Link.Body, _ = form.Digest(value)
		case "key_id":
			r.KeyID = string(value)
		case "signature":
			_, _ = base64.RawURLEncoding.Decode(r.Signature[:], value)
		}
	})
	if eventType == event.NodeReported {
		r.Node = s.Node
	}
	return s, ok
}

// parseCounter reads an integer whose form was checked.
func parseCounter(digits []byte) (n uint64) {
	for _, d := range digits {
		n = 10*n + uint64(d-'0')
	}
	return n
}
