package crosscheck

import (
	"context"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// witnessed is the newest head that a journal witnesses.
type witnessed struct {
	sequence uint64
	head     chain.Hash
	event    uint64 // of the journal
	ref      facts.Ref
}

// witnesses compares the heads that nodes witnessed with each other and with the
// tenant log.
type witnesses struct {
	*exam
	records *records
	newest  map[facts.Log]witnessed // by journal
	heads   []statement             // that wait to be compared
	others  map[witnessedHead][]contradicting
	kept    int // of these

	collected collected
	walked    func(facts.Log) (whole, beyond uint64) // nil to leave out up to where logs are complete
	vouchers  map[facts.Log]map[string]*voucher      // by tenant log and node
}

// addWitnessing adds an event in which its node witnessed a checkpoint. A node never witnesses less
// than it has witnessed, nor another head (SPEC 5.2).
func (w *witnesses) addWitnessing(ctx context.Context, s *statement) error {
	before, now := w.newest[s.log], witnessed{s.said.Sequence, s.said.Head, s.Link.Sequence, s.Ref}
	if s.said.Sequence < before.sequence || s.said.Sequence == before.sequence && s.said.Head != before.head {
		f := finding.Finding{Code: finding.WitnessRegressed, TenantID: s.log.TenantID, LogID: s.log.LogID,
			Sequence: s.Link.Sequence, LastSequence: s.Link.Sequence,
			Expected: fmt.Sprintf("event %d of the tenant log with head %s, as event %d of this journal witnesses, or a "+
				"later one", before.sequence, before.head, before.event),
			Found: fmt.Sprintf("event %d with head %s", s.said.Sequence, s.said.Head)}
		if err := w.addFinding(ctx, f, s.Ref, before.ref); err != nil {
			return err
		}
	} else {
		w.newest[s.log] = now
	}
	return w.compareLater(ctx, s)
}

// mostHeads bounds the heads that wait to be compared with the tenant log. The
// events of many are read together: nodes witness neighbours at about one time.
const mostHeads = 1024

// compareLater compares a head that a node witnessed with the tenant log, sooner or
// later.
func (w *witnesses) compareLater(ctx context.Context, s *statement) error {
	if w.heads = append(w.heads, *s); len(w.heads) < mostHeads {
		return nil
	}
	return w.compareWaiting(ctx)
}

// compareWaiting compares the heads that wait, all of one tenant, with the tenant
// log that is here.
func (w *witnesses) compareWaiting(ctx context.Context) error {
	if len(w.heads) == 0 {
		return nil
	}
	here, err := w.headsOf(ctx, facts.TenantLog(w.heads[0].log.TenantID))
	if err != nil {
		return err
	}
	for i := range w.heads {
		if err := w.compareOne(ctx, &w.heads[i], here[w.heads[i].said.Sequence]); err != nil {
			return err
		}
	}
	w.heads = w.heads[:0]
	return nil
}

func (w *witnesses) compareOne(ctx context.Context, s *statement, here heads) error {
	log := facts.TenantLog(s.log.TenantID)
	if here.copies == 0 {
		w.vouch(log, s, false)
	}
	if len(here.events) == 0 || here.crowded {
		return nil
	}
	w.compared++
	if slices.ContainsFunc(here.events, func(e facts.Event) bool { return e.Recorded == s.said.Head }) {
		w.vouch(log, s, true)
		return nil
	}
	return w.contradicted(ctx, s, &here.events[0])
}

// mostCompared bounds the copies of one event that a witnessed head is compared
// with.
const mostCompared = 256

// heads are the copies of one event that its log's owner signed.
type heads struct {
	copies  int
	events  []facts.Event
	crowded bool // there are too many copies to say
}

// mostBetween bounds the events between two that are wanted which are read with
// them: looking a new place up costs about as much.
const mostBetween = 32

// headsOf returns the genuine copies of the events that the waiting heads name,
// by sequence.
func (w *witnesses) headsOf(ctx context.Context, log facts.Log) (map[uint64]heads, error) {
	all := map[uint64]heads{}
	var wanted []uint64
	for i := range w.heads {
		wanted = append(wanted, w.heads[i].said.Sequence)
	}
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	for i := 0; i < len(wanted); {
		end := i + 1
		for end < len(wanted) && wanted[end]-wanted[end-1] <= mostBetween {
			end++
		}
		if err := w.addHeads(ctx, log, wanted[i:end], all); err != nil {
			return nil, err
		}
		i = end
	}
	return all, nil
}

// addHeads adds the heads of some sequences.
func (w *witnesses) addHeads(ctx context.Context, log facts.Log, wanted []uint64,
	all map[uint64]heads) error {
	for e, err := range w.in.Events(ctx, log, wanted[0], wanted[len(wanted)-1]) {
		if err != nil {
			return err
		}
		n := e.Link.Sequence
		for wanted[0] < n {
			wanted = wanted[1:]
		}
		h := all[n]
		if wanted[0] != n || h.crowded {
			continue
		}
		h.copies++
		if h.crowded = h.copies > mostCompared; !h.crowded {
			held, err := w.isGenuine(log, e)
			if err != nil {
				return err
			}
			if held {
				h.events = append(h.events, *e)
			}
		}
		all[n] = h
	}
	return nil
}
