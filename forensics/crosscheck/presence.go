package crosscheck

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/forensics/loss"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// readLogs goes once over every log: along its hashes, and over what each store
// holds of it.
func (x *checker) readLogs(ctx context.Context) error {
	for _, log := range sorted(x.logs) {
		if err := x.readLog(ctx, log); err != nil {
			return err
		}
	}
	return nil
}

func (x *checker) readLog(ctx context.Context, log logName) error {
	anchors := x.checkpoints[log]
	if r := x.reports[log]; r != nil {
		anchors = r.anchors
	}
	s := newSpine(log, highest(slices.Clone(anchors)))
	x.spines[log] = s
	bodies, err := x.c.Bodies()
	if err != nil {
		return err
	}
	defer bodies.Close()
	m := &matrix{x: x, log: log, stores: make([]holding, len(x.stores.stores)), bodies: bodies}
	next, stop := iter.Pull2(x.c.Presence(ctx, x.logs[log]))
	defer stop()
	m.next = next
	m.advance()
	m.own = x.ownJournals(log)
	var copies []store.Event
	for e, err := range x.c.Events(ctx, x.logs[log], 1, math.MaxInt64) {
		if err != nil {
			return err
		}
		if len(copies) > 0 && copies[0].Link.Sequence != e.Link.Sequence {
			s.add(copies)
			if err := m.add(ctx, copies); err != nil {
				return err
			}
			copies = copies[:0]
		}
		copies = append(copies, e)
	}
	s.add(copies)
	if err := m.add(ctx, copies); err != nil {
		return err
	}
	if log.isTenant() && slices.ContainsFunc(copies, func(e store.Event) bool { return x.holds(log, e) }) {
		s.anchor(s.last, copies[0].OccurredAt)
	}
	s.end()
	m.result.Unsound = s.unsound
	return m.close(ctx)
}

// mostRows bounds the stretches of one log that are listed.
const mostRows = 1000

// matrix is which store holds what of one log.
type matrix struct {
	x      *checker
	log    logName
	next   func() (store.Presence, error, bool)
	head   store.Presence
	err    error
	more   bool
	result Log
	row    Stretch // that is not in the result yet; its First is 0 if there is none
	stores []holding
	bodies *store.Bodies
	shared bool // some event is in more than one store
	own    own
}

// holding is what one store has shown so far.
type holding struct {
	seen    bool
	lacking run // events that it lacks, but may still be past the end of
	altered run
}

// run is events of which the same is to be said. Between those that a store
// lacks there may be some that no store holds.
type run struct {
	first, last uint64
	events      int64
	others      uint64 // the stores that hold them, genuine
	ref         store.Ref
}

func (r *run) add(n uint64, others uint64, ref store.Ref) {
	if r.events == 0 {
		r.first, r.ref = n, ref
	}
	r.last = n
	r.events++
	r.others |= others
}

func (m *matrix) advance() { m.head, m.err, m.more = m.next() }

// add takes in the copies of the next sequence.
func (m *matrix) add(ctx context.Context, copies []store.Event) error {
	index := make(map[store.Ref]int, len(copies))
	for i := range copies {
		index[copies[i].Ref] = i
	}
	held := make([]uint64, len(copies)) // the stores of each copy
	for m.more && m.err == nil && m.head.Sequence <= copies[0].Link.Sequence {
		if i, ok := index[m.head.Ref]; ok {
			held[i] |= m.x.held[m.head.Container]
			m.own.see(m.head.Container)
		}
		m.advance()
	}
	if m.err != nil {
		return m.err
	}
	if err := m.ownLack(ctx, copies, held); err != nil {
		return err
	}
	states, genuine, err := m.states(ctx, copies, held)
	if err != nil {
		return err
	}
	if err := m.runs(ctx, copies[0], states, genuine); err != nil {
		return err
	}
	m.list(copies[0].Link.Sequence, states)
	for i, state := range states {
		m.x.result.Stores[i].count(state, genuine&^(1<<i) != 0)
	}
	return nil
}

