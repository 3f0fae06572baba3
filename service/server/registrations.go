package server

import (
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// claim registers a service with the node that stands for it.
func (s *Server) claim(c *call) (seal.Object, error) {
	name := c.PathValue("service")
	f := read(c.Body)
	registration := seal.Object{
		"service": name, "workload_profile": f.text("workload_profile", identifier), "node_id": f.text("node_id", subjectID),
	}
	if !identifier.MatchString(name) {
		f.fail("service", "expected an identifier in the path")
	}
	if err := f.close(); err != nil {
		return nil, err
	}
	err := s.ordered(c, func() error {
		if !s.nodes.has(seal.Text(registration, "node_id")) {
			return conflict("no node %s takes part", seal.Text(registration, "node_id"))
		}
		registered := seal.Member(s.services, "services")
		if known := seal.Member(registered, name); known != nil && seal.Digest(known) == seal.Digest(registration) {
			return nil
		}
		registered = maps.Clone(registered)
		registered[name] = registration
		s.services = seal.Object{"version": seal.Integer(s.services, "version") + 1, "services": registered}
		s.put(kindState, stateServices, s.services)
		s.cloud.Note("service.claimed", registration)
		s.notices.add("service.claimed", registration)
		return nil
	})
	return registration, err
}

// registrations are all registered services, by name.
func (s *Server) registrations() seal.Object {
	registered := seal.Member(s.services, "services")
	list := []any{}
	for _, name := range slices.Sorted(maps.Keys(registered)) {
		list = append(list, registered[name])
	}
	return seal.Object{"version": s.services["version"], "services": list}
}
