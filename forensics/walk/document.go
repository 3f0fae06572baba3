package walk

import (
	"context"
	"fmt"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/trust"
)

// documents adds the statements of every document.
func (s *statements) documents(ctx context.Context, reader Reader) error {
	for d, err := range reader.Documents(ctx) {
		if err != nil {
			return err
		}
		t, err := d.Testimony(s.root, facts.ForWalk)
		if err != nil {
			return err
		}
		s.testimony(t, d.Evidence)
	}
	return nil
}

// testimony adds the statements of the document at a place.
func (s *statements) testimony(t *facts.Testimony, place finding.Evidence) {
	for _, u := range t.Uses {
		s.uses.countStatement(t.Log, u.Kind, u.KeyID, trust.Signatory{Role: u.Role, Node: u.Node},
			t.Sequence, u.Pinning, place)
	}
	if a := t.Anchor; a != nil {
		name := "the checkpoint at "
		if a.By == facts.ExportCursor {
			name = "the export cursor at "
		}
		s.addAnchor(t.Log, Anchor{Sequence: t.Sequence, Hash: a.Hash, By: a.By, At: int64(a.At),
			Name: name + fmt.Sprint(t.Sequence), Evidence: []finding.Evidence{place}})
	}
	if len(t.Known) > 0 {
		if s.known[t.Log] == nil {
			s.known[t.Log] = knownEvents{}
		}
		s.known[t.Log].addPath(t, place)
	}
	if f := t.Fault; f != nil {
		s.addOne(t.Log, finding.Finding{Code: f.Code, Sequence: t.Sequence, LastSequence: t.Sequence, Expected: f.Expected,
			Found: f.Found, Evidence: []finding.Evidence{place}})
	}
}
