package service

import (
	"github.com/svc-edge/svc-verify/harness/wire"
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

// Promotion modes, interface 3.5.
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
	status    string
}

func (r *rotation) document() wire.Object {
	o := r.view()
	o["adapter_reference"], o["profile_id"], o["node_id"] = r.reference, r.profileID, r.nodeID
	o["revision"], o["names"], o["algorithm"] = r.revision, wire.Strings(r.names), r.algorithm
	return o
}

func restoreRotation(o wire.Object) *rotation {
	return &rotation{
		binding: binding{
			integrationID: wire.Text(o, "integration_id"), kind: wire.Text(o, "kind"), reference: wire.Text(o, "adapter_reference"),
			profileID: wire.Text(o, "profile_id"), nodeID: wire.Text(o, "node_id"), revision: wire.Integer(o, "revision"),
		},
		names: wire.Texts(o, "names"), algorithm: wire.Text(o, "algorithm"),
		promotion: wire.Text(o, "promotion"), status: wire.Text(o, "status"),
	}
}

// view is the rotation as the console shows it.
func (r *rotation) view() wire.Object {
	return wire.Object{
		"integration_id": r.integrationID, "kind": r.kind, "status": r.status, "promotion": r.promotion,
	}
}

// rotationWork is what the node of a rotation has to do, or nil.
func (t *transaction) rotationWork() wire.Object {
	r := t.rotation
	o := wire.Object{"transaction_id": t.id(), "integration_id": r.integrationID, "revision": r.revision}
	switch r.status {
	case rotationRequested:
		o["kind"], o["names"], o["algorithm"] = "request", wire.Strings(r.names), r.algorithm
	case rotationDelivering:
		o["kind"], o["promotion"] = "deliver", r.promotion
		o["certificates"] = wire.Strings([]string{wire.Base64(t.Issued.Leaf), wire.Base64(t.Issued.Issuer)})
	case rotationPromoting:
		o["kind"] = "promote"
	default:
		return nil
	}
	return o
}

// setRotation logs and keeps the status of a rotation.
func (s *Server) setRotation(t *transaction, status string) {
	t.rotation.status = status
	data := t.rotation.document()
	delete(data, "status")
	delete(data, "names")
	if t.code != "" {
		data["code"] = t.code
	}
	s.cloud.NoteOf(t.id(), "rotation."+status, data)
	view := t.rotation.view()
	view["transaction_id"] = t.id()
	s.put(kindRotation, descending(t.number), view)
	s.touch(t)
}

// endRotation is [Server.setRotation] for a rotation with which nothing more is
// to be done.
func (s *Server) endRotation(t *transaction, status string) {
	s.setRotation(t, status)
	s.finish(t)
}
