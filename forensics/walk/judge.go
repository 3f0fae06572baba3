package walk

import (
	"cmp"
	"context"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/trust"
)

// ownership describes a copy's key by the trust file.
type ownership uint8

const (
	unpinned    ownership = iota // no pinned key of the log's role
	pinned                       // a key of the log's owner
	ofOtherNode                  // a pinned node key, of another node
)

// judge reads the copies of one log's events and judges each by itself: against
// its hash and its key. It is safe for concurrent use.
type judge struct {
	*Judge
	reader   Reader
	log      facts.Log
	anchors  anchors // of the log, in order
	anchored []uint64
}

// judgeOf returns the judge of another log, whose anchors are given in order.
func (g judge) judgeOf(log facts.Log, all anchors) *judge {
	g.log, g.anchors, g.anchored = log, all, all.sequences()
	return &g
}

// judged is a copy of an event that was checked against itself and its key, or that the reader
// had judged.
type judged struct {
	facts.Event
	owner ownership
	key   *trust.Key // if pinned
	named bool       // of a crowd: the next event or an anchor names its content
}

// logHash is the hash that the event has in its log: the signed one, if any.
func (j *judged) logHash() chain.Hash {
	if j.Signed == event.OverContent {
		return j.Computed
	}
	return j.Recorded
}

// isSigned reports whether the signature holds for one of the hashes.
func (j *judged) isSigned() bool {
	return j.Signed == event.OverContent || j.Signed == event.OverRecorded
}

// hashBelieved reports whether a link to this event may be compared with hash.
func (j *judged) hashBelieved() bool {
	return j.isSigned() || j.owner == unpinned && j.Intact()
}

// contentBelieved reports whether the links and the time in this copy may be
// compared with other events.
func (j *judged) contentBelieved() bool {
	return j.Signed == event.OverContent || j.owner == unpinned && j.Intact()
}

// chainEvent is the event as it goes into a segment.
func (j *judged) chainEvent() chain.Event { return chain.Event{Link: j.Link, Recorded: j.logHash()} }

// rank orders invalid copies: the higher, the more of it is believed.
func (j *judged) rank() int {
	switch {
	case j.Valid():
		return 4
	case j.Signed == event.OverContent:
		return 3
	case j.Signed == event.OverRecorded:
		return 2
	case j.hashBelieved():
		return 1
	}
	return 0
}

// foremostCopy returns the copy that represents its sequence: the one with the highest rank; of
// these one that something names, or else the first.
func foremostCopy(copies []judged) *judged {
	best := &copies[0]
	for i := range copies {
		j := &copies[i]
		if d := cmp.Compare(j.rank(), best.rank()); d > 0 || d == 0 && j.named && !best.named {
			best = j
		}
	}
	return best
}

// defect is one thing that is wrong with a copy by itself.
type defect struct {
	code            finding.Code
	expected, found string
	explanation     string
}

// defects returns everything that is wrong with a copy of an event of a log by
// itself.
func (j *judged) defects(log facts.Log) []defect {
	var all []defect
	if !j.Intact() {
		all = append(all, j.mismatch())
	}
	switch {
	case j.owner == unpinned:
		all = append(all, defect{finding.KeyUnknown, "a pinned " + nameOwner(log), "key " + j.KeyID, ""})
	case j.owner == ofOtherNode:
		all = append(all, defect{finding.KeyOfOtherNode, "a pinned " + nameOwner(log), "key " + j.KeyID, ""})
	case !j.isSigned():
		all = append(all, defect{finding.SignatureInvalid, "a signature by key " + j.KeyID + " of " + j.Computed.String(),
			"one that does not verify", ""})
	}
	return all
}

// mismatch returns how the content and the recorded hash part, and which of the
// two the owner signed.
func (j *judged) mismatch() defect {
	d := defect{code: finding.HashMismatch, expected: j.Recorded.String() + " as recorded",
		found: j.Computed.String() + " by its content"}
	if !j.Faithful() && j.Signed != event.OverContent {
		d.code = finding.HashMismatchLossy
	}
	switch j.Signed {
	case event.OverContent:
		d.explanation = "The signature holds for the content: only the recorded hash was changed."
	case event.OverRecorded:
		d.explanation = "The signature holds for the recorded hash: the body or a link was changed after it was signed."
	}
	return d
}

// nameOwner names the keys that may sign the events of a log (SPEC 3.3).
func nameOwner(log facts.Log) string {
	if node, ok := log.Node(); ok {
		return "key of node " + node
	}
	return "audit key"
}

// ownerOf returns who signs the events of a log.
func ownerOf(log facts.Log) trust.Signatory {
	if node, ok := log.Node(); ok {
		return trust.Signatory{Role: trust.Node, Node: node}
	}
	return trust.Signatory{Role: trust.Audit}
}

// lossy reports whether a copy differs from a valid one only by the losses of a transport.
func (g *judge) lossy(ctx context.Context, j *judged, valid []*judged) (bool, error) {
	if j.Faithful() || j.Intact() {
		return false, nil
	}
	for _, v := range valid {
		if v.logHash() != j.Recorded {
			continue
		}
		if explains, err := g.reader.Explains(ctx, g.log, v.Event, j.Event); explains || err != nil {
			return err == nil, err
		}
	}
	return false, nil
}
