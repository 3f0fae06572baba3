package crosscheck

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// EndsEarly is a source that ends before events that another one shows: it was made
// before them, or its end was cut off (SPEC 13.6). Store is "" for everything that is
// here of the log. Events counts the events that are shown above its last one. Behind
// is the time from the last event to the last that is shown, in milliseconds.
type EndsEarly struct {
	TenantID string `json:"tenant_id"`
	LogID    string `json:"log_id"`
	Store    string `json:"store,omitempty"`
	Path     string `json:"path,omitempty"` // of the log's own journal, if it is one
	Last     uint64 `json:"last_sequence"`
	LastAt   string `json:"last_at"`
	Shown    uint64 `json:"shown_sequence"`
	ShownAt  string `json:"shown_at"`
	ShownBy  string `json:"shown_by"`
	Events   uint64 `json:"events"`
	Behind   int64  `json:"behind_ms"`
}

// During sets the times of the last event and of the last that is shown.
func (e EndsEarly) During(last, shown int64) EndsEarly {
	e.LastAt, e.ShownAt = form.FormatMillis(last), form.FormatMillis(shown)
	e.Behind = max(0, shown-last)
	return e
}

// Text describes for people a source that ends early.
func (e EndsEarly) Text() string {
	what := "all that is here"
	if name := cmp.Or(e.Path, e.Store); name != "" {
		what = safetext.Quote(name)
	}
	return fmt.Sprintf("%s of %s ends early, with event %d of %d: %s fewer and %s less than %s.", what,
		safetext.Quote(e.LogID), e.Last, e.Shown, safetext.Count(e.Events, "event"),
		time.Duration(e.Behind)*time.Millisecond, safetext.Quote(e.ShownBy))
}

// ending is a store that may end early, with the known facts about the events above.
type ending struct {
	store   int
	lastAt  int64
	missing extent // above its last event
	shownAt int64  // when the last of them occurred
	due     extent // of them, those that were there when the store was collected
}

// ends returns which stores end before a genuine event of the log. One pass goes over
// the events from the earliest end on.
func (m *matrix) ends(ctx context.Context) error {
	var early []*ending
	from := m.top
	for i := range m.stores {
		// An excerpt never had the rest.
		if s := &m.stores[i]; s.last > 0 && s.last < m.top && m.h.stores.stores[i].Rule != Excerpts {
			early = append(early, &ending{store: i})
			from = min(from, s.last)
		}
	}
	if len(early) == 0 {
		return nil
	}
	limit, done := m.h.collected.limitOf(m.log), uint64(0)
	for p, err := range m.h.in.Placed(ctx, m.log, from, m.top) {
		if err != nil {
			return err
		}
		if p.Link.Sequence == done {
			continue
		}
		held, err := m.h.isGenuine(m.log, p.Event)
		if err != nil {
			return err
		}
		if held {
			done = p.Link.Sequence
		}
		m.above(early, p.Event, m.h.holders(p.Containers), held, limit)
	}
	for _, e := range early {
		if err := m.endsEarly(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// above adds a copy of an event at or above the ends of some stores.
func (m *matrix) above(early []*ending, e *facts.Event, holders storeSet, held bool, limit int64) {
	n := e.Link.Sequence
	one := span{first: n, last: n, ref: e.Ref}
	for _, end := range early {
		switch last := m.stores[end.store].last; {
		case n == last && (held || end.lastAt == 0):
			end.lastAt = e.OccurredAt
		case n > last && held:
			end.missing.addSpan(one, holders)
			end.shownAt = e.OccurredAt
			if e.OccurredAt <= limit {
				end.due.addSpan(one, holders)
			}
		}
	}
}

// endsEarly reports that a store ends early. It is a fault if by the user's word the store was
// collected after the events. A log's own journal has further rules.
func (m *matrix) endsEarly(ctx context.Context, e *ending) error {
	if e.missing.events == 0 {
		return nil
	}
	s := &m.h.result.Stores[e.store]
	s.Ends += e.missing.events
	m.h.result.EndsEarly = append(m.h.result.EndsEarly, EndsEarly{TenantID: m.log.TenantID, LogID: m.log.LogID,
		Store: s.Name, Last: m.stores[e.store].last, Shown: e.missing.last, ShownBy: m.h.firstStore(e.missing.others),
		Path: m.ownPath(e.store), Events: uint64(e.missing.events)}.During(e.lastAt, e.shownAt))
	if e.due.events == 0 || m.own.stores.has(e.store) {
		return nil
	}
	s.Lacking += e.due.events
	return m.h.addFinding(ctx, finding.Finding{Code: finding.SourceDisagrees, TenantID: m.log.TenantID, LogID: m.log.LogID,
		Sequence: e.due.first, LastSequence: e.due.last, Store: s.Name,
		Expected: "what is in " + m.h.storeNames(e.due.others),
		Found: fmt.Sprintf("%d lacking at the end of %s, which was collected after they were written", e.due.events,
			s.Name)}, e.due.ref)
}

// ownPath returns where a store has the end of the log's own journal, "" if it has none.
func (m *matrix) ownPath(store int) string {
	for _, c := range m.own.copies {
		for _, p := range c.parts {
			if m.h.held[p.container].has(store) && c.last == m.stores[store].last {
				return p.path
			}
		}
	}
	return ""
}

// witnessedBeyond reports that all sources of a tenant log end before events that nodes
// witnessed. It is a fault if by the user's word the log was collected after a quorum of them
// had done so: a lone node may have made its head up.
func (w *witnesses) witnessedBeyond(ctx context.Context, log facts.Log, s *spine) error {
	all, top, due := 0, seenHead{}, []seenHead{}
	for _, node := range w.vouchers[log] {
		if node.beyond.sequence > s.last {
			all++
			top.raise(node.beyond)
		}
		if node.due.sequence > s.last {
			due = append(due, node.due)
		}
	}
	if all == 0 {
		return nil
	}
	by := fmt.Sprintf("the journals of %d nodes, which witnessed it", all)
	w.result.EndsEarly = append(w.result.EndsEarly, EndsEarly{TenantID: log.TenantID, LogID: log.LogID, Last: s.last,
		Shown: top.sequence, ShownBy: by, Events: top.sequence - s.last}.During(s.lastAt, top.at))
	need := w.quorum()
	if _, beyond := w.walked(log); len(due) < need || beyond > s.last {
		return nil
	}
	f := finding.Finding{Code: finding.TailTruncated, TenantID: log.TenantID, LogID: log.LogID, Sequence: s.last + 1,
		Found: fmt.Sprintf("event %d as the last of a log that was collected after that", s.last)}
	nth := nthHighest(due, need)
	f.LastSequence = nth.sequence
	f.Expected = fmt.Sprintf("event %d, %s, by checkpoint.witnessed in the journals of %d nodes", nth.sequence, nth.hash,
		len(due))
	return w.addFinding(ctx, f, nth.ref)
}
