package server

import (
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/form"
)

// Kinds of integrations. The exporter of a node is none: it is the node's own
// affair.
const (
	kindNginx              = "nginx"
	kindSecretStore        = "secret_store"
	kindCertificateManager = "certificate_manager" // run by the cloud, without a node
)

// States of an integration.
const (
	stateDisabled = "disabled"
	statePending  = "pending_node"
	stateHealthy  = "healthy"
	stateDegraded = "degraded"
)

// notVerified is the code of a certificate manager, which nobody can check.
const notVerified = "cm_connectivity_not_verified"

// integration is what the console knows of an adapter.
type integration struct {
	id, kind, reference, profileID, nodeID string
	enabled                                bool
	revision                               int64
	state, code, message                   string
	// withdrawn are the nodes that have not answered the tombstone yet, with its
	// revision.
	withdrawn map[string]int64
}

func (i *integration) document() seal.Object {
	withdrawn := seal.Object{}
	for id, revision := range i.withdrawn {
		withdrawn[id] = revision
	}
	o := i.view()
	o["enabled"], o["withdrawn"] = i.enabled, withdrawn
	return o
}

func restoreIntegration(o seal.Object) *integration {
	enabled, _ := o["enabled"].(bool)
	i := &integration{
		id: seal.Text(o, "integration_id"), kind: seal.Text(o, "kind"), reference: seal.Text(o, "adapter_reference"),
		profileID: seal.Text(o, "profile_id"), nodeID: seal.Text(o, "node_id"), enabled: enabled,
		revision: seal.Integer(o, "revision"), state: seal.Text(o, "state"), code: seal.Text(o, "error_code"),
		message: seal.Text(o, "message"), withdrawn: map[string]int64{},
	}
	for id := range seal.Member(o, "withdrawn") {
		i.withdrawn[id] = seal.Integer(seal.Member(o, "withdrawn"), id)
	}
	return i
}

// view is the integration as the console shows it.
func (i *integration) view() seal.Object {
	o := seal.Object{
		"integration_id": i.id, "kind": i.kind, "adapter_reference": i.reference, "profile_id": i.profileID,
		"revision": i.revision, "state": i.state,
	}
	for name, value := range map[string]string{"node_id": i.nodeID, "error_code": i.code, "message": i.message} {
		if value != "" {
			o[name] = value
		}
	}
	return o
}

// integrations are the adapters that an operator entered.
type integrations struct {
	*tenant
	byID map[string]*integration
}

// find returns an integration.
func (is *integrations) find(id string) (*integration, error) {
	if i := is.byID[id]; i != nil {
		return i, nil
	}
	return nil, notFound("no integration %q", id)
}

// enter takes over what an operator entered, in the place of what was there.
func (is *integrations) enter(next *integration) error {
	before := is.byID[next.id]
	if before != nil && before.kind != next.kind {
		return conflict("integration %s is of kind %s", next.id, before.kind)
	}
	next.withdrawn = map[string]int64{}
	if before != nil {
		next.revision, next.withdrawn = before.revision, before.withdrawn
		if before.enabled && before.nodeID != "" {
			next.withdrawn[before.nodeID] = 0 // until it is known better
		}
	}
	is.byID[next.id] = next
	return nil
}

// assign gives an integration its next revision and the state to begin with.
func (is *integrations) assign(i *integration, message string) {
	i.revision++
	if i.enabled {
		delete(i.withdrawn, i.nodeID)
	}
	for id := range i.withdrawn {
		i.withdrawn[id] = i.revision
	}
	switch {
	case !i.enabled:
		is.set(i, stateDisabled, "", "")
	case i.kind == kindCertificateManager:
		is.set(i, stateDegraded, notVerified, message)
	default:
		is.set(i, statePending, "", message)
	}
}

// set logs and keeps the state of an integration.
func (is *integrations) set(i *integration, state, code, message string) {
	i.state, i.code, i.message = state, code, message
	if i.kind == kindCertificateManager && state == stateDegraded {
		i.message = "The test was recorded, but connectivity was not verified."
	}
	data := i.view()
	delete(data, "message")
	is.cloud.Note(eventtype.IntegrationChanged, data)
	is.put(kindIntegration, i.id, i.document())
}

// withdraw disables an integration. Its node gets the tombstone.
func (is *integrations) withdraw(i *integration) {
	i.enabled = false
	if i.nodeID != "" {
		i.withdrawn[i.nodeID] = 0
	}
	is.assign(i, "")
}

// desired is the desired state of a node's integrations, tombstones among them,
// and whether the node has not answered all of it.
func (is *integrations) desired(nodeID string) (list []any, waiting bool) {
	for _, id := range slices.Sorted(maps.Keys(is.byID)) {
		i := is.byID[id]
		o := seal.Object{
			"integration_id": i.id, "kind": i.kind, "adapter_reference": i.reference, "profile_id": i.profileID,
			"revision": i.revision, "enabled": true,
		}
		if revision := i.withdrawn[nodeID]; revision != 0 {
			o["revision"], o["enabled"] = revision, false
			waiting = true
		} else if i.nodeID != nodeID || !i.enabled {
			continue
		}
		waiting = waiting || i.nodeID == nodeID && i.state == statePending
		list = append(list, o)
	}
	return list, waiting
}

// accept takes what a node says of an integration: of its exact
// current revision, or of the tombstone.
func (is *integrations) accept(n *node, f *fields) error {
	id, revision := f.Text("integration_id", form.SubjectID), f.Number("revision", 1, form.Largest)
	state, code := f.Word("state", stateHealthy, stateDegraded), ""
	if state == stateDegraded {
		code = f.Text("error_code", form.ErrorCode)
	}
	if err := f.close(); err != nil {
		return err
	}
	i := is.byID[id]
	if i == nil {
		return notFound("no integration %q", id)
	}
	if withdrawn := i.withdrawn[n.id]; withdrawn != 0 && withdrawn == revision {
		if state == stateHealthy { // else the node has not withdrawn it yet
			delete(i.withdrawn, n.id)
			is.put(kindIntegration, i.id, i.document())
		}
		return nil
	}
	if i.nodeID != n.id || !i.enabled || i.revision != revision {
		return conflict("integration %s is not at revision %d of node %s", id, revision, n.id)
	}
	if i.state != state || i.code != code {
		is.set(i, state, code, "")
	}
	return nil
}

// views are the integrations as the console shows them, by id.
func (is *integrations) views() []any {
	list := []any{}
	for _, id := range slices.Sorted(maps.Keys(is.byID)) {
		list = append(list, is.byID[id].view())
	}
	return list
}

func (is *integrations) restore() error {
	return is.each(kindIntegration, func(e durable.Entry) error {
		is.byID[e.ID] = restoreIntegration(e.Document)
		return nil
	})
}
