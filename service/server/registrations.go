package server

import (
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/topic"
)

// registrations are the services that workloads run, each with the node that
// stands for it.
type registrations struct {
	*tenant
	document seal.Object // version, and services by name
}

func (r *registrations) restore() error {
	document, err := r.store.Get(kindState, stateServices)
	if document == nil {
		document = seal.Object{"version": int64(0), "services": seal.Object{}}
	}
	r.document = document
	return err
}

func (r *registrations) version() int64 { return seal.Integer(r.document, "version") }

// enter registers a service, or changes its node, and tells the nodes.
func (r *registrations) enter(registration seal.Object) {
	name, registered := seal.Text(registration, "service"), seal.Member(r.document, "services")
	if known := seal.Member(registered, name); known != nil && seal.Digest(known) == seal.Digest(registration) {
		return
	}
	registered = maps.Clone(registered)
	registered[name] = registration
	r.document = seal.Object{"version": r.version() + 1, "services": registered}
	r.put(kindState, stateServices, r.document)
	r.cloud.Note(eventtype.ServiceClaimed, registration)
	r.notices.add(topic.ServiceClaimed, registration)
}

// views are all registered services as the nodes get them, by name.
func (r *registrations) views() seal.Object {
	registered := seal.Member(r.document, "services")
	list := []any{}
	for _, name := range slices.Sorted(maps.Keys(registered)) {
		list = append(list, registered[name])
	}
	return seal.Object{"version": r.document["version"], "services": list}
}
