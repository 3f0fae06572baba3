package service

import (
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/harness/wire"
)

// claim registers a service with the node that stands for it.
func (s *Server) claim(c *call) (wire.Object, error) {
	name := c.PathValue("service")
	f := read(c.Body)
	registration := wire.Object{
		"service": name, "workload_profile": f.text("workload_profile", identifier), "node_id": f.text("node_id", subjectID),
	}
	if !identifier.MatchString(name) {
		f.fail("service", "expected an identifier in the path")
	}
	if err := f.close(); err != nil {
		return nil, err
	}
	err := s.ordered(c, func() error {
		if n := s.nodes[wire.Text(registration, "node_id")]; n == nil || n.disabled {
			return conflict("no node %s takes part", wire.Text(registration, "node_id"))
		}
		registered := wire.Member(s.services, "services")
		if known := wire.Member(registered, name); known != nil && wire.Digest(known) == wire.Digest(registration) {
			return nil
		}
		registered = maps.Clone(registered)
		registered[name] = registration
		s.services = wire.Object{"version": wire.Integer(s.services, "version") + 1, "services": registered}
		s.put(kindState, stateServices, s.services)
		s.cloud.Note("service.claimed", registration)
		s.notify("service.claimed", registration)
		return nil
	})
	return registration, err
}

// registrations are all registered services, by name.
func (s *Server) registrations() wire.Object {
	registered := wire.Member(s.services, "services")
	list := []any{}
	for _, name := range slices.Sorted(maps.Keys(registered)) {
		list = append(list, registered[name])
	}
	return wire.Object{"version": s.services["version"], "services": list}
}
