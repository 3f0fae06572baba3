package server

import (
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/form"
)

// kindCertificateManager is the kind of integration that the cloud runs, without a
// node. The exporter of a node is none: it is the node's own affair.
const kindCertificateManager = "certificate_manager"

// States of an integration.
const (
	stateDisabled = "disabled"
	statePending  = "pending_node"
	stateHealthy  = "healthy"
	stateDegraded = "degraded"
)

// notVerified is the code of a certificate manager, which no one can check.
const notVerified = "cm_connectivity_not_verified"

// integrationView is an integration as the console shows it.
type integrationView struct {
	binding
	State   string `json:"state"`
	Code    string `json:"error_code,omitempty"`
	Message string `json:"message,omitempty"`
}

// integration is the console's record of an adapter, as it is kept.
type integration struct {
	integrationView
	Enabled bool `json:"enabled"`
	// Withdrawn are the nodes that have not answered the tombstone yet, with its
	// revision.
	Withdrawn map[string]int64 `json:"withdrawn"`
}

func (i *integration) view() seal.Object { return form.Document(i.integrationView) }

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

// enter accepts the integration that an operator entered, in place of the earlier one.
func (is *integrations) enter(next *integration) error {
	before := is.byID[next.IntegrationID]
	if before != nil && before.Kind != next.Kind {
		return conflictError("integration %s is of kind %s", next.IntegrationID, before.Kind)
	}
	next.Withdrawn = map[string]int64{}
	if before != nil {
		next.Revision, next.Withdrawn = before.Revision, before.Withdrawn
		if before.Enabled && before.NodeID != "" {
			next.Withdrawn[before.NodeID] = 0 // until it is known better
		}
	}
	is.byID[next.IntegrationID] = next
	return nil
}

// assign gives an integration its next revision and its initial state.
func (is *integrations) assign(i *integration, message string) {
	i.Revision++
	if i.Enabled {
		delete(i.Withdrawn, i.NodeID)
	}
	for id := range i.Withdrawn {
		i.Withdrawn[id] = i.Revision
	}
	switch {
	case !i.Enabled:
		is.set(i, stateDisabled, "", "")
	case i.Kind == kindCertificateManager:
		is.set(i, stateDegraded, notVerified, message)
	default:
		is.set(i, statePending, "", message)
	}
}

// set logs and keeps the state of an integration.
func (is *integrations) set(i *integration, state, code, message string) {
	i.State, i.Code, i.Message = state, code, message
	if i.Kind == kindCertificateManager && state == stateDegraded {
		i.Message = "The test was recorded, but connectivity was not verified."
	}
	data := i.view()
	delete(data, "message")
	is.cloud.Note(eventtype.IntegrationChanged, data)
	is.put(kindIntegration, i.IntegrationID, form.Document(i))
}

// withdraw disables an integration. Its node gets the tombstone.
func (is *integrations) withdraw(i *integration) {
	i.Enabled = false
	if i.NodeID != "" {
		i.Withdrawn[i.NodeID] = 0
	}
	is.assign(i, "")
}

// desired is the desired state of a node's integrations, tombstones among them,
// and whether the node has not answered all of it.
func (is *integrations) desired(nodeID string) (list []any, waiting bool) {
	for _, id := range slices.Sorted(maps.Keys(is.byID)) {
		i := is.byID[id]
		o := form.Document(i.binding)
		delete(o, "node_id")
		o["enabled"] = true
		if revision := i.Withdrawn[nodeID]; revision != 0 {
			o["revision"], o["enabled"] = revision, false
			waiting = true
		} else if i.NodeID != nodeID || !i.Enabled {
			continue
		}
		waiting = waiting || i.NodeID == nodeID && i.State == statePending
		list = append(list, o)
	}
	return list, waiting
}

// accept handles a node's report on an integration: on its exact current revision, or on the
// tombstone.
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
	if withdrawn := i.Withdrawn[n.id]; withdrawn != 0 && withdrawn == revision {
		if state == stateHealthy { // else the node has not withdrawn it yet
			delete(i.Withdrawn, n.id)
			is.put(kindIntegration, i.IntegrationID, form.Document(i))
		}
		return nil
	}
	if i.NodeID != n.id || !i.Enabled || i.Revision != revision {
		return conflictError("integration %s is not at revision %d of node %s", id, revision, n.id)
	}
	if i.State != state || i.Code != code {
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
	return is.store.Each(kindIntegration, "", func(e durable.Entry) error {
		is.byID[e.ID] = &integration{}
		return form.Restore(e.Document, is.byID[e.ID])
	})
}
