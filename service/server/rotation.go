package server

import (
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/form"
)

// Statuses of a rotation.
const (
	rotationRequested  = "requested"  // the node makes a key
	rotationIssuing    = "issuing"    // the nodes approve
	rotationDelivering = "delivering" // the node has not staged it yet
	rotationStaged     = "staged"     // on the node, not in use
	rotationPromoting  = "promoting"  // an operator ordered to use it
	rotationPromoted   = "promoted"
	rotationFailed     = "failed"
	rotationDenied     = "denied"
)

// binding is the integration that a rotation is for. Nothing of it may change before it is
// promoted.
type binding struct {
	IntegrationID string `json:"integration_id"`
	Kind          string `json:"kind"`
	Reference     string `json:"adapter_reference"`
	ProfileID     string `json:"profile_id"`
	NodeID        string `json:"node_id,omitempty"`
	Revision      int64  `json:"revision"`
}

// mismatch names the first part in which an integration is not the one that the
// rotation is bound to, "" if there is none.
func (b binding) mismatch(i *integration) string {
	switch {
	case i == nil || !i.Enabled || i.IntegrationID != b.IntegrationID || i.Kind != b.Kind:
		return "integration"
	case i.Reference != b.Reference:
		return "reference"
	case i.ProfileID != b.ProfileID:
		return "profile"
	case i.NodeID != b.NodeID:
		return "node"
	case i.Revision != b.Revision:
		return "revision"
	}
	return ""
}

// rotation is a certificate that a node asks for, stages and promotes for an
// adapter.
type rotation struct {
	binding
	Names     []string    `json:"names"`
	Algorithm string      `json:"algorithm"`
	Promotion string      `json:"promotion"`
	Intent    form.Object `json:"intent"` // envelope: its node's task, svc.rotation-intent.v1
	Status    string      `json:"status"`
	Steps     []step      `json:"steps"`                            // each status that it had
	Cause     string      `json:"integration_error_code,omitempty"` // if the node refused for it
}

// step is a status of a rotation, and since when it had it.
type step struct {
	Status string `json:"status"`
	At     string `json:"at"`
}

// enter gives the rotation its next status.
func (r *rotation) enter(status string, at time.Time) {
	r.Status = status
	r.Steps = append(r.Steps, step{status, seal.Time(at)})
}

// reached reports whether the rotation has a status, or had it on its way to be
// promoted: its node may say it again.
func (r *rotation) reached(status string) bool {
	return r.Status == status || status == rotationStaged && (r.Status == rotationPromoting ||
		r.Status == rotationPromoted)
}

// withoutMembers is the rotation as it is kept, but for some members.
func (r *rotation) withoutMembers(members ...string) seal.Object {
	o := form.Document(r)
	for _, name := range members {
		delete(o, name)
	}
	return o
}

// view is the rotation as the console shows it.
func (r *rotation) view() seal.Object {
	return r.withoutMembers("adapter_reference", "profile_id", "revision", "names", "algorithm", "intent")
}

// rotationWork returns the work for the node of a rotation, or nil.
func (t *transaction) rotationWork() seal.Object {
	r := t.Rotation
	o := seal.Object{"transaction_id": t.id(), "integration_id": r.IntegrationID, "revision": r.Revision}
	switch r.Status {
	case rotationRequested:
		return seal.Object{"kind": "request", "transaction_id": t.id(), "intent": seal.Object(r.Intent)}
	case rotationDelivering:
		o["kind"] = "deliver"
		o["certificates"] = seal.Strings([]string{seal.Base64(t.Issued.Leaf), seal.Base64(t.Issued.Issuer)})
	case rotationPromoting:
		o["kind"] = "promote"
	default:
		return nil
	}
	return o
}