// states says what each store holds of a sequence. Only where there are several
// copies is one of them held against its signature. It also returns the stores
// that hold what may be taken for genuine.
func (m *matrix) states(ctx context.Context, copies []store.Event, held []uint64) (states []State, genuine uint64, err error) {
	valid, several := make([]bool, len(copies)), len(copies) > 1
	sound := 0
	for i, e := range copies {
		valid[i] = !several || m.x.holds(m.log, e)
		if valid[i] {
			sound++
		}
	}
	states = make([]State, len(m.stores))
	for i := range states {
		states[i] = Absent
	}
	for i, e := range copies {
		state := Present
		switch {
		case valid[i] && sound == 1:
			genuine |= held[i]
		case e.Fidelity == store.Lossy && !valid[i]:
			state, err = m.lossy(ctx, e, copies, valid)
		case sound == 1:
			state = Altered
		default:
			state = Differs
		}
		if err != nil {
			return nil, 0, err
		}
		for j := range states {
			if held[i]>>j&1 == 1 {
				states[j] = heavier(states[j], state)
			}
		}
	}
	return states, genuine, nil
}

// lossy says what a store holds that holds a copy of which a transport lost
// something: if a genuine one is here, that one without what was lost, or an
// altered one.
func (m *matrix) lossy(ctx context.Context, e store.Event, copies []store.Event, valid []bool) (State, error) {
	if !slices.Contains(valid, true) {
		return Lossy, nil
	}
	copied, err := m.bodies.Line(ctx, e)
	if err != nil {
		return "", err
	}
	sound := 0
	for i, v := range copies {
		if !valid[i] {
			continue
		}
		sound++
		genuine, err := m.bodies.Line(ctx, v)
		if err != nil || loss.Explains(genuine, copied) {
			return Lossy, err
		}
	}
	if sound > 1 {
		return Differs, nil
	}
	return Altered, nil
}

// heavier returns the state that says more about a store that holds two copies.
func heavier(a, b State) State {
	order := []State{Absent, Lossy, Present, Differs, Altered}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// runs goes on with what each store lacks, and holds altered.
func (m *matrix) runs(ctx context.Context, e store.Event, states []State, genuine uint64) error {
	n := e.Link.Sequence
	m.shared = m.shared || bits.OnesCount64(genuine) > 1
	for i := range states {
		s := &m.stores[i]
		if states[i] == Absent {
			if s.seen && genuine != 0 && m.own.stores>>i&1 == 0 { // of a journal more is to be said
				s.lacking.add(n, genuine, e.Ref)
			}
		} else {
			if err := m.flush(ctx, i, &s.lacking, finding.SourceDisagrees); err != nil {
				return err
			}
			s.seen = true
		}
		altered := states[i] == Altered && genuine&^(1<<i) != 0
		if !altered || n != s.altered.last+1 {
			if err := m.flush(ctx, i, &s.altered, finding.SourceAltered); err != nil {
				return err
			}
		}
		if altered {
			s.altered.add(n, genuine&^(1<<i), e.Ref)
			m.shared = true
		}
	}
	return nil
}

// flush makes a finding of a run of events that a store lacks or holds altered.
func (m *matrix) flush(ctx context.Context, i int, r *run, code finding.Code) error {
	if r.events == 0 {
		return nil
	}
	what := "lacking"
	if code == finding.SourceDisagrees {
		m.x.result.Stores[i].Lacking += r.events
	}
	if code == finding.SourceAltered {
		what = "altered"
	}
	f := finding.Finding{Code: code, TenantID: m.log.tenantID, LogID: m.log.logID, Sequence: r.first, LastSequence: r.last,
		Expected: "what is in " + m.names(r.others), Found: fmt.Sprintf("%d %s in %s", r.events, what, m.x.stores.stores[i].Name)}
	ref := r.ref
	*r = run{}
	return m.x.note(ctx, f, ref)
}

func (m *matrix) names(stores uint64) string {
	var names []string
	for i, s := range m.x.stores.stores {
		if stores>>i&1 == 1 {
			names = append(names, s.Name)
		}
	}
	return strings.Join(names, ", ")
}

// list adds a sequence to the stretches.
func (m *matrix) list(n uint64, states []State) {
	if m.row.First > 0 && m.row.Last == n-1 && slices.Equal(m.row.Stores, states) {
		m.row.Last = n
		return
	}
	m.closeRow()
	m.row = Stretch{First: n, Last: n, Stores: states}
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

// close ends the log. What a store lacks at its end it may not have been given
// yet, and is no finding.
func (m *matrix) close(ctx context.Context) error {
	m.closeRow()
	for i := range m.stores {
		if err := m.flush(ctx, i, &m.stores[i].altered, finding.SourceAltered); err != nil {
			return err
		}
	}
	if err := m.ownClose(ctx); err != nil {
		return err
	}
	if m.shared {
		m.x.compared++
	}
	m.result.TenantID, m.result.LogID = m.log.tenantID, m.log.logID
	m.x.result.Presence = append(m.x.result.Presence, m.result)
	return nil
}
