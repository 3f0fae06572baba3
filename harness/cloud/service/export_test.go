package service

// BreakStore takes the store away from a server that runs.
func BreakStore(s *Server) error { return s.store.Close() }

// Notices is how many notices are kept.
func Notices(s *Server) int {
	entries, err := s.store.List(kindNotice, "", maximumNotices)
	if err != nil {
		return -1
	}
	return len(entries)
}
