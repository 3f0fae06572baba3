package walk

import (
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/trust"
)

// statements are statements about logs outside of them: by documents, and by the reports of
// nodes in the tenant log.
type statements struct {
	root    *trust.Root
	anchors map[facts.Log]anchors
	known   map[facts.Log]knownEvents // from the paths of bundles
	notes   map[facts.Log]*notes      // about documents, by the log that they are about; of no log, under the zero Log
	uses    keyUses
}

func newStatements(root *trust.Root) *statements {
	return &statements{root, map[facts.Log]anchors{}, map[facts.Log]knownEvents{}, map[facts.Log]*notes{}, keyUses{}}
}

// addAnchor adds an anchor of a log. One with the statement of the newest one is not kept: a node
// that is idle reports the same head over and over.
func (s *statements) addAnchor(log facts.Log, a Anchor) {
	all := s.anchors[log]
	if n := len(all); n > 0 && compareAnchors(all[n-1], a) == 0 && a.By == facts.NodeReport {
		return
	}
	s.anchors[log] = append(all, a)
}

// addOne adds a finding about a document that is about a log. If the log is not
// walked, it counts all the same.
func (s *statements) addOne(log facts.Log, f finding.Finding) {
	if s.notes[log] == nil {
		s.notes[log] = newNotes()
	}
	s.notes[log].addFault(f)
}
