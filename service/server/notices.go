package server

import (
	"github.com/svc-edge/svc-verify/harness/seal"
)

// maximumNotices is how many are kept for a node that is behind.
const maximumNotices = 4096

// notify keeps a notice for all nodes, which pass it on as a trust event.
// Sequences have no gap.
func (s *Server) notify(topic string, data seal.Object) {
	s.notices++
	s.put(kindNotice, ascending(s.notices), seal.Object{"sequence": s.notices, "topic": topic, "data": data})
}

// dropNotices drops what every node has, and what is too much. The newest
// stays: it holds the sequence.
func (s *Server) dropNotices() {
	have := s.notices - 1
	for _, n := range s.nodes {
		if !n.disabled {
			have = min(have, n.noticesAfter)
		}
	}
	if through := max(have, s.notices-maximumNotices); through > s.dropped {
		s.dropped = through
		s.removeThrough(kindNotice, ascending(through))
	}
}

// noticesAfter are the notices after a sequence, at most a page of them.
func (s *Server) noticesAfter(sequence int64) ([]any, error) {
	if sequence >= s.notices {
		return nil, nil
	}
	entries, err := s.store.List(kindNotice, ascending(sequence), page)
	if err != nil {
		return nil, err
	}
	var list []any
	for _, e := range entries {
		list = append(list, e.Document)
	}
	return list, nil
}
