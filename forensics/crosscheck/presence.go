package crosscheck

import (
	"context"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// mostRows bounds the stretches of one log that are listed.
const mostRows = 1000

// matrix records which store holds which events of one log.
type matrix struct {
	h      *holdings
	log    facts.Log
	result Log
	row    Stretch // that is not in the result yet; its First is 0 if there is none
	stores []holding
	top    uint64 // the last sequence with a genuine event in a store
	shared bool   // some event is in more than one store
	own    own
	again  *again         // nil until it is needed
	seen   map[int64]bool // containers that hold an event of the log below
	gapped storeSet       // the stores that lack events between two that they have

	// Of the sequences that are looked at: the state of each store, and the stores that hold a
	// copy that may be taken for genuine.
	states  []State
	genuine storeSet
}

// holding is the state of one store so far.
type holding struct {
	last    uint64 // that it holds, 0 if nothing yet
	skipped bool   // others hold events above the last
	lacking extent // events that it lacks, but may still be past the end of
	altered extent
}

// extent is events with the same result. Between the ones that a store lacks there may be some
// that no store holds.
type extent struct {
	first, last uint64
	events      int64
	others      storeSet // that hold them, genuine
	ref         facts.Ref
}

func (r *extent) addSpan(s span, others storeSet) {
	if r.events == 0 {
		r.first, r.ref = s.first, s.ref
	}
	r.last = s.last
	r.events += int64(s.last-s.first) + 1
	r.others = r.others.union(others)
}

// addSpan adds the next sequences.
func (m *matrix) addSpan(ctx context.Context, s span) error {
	m.noteStates(s.makeup)
	if err := m.ownSpan(ctx, s); err != nil {
		return err
	}
	if err := m.extents(ctx, s); err != nil {
		return err
	}
	for _, c := range s.makeup.containers() {
		m.seen[c] = true
	}
	m.addStretch(s)
	for i, state := range m.states {
		m.h.result.Stores[i].countCopies(state, m.genuine.hasOther(i), int64(s.last-s.first)+1)
	}
	return nil
}

// noteStates notes each store's state at a sequence with such copies.
func (m *matrix) noteStates(p *makeup) {
	m.states, m.genuine = m.states[:0], storeSet{}
	for range m.stores {
		m.states = append(m.states, Absent)
	}
	for _, k := range p.kinds {
		held := m.h.holders(k.containers)
		if k.genuine {
			m.genuine = m.genuine.union(held)
		}
		for i := range held.all() {
			m.states[i] = worseState(m.states[i], k.state)
		}
	}
}

// worseState returns the more severe state of a store that holds two copies.
func worseState(a, b State) State {
	order := []State{Absent, Lossy, Present, Differs, Altered}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// extents continues the missing and altered extents of each store.
func (m *matrix) extents(ctx context.Context, one span) error {
	holders := m.genuine.count()
	if holders > 0 {
		m.top = one.last
	}
	m.shared = m.shared || holders > 1
	for i, state := range m.states {
		s := &m.stores[i]
		if state == Absent {
			s.skipped = s.skipped || s.last > 0 && holders > 0
			if s.last > 0 && holders > 0 && !m.own.stores.has(i) { // of a journal more is to be said
				s.lacking.addSpan(one, m.genuine)
			}
		} else {
			if err := m.lacked(ctx, i, hold{s.last, one.first}, one.makeup); err != nil {
				return err
			}
			if s.skipped {
				m.gapped, s.skipped = m.gapped.union(setOf(i)), false
			}
			s.last = one.last
		}
		altered := state == Altered && m.genuine.hasOther(i)
		if !altered || one.first != s.altered.last+1 {
			if err := m.writeFinding(ctx, i); err != nil {
				return err
			}
		}
		if altered {
			s.altered.addSpan(one, m.genuine.without(i))
			m.shared = true
		}
	}
	return nil
}

// lacked makes a finding of events that a store lacks between two that it has, unless they may
// be in its unread part. It is held back until it is known whether the store is an excerpt.
func (m *matrix) lacked(ctx context.Context, i int, at hold, p *makeup) error {
	r := m.stores[i].lacking
	m.stores[i].lacking = extent{}
	if r.events == 0 || m.h.stores.stores[i].Rule == Excerpts || m.betweenExcerpts(m.h.fileSets[i], p) {
		return nil
	}
	if unread, err := m.mayBeUnread(ctx, m.h.readings[i], at); unread || err != nil {
		return err
	}
	m.h.heldBack[i].holdFinding(m.finding(i, &r, finding.SourceDisagrees, "lacking"), r.events, r.ref)
	return nil
}

// finding makes a finding of a store's events.
func (m *matrix) finding(i int, r *extent, code finding.Code, what string) finding.Finding {
	name := m.h.stores.stores[i].Name
	return finding.Finding{Code: code, TenantID: m.log.TenantID, LogID: m.log.LogID, Sequence: r.first,
		LastSequence: r.last, Store: name, Expected: "what is in " + m.h.storeNames(r.others),
		Found: fmt.Sprintf("%d %s in %s", r.events, what, name)}
}

// writeFinding makes a finding of events that a store holds altered.
func (m *matrix) writeFinding(ctx context.Context, i int) error {
	r := &m.stores[i].altered
	if r.events == 0 {
		return nil
	}
	f := m.finding(i, r, finding.SourceAltered, "altered")
	*r = extent{}
	refs, err := m.bad(ctx, i, f.Sequence)
	if err != nil {
		return err
	}
	return m.h.addFinding(ctx, f, refs...)
}

// mostBad bounds the copies of one event that are shown.
const mostBad = 4

// bad returns the first copies of an event in a store that are not genuine.
func (m *matrix) bad(ctx context.Context, i int, sequence uint64) ([]facts.Ref, error) {
	var refs []facts.Ref
	for p, err := range m.h.in.Placed(ctx, m.log, sequence, sequence) {
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(p.Containers, func(c int64) bool { return m.h.held[c].has(i) }) {
			continue
		}
		if held, err := m.h.isGenuine(m.log, p.Event); err != nil {
			return nil, err
		} else if !held {
			refs = append(refs, p.Ref)
		}
		if len(refs) == mostBad {
			break
		}
	}
	return refs, nil
}

// addStretch adds sequences to the stretches.
func (m *matrix) addStretch(s span) {
	if m.row.First > 0 && m.row.Last == s.first-1 && slices.Equal(m.row.Stores, m.states) {
		m.row.Last = s.last
		return
	}
	m.closeRow()
	m.row = Stretch{First: s.first, Last: s.last, Stores: slices.Clone(m.states)}
}

func (m *matrix) closeRow() {
	switch {
	case m.row.First == 0:
	case len(m.result.Stretches) < mostRows:
		m.result.Stretches = append(m.result.Stretches, m.row)
	default:
		m.result.Omitted++
	}
	m.row = Stretch{}
}

// endLog ends the log. A store may not have received the events at its end yet, so their
// absence is no finding unless the user stated when it was collected.
func (m *matrix) endLog(ctx context.Context) error {
	m.closeRow()
	for i := range m.stores {
		if err := m.writeFinding(ctx, i); err != nil {
			return err
		}
	}
	if err := m.ends(ctx); err != nil {
		return err
	}
	if err := m.ownClose(ctx); err != nil {
		return err
	}
	if m.shared {
		m.h.compared++
	}
	m.result.TenantID, m.result.LogID = m.log.TenantID, m.log.LogID
	for _, h := range m.h.histories[m.log] {
		one := History{Sequence: h.Sequence, Hash: h.Hash, Stores: []string{}, Files: m.h.filesOf(h.containers)}
		for i, s := range m.h.result.Stores {
			if slices.ContainsFunc(h.containers, func(c int64) bool { return m.h.held[c].has(i) }) {
				one.Stores = append(one.Stores, s.Name)
			}
		}
		m.result.Histories = append(m.result.Histories, one)
	}
	m.h.result.Presence = append(m.h.result.Presence, m.result)
	return nil
}
