package server

import (
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
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

// Promotion modes.
const (
	promotionManual    = "manual"
	promotionAutomatic = "automatic_after_health"
)

// binding is what a rotation is for. Nothing of it may change before it is
// promoted.
type binding struct {
	integrationID, kind, reference, profileID, nodeID string
	revision                                          int64
}

func bindingOf(i *integration) binding {
	return binding{i.id, i.kind, i.reference, i.profileID, i.nodeID, i.revision}
}

// mismatch names the first part in which an integration is not the one that the
// rotation is bound to, "" if there is none.
func (b binding) mismatch(i *integration) string {
	switch {
	case i == nil || !i.enabled || i.id != b.integrationID || i.kind != b.kind:
		return "integration"
	case i.reference != b.reference:
		return "reference"
	case i.profileID != b.profileID:
		return "profile"
	case i.nodeID != b.nodeID:
		return "node"
	case i.revision != b.revision:
		return "revision"
	}
	return ""
}

// rotation is a certificate that a node asks for, stages and promotes for an
// adapter.
type rotation struct {
	binding
	names     []string
	algorithm string
	promotion string
	intent    seal.Object // envelope: what its node is to do, svc.rotation-intent.v1
	status    string
	steps     []any  // each status that it had, and since when
	cause     string // the integration's own code, if the node refused for it
}

// enter gives the rotation its next status.
func (r *rotation) enter(status string, at time.Time) {
	r.status = status
	r.steps = append(r.steps, seal.Object{"status": status, "at": seal.Time(at)})
}

// reached reports whether the rotation has a status, or had it on its way to be
// promoted: its node may say it again.
func (r *rotation) reached(status string) bool {
	return r.status == status || status == rotationStaged && (r.status == rotationPromoting ||
		r.status == rotationPromoted)
}

func (r *rotation) document() seal.Object {
	o := r.view()
	o["adapter_reference"], o["profile_id"] = r.reference, r.profileID
	o["revision"], o["names"], o["algorithm"] = r.revision, seal.Strings(r.names), r.algorithm
	o["intent"] = r.intent
	return o
}

func restoreRotation(o seal.Object) *rotation {
	return &rotation{
		binding: binding{
			integrationID: seal.Text(o, "integration_id"), kind: seal.Text(o, "kind"),
			reference: seal.Text(o, "adapter_reference"),
			profileID: seal.Text(o, "profile_id"), nodeID: seal.Text(o, "node_id"),
			revision: seal.Integer(o, "revision"),
		},
		names: seal.Texts(o, "names"), algorithm: seal.Text(o, "algorithm"),
		promotion: seal.Text(o, "promotion"), status: seal.Text(o, "status"),
		intent: seal.Member(o, "intent"), steps: seal.List(o, "steps"), cause: seal.Text(o, "integration_error_code"),
	}
}

// view is the rotation as the console shows it.
func (r *rotation) view() seal.Object {
	o := seal.Object{
		"integration_id": r.integrationID, "kind": r.kind, "node_id": r.nodeID, "status": r.status,
		"promotion": r.promotion,
		"steps":     append([]any{}, r.steps...),
	}
	if r.cause != "" {
		o["integration_error_code"] = r.cause
	}
	return o
}

// rotationWork is what the node of a rotation has to do, or nil.
func (t *transaction) rotationWork() seal.Object {
	r := t.rotation
	o := seal.Object{"transaction_id": t.id(), "integration_id": r.integrationID, "revision": r.revision}
	switch r.status {
	case rotationRequested:
		return seal.Object{"kind": "request", "transaction_id": t.id(), "intent": r.intent}
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
