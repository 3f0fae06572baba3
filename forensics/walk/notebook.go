package walk

import (
	"context"
	"slices"
	"strconv"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// notebook notes the faults of one log, each finding with the places that show it.
type notebook struct {
	judge *judge
	said  *statements
	*notes
}

// noteFaults notes the faults of one event.
func (n *notebook) noteFaults(ctx context.Context, d defect, e facts.Event) error {
	f := finding.Finding{Code: d.code, Sequence: e.Sequence, LastSequence: e.Sequence, Expected: d.expected,
		Found: d.found}
	if d.explanation != "" {
		f.Explanations = []string{d.explanation}
	}
	return n.noteFinding(ctx, f, e)
}

// noteFinding notes a finding, with the places of the given events as evidence.
func (n *notebook) noteFinding(ctx context.Context, f finding.Finding, events ...facts.Event) error {
	noted := n.addFault(f)
	for _, e := range events {
		if noted == nil {
			break
		}
		places, err := n.judge.reader.Places(ctx, n.judge.log, e)
		if err != nil {
			return err
		}
		room := mostEvidence - len(noted.Evidence)
		noted.Evidence = append(noted.Evidence, places[:min(len(places), room)]...)
	}
	return nil
}

// noteAnchored notes a finding, with the places of the anchors as evidence.
func (n *notebook) noteAnchored(ctx context.Context, f finding.Finding, by ...Anchor) error {
	for _, a := range by {
		f.Evidence = append(f.Evidence, a.Evidence...)
		if a.By != facts.NodeReport {
			continue
		}
		log := facts.TenantLog(n.judge.log.TenantID)
		j, err := n.judge.judgeOf(log, n.said.anchors[log].sortedOnce()).foremostCopy(ctx, a.Event)
		if err != nil {
			return err
		}
		places, err := n.judge.reader.Places(ctx, log, j.Event)
		if err != nil {
			return err
		}
		f.Evidence = append(f.Evidence, places...)
	}
	f.Evidence = f.Evidence[:min(len(f.Evidence), mostEvidence)]
	n.addFault(f)
	return nil
}

// noteDefects notes everything that is wrong with a copy by itself.
func (n *notebook) noteDefects(ctx context.Context, j *judged) error {
	for _, d := range j.defects(n.judge.log) {
		if err := n.noteFaults(ctx, d, j.Event); err != nil {
			return err
		}
	}
	return nil
}

// noteCopy notes the faults of a copy next to valid ones.
func (n *notebook) noteCopy(ctx context.Context, j *judged, valid []*judged) error {
	if j.Valid() {
		return nil
	}
	another := !slices.ContainsFunc(valid, func(v *judged) bool { return v.logHash() == j.Recorded })
	if j.Intact() && another && j.owner != pinned {
		return n.noteDefects(ctx, j) // not a copy of the genuine event, but something else in its place
	}
	found := "a copy whose signature does not hold"
	if !j.Intact() {
		found = "a copy whose content gives " + j.Computed.String()
	} else if j.owner != pinned {
		found = "a copy under key " + j.KeyID
	}
	code := finding.AlteredCopy
	lossy, err := n.judge.lossy(ctx, j, valid)
	if err != nil {
		return err
	}
	if lossy {
		code = finding.LossyCopy
	}
	return n.noteFaults(ctx, defect{code, valid[0].logHash().String(), found, ""}, j.Event)
}

// noteUnconnected notes the unconnected events, once the log turned out to end
// before them.
func (n *notebook) noteUnconnected(ctx context.Context, u *unattested) error {
	for i, s := range u.strays.signed {
		f := finding.Finding{Code: finding.Unconnected, Sequence: s.First, LastSequence: s.Last,
			Expected: "time for the events between, another event or an anchor that names it, or a second source",
			Found:    "none of these: the log ends with event " + strconv.FormatUint(u.was.last.Sequence, 10)}
		if err := n.noteFinding(ctx, f, u.firsts[i].Event); err != nil {
			return err
		}
	}
	return nil
}
