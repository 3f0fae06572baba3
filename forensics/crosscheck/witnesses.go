package crosscheck

import (
	"context"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// witnessed is the newest head that a journal witnesses.
type witnessed struct {
	sequence uint64
	head     chain.Hash
	event    uint64 // of the journal
	ref      store.Ref
}

// takeWitness takes in an event that says that its node witnessed a checkpoint. A
// node never witnesses less than it has witnessed, nor another head (SPEC 5.2).
func (x *checker) takeWitness(ctx context.Context, s statement) error {
	before, now := x.witnessed[s.log], witnessed{s.sequence, s.head, s.Link.Sequence, s.Ref}
	if s.sequence < before.sequence || s.sequence == before.sequence && s.head != before.head {
		f := finding.Finding{Code: finding.WitnessRegressed, TenantID: s.log.tenantID, LogID: s.log.logID, Sequence: s.Link.Sequence, LastSequence: s.Link.Sequence,
			Expected: fmt.Sprintf("event %d of the tenant log with head %s, as event %d of this journal witnesses, or a later one", before.sequence, before.head, before.event),
			Found:    fmt.Sprintf("event %d with head %s", s.sequence, s.head)}
		if err := x.note(ctx, f, s.Ref, before.ref); err != nil {
			return err
		}
	} else {
		x.witnessed[s.log] = now
	}
	return x.compareHead(ctx, s)
}

// compareHead holds a head that a node witnessed against the tenant log that is
// here.
func (x *checker) compareHead(ctx context.Context, s statement) error {
	log := tenantLog(s.log.tenantID)
	here, err := x.headsAt(ctx, log, s.sequence)
	if err != nil || len(here.events) == 0 || here.crowded {
		return err
	}
	x.compared++
	if slices.ContainsFunc(here.events, func(e store.Event) bool { return e.Recorded == s.head }) {
		return nil
	}
	genuine := here.events[0]
	f := finding.Finding{Code: finding.WitnessOtherHistory, TenantID: s.log.tenantID, LogID: s.log.logID, Sequence: s.Link.Sequence, LastSequence: s.Link.Sequence,
		Expected: fmt.Sprintf("head %s, as event %d of %s, under key %s", genuine.Recorded, s.sequence, log.logID, genuine.KeyID),
		Found:    fmt.Sprintf("head %s, under key %s", s.head, s.KeyID)}
	if known, ok := x.subjects[s.digest]; ok && known.kind == aCheckpoint && known.sequence == s.sequence && known.head == s.head {
		f.Explanations = []string{fmt.Sprintf("A split view is proven: audit key %s signed the checkpoint of that head, which is here.", known.keyID)}
	} else {
		f.Explanations = []string{fmt.Sprintf("No statement of that head by an audit key is here. So the holder of node key %s may have made it up, "+
			"or the holder of audit key %s showed this node another history.", s.KeyID, genuine.KeyID)}
	}
	return x.note(ctx, f, s.Ref, genuine.Ref)
}

// mostCompared bounds the copies of one event that a witnessed head is held
// against.
const mostCompared = 256

// heads are the copies of one event that its log's owner signed. Many nodes
// witness the same one, one soon after the other.
type heads struct {
	log      logName
	sequence uint64
	events   []store.Event
	crowded  bool // there are too many copies to say
}

// headsAt returns the genuine copies of an event.
func (x *checker) headsAt(ctx context.Context, log logName, sequence uint64) (*heads, error) {
	h := &x.heads
	if h.log == log && h.sequence == sequence {
		return h, nil
	}
	*h = heads{log: log, sequence: sequence}
	in, ok := x.logs[log]
	if !ok {
		return h, nil
	}
	looked := 0
	for e, err := range x.c.Events(ctx, in, sequence, sequence) {
		if err != nil {
			return nil, err
		}
		if looked++; looked > mostCompared {
			h.crowded = true
			break
		}
		if x.holds(log, e) {
			h.events = append(h.events, e)
		}
	}
	return h, nil
}
