package server

import (
	"slices"
	"strings"
)

// BreakStore closes the store of a server that runs.
func BreakStore(s *Server) error { return s.store.Close() }

// Notices is how many notices are kept.
func Notices(s *Server) int {
	entries, err := s.store.List(kindNotice, "", maximumNotices)
	if err != nil {
		return -1
	}
	return len(entries)
}

// Rebind changes an integration without looking for its rotations, so that the
// later checks of their binding are all that is left.
func Rebind(s *Server, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.integrations.byID[id].Revision++
}

// Due has a server do its due tasks.
func Due(s *Server) error { return s.update(s.due) }

// Patterns returns the patterns of every call of the API but those below /pki/.
func Patterns(s *Server) []string {
	var patterns []string
	for _, r := range s.routes() {
		patterns = append(patterns, r.pattern)
	}
	return patterns
}

// Orders are the patterns of the calls by which operators change something.
func Orders(s *Server) []string {
	var patterns []string
	for _, r := range s.routes() {
		if slices.Contains(r.roles, roleOperator) && !strings.HasPrefix(r.pattern, "GET ") {
			patterns = append(patterns, r.pattern)
		}
	}
	return patterns
}
