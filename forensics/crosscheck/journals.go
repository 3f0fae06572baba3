package crosscheck

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// A log's own journal was written by its owner (SPEC 13.6). All events in stores came out of
// it, so that it has to hold the events of any other source, from the first one on. Where the
// journal ends, it may have been copied earlier than the others.

// journals are the containers that count as a log's own journal, by the log's number, and
// their common events.
type journals struct {
	of         map[facts.Log][]part
	containers map[int64]evidence.SourceContainer
	overlap    *overlap
}

// journalsOf returns the journals among the parts.
func journalsOf(parts []part, containers []evidence.SourceContainer, o *overlap) *journals {
	j := &journals{map[facts.Log][]part{}, map[int64]evidence.SourceContainer{}, o}
	for _, c := range containers {
		j.containers[c.Container] = c
	}
	seen := map[int64]bool{}
	for _, p := range parts {
		if seen[p.container] || !p.journal {
			continue
		}
		seen[p.container] = true
		if log, ok := delivery.JournalOf(string(read.Journal), o.logs[p.container]); ok {
			j.of[log] = append(j.of[log], p)
		}
	}
	return j
}

// copyOf is one copy of a log's own journal: a file, the files of one folder or store, or
// several that have no event in common, as rotation leaves them.
type copyOf struct {
	parts   []part
	held    heldBack           // missing in its middle
	reading *reading           // of its parts; nil until it is needed
	fileSet *fileSet           // nil until it is needed
	empty   []finding.Evidence // in their place: the file that is empty
	here    []part             // that hold the sequence that is being looked at
	before  []part             // that hold the last one
	events  int64
	last    uint64 // that it holds
	head    lack   // before the first event that it holds
	lack    lack   // since the last one
}

// lack is events that a journal lacks and other sources have.
type lack struct {
	extent
	at       int64  // when the first of them occurred, milliseconds since 1970
	due      extent // of them, those that were there when the log was collected
	bundles  []string
	evidence []finding.Evidence
}

// own is the copies of the journal of one log.
type own struct {
	copies    []*copyOf
	of        map[int64]*copyOf // by container
	part      map[int64]part    // the same
	stores    storeSet          // that consist of them
	disclosed []*want           // by bundles, ascending by sequence, those that are still ahead
}

// ownJournals returns the copies of a log's own journal.
func (h *holdings) ownJournals(log facts.Log) own {
	o := own{of: map[int64]*copyOf{}, part: map[int64]part{}}
	if h.stores.own == nil {
		return o
	}
	parts := h.stores.own.of[log]
	for _, p := range parts {
		o.stores = o.stores.union(h.held[p.container])
		c := o.sameStore(h, p)
		if c == nil {
			c = o.goesOn(h, p, parts)
		}
		c.parts = append(c.parts, p)
		o.of[p.container], o.part[p.container] = c, p
	}
	if lost := h.emptyJournal(log); len(o.copies) == 0 && lost != nil {
		o.copies = append(o.copies, lost)
	}
	for _, w := range h.wants.list {
		if len(o.copies) > 0 && w.log == log && w.sequence > 0 {
			o.disclosed = append(o.disclosed, w)
		}
	}
	slices.SortStableFunc(o.disclosed, func(a, b *want) int { return cmp.Compare(a.sequence, b.sequence) })
	return o
}

// emptyJournal returns the journal of a log that holds nothing: an empty file with its owner's
// name, or one that was collected by the user's word. It is nil if neither was given.
func (h *holdings) emptyJournal(log facts.Log) *copyOf {
	for _, e := range h.empty {
		if walk.HasOwnersName(log.LogID, e) {
			return &copyOf{empty: []finding.Evidence{e}}
		}
	}
	if slices.Contains(CollectedLogs(h.collected), log.LogID) {
		return &copyOf{}
	}
	return nil
}

// sameStore returns the copy that a file is a part of because it lies in a folder or a
// store of its files, nil if there is none. Files of one store are one journal, however
// they overlap: as rotation, a retry or an excerpt leaves them.
func (o *own) sameStore(h *holdings, p part) *copyOf {
	for _, c := range o.copies {
		for _, other := range c.parts {
			if h.held[p.container].meets(h.held[other.container]) || folderOf(p.path) == folderOf(other.path) {
				return c
			}
		}
	}
	return nil
}

// goesOn returns the copy that a file elsewhere can continue: the first one that has no event
// in common with it, or else a new one. A file whose events are all in another one continues
// nothing.
func (o *own) goesOn(h *holdings, p part, all []part) *copyOf {
	shared, size := h.overlap.shared[p.container], h.overlap.size
	excerpt := slices.ContainsFunc(all, func(w part) bool {
		return shared[w.container] == size[p.container] && size[w.container] > size[p.container]
	})
	meets := map[*copyOf]bool{}
	for container := range shared {
		meets[o.of[container]] = true
	}
	if i := slices.IndexFunc(o.copies, func(c *copyOf) bool { return !meets[c] }); i >= 0 && !excerpt {
		return o.copies[i]
	}
	c := &copyOf{}
	o.copies = append(o.copies, c)
	return c
}

// see notes that a container holds the current sequence.
func (o *own) see(container int64) {
	if c := o.of[container]; c != nil {
		c.here = append(c.here, o.part[container])
	}
}

// ownSpan notes which copies of the journal hold some sequences.
func (m *matrix) ownSpan(ctx context.Context, s span) error {
	m.ownDisclosed(s.first)
	for len(m.own.disclosed) > 0 && m.own.disclosed[0].sequence <= s.last { // they are here
		m.own.disclosed = m.own.disclosed[1:]
	}
	for _, k := range s.makeup.kinds {
		for _, c := range k.containers {
			m.own.see(c)
		}
	}
	var without []*copyOf
	for _, c := range m.own.copies {
		if len(c.here) == 0 {
			without = append(without, c)
			continue
		}
		if err := m.ownHas(ctx, c, s); err != nil {
			return err
		}
		c.before, c.here = c.here, c.before[:0]
	}
	if len(without) == 0 {
		return nil
	}
	return m.ownLack(ctx, s, without)
}

// ownLack notes which sequences with a genuine event some copies of the journal lack.
func (m *matrix) ownLack(ctx context.Context, s span, without []*copyOf) error {
	limit, found := m.h.collected.atEnd(m.log), uint64(0) // the last sequence that was found
	for a := m.readAgain(ctx, s.first); a.more; a.readNext() {
		if a.err != nil {
			return a.err
		}
		p := a.head
		n := p.Link.Sequence
		if n > s.last {
			return nil
		}
		if n < s.first || n == found {
			continue
		}
		held, err := m.h.isGenuine(m.log, p.Event)
		if err != nil {
			return err
		}
		if !held {
			continue
		}
		found = n
		holders := m.h.holders(p.Containers)
		for _, c := range without {
			c.lack.addLacking(p.Event, holders, limit)
		}
	}
	return nil
}

func (l *lack) addLacking(e *facts.Event, stores storeSet, limit int64) {
	one := span{first: e.Link.Sequence, last: e.Link.Sequence, ref: e.Ref}
	l.addSpan(one, stores)
	if e.OccurredAt <= limit {
		l.due.addSpan(one, stores)
	}
	if l.at == 0 {
		l.at, l.ref = e.OccurredAt, e.Ref
	}
}

// ownDisclosed adds the events below a sequence that nothing but a bundle holds: it discloses
// them, and is a source of them.
func (m *matrix) ownDisclosed(below uint64) {
	for len(m.own.disclosed) > 0 && m.own.disclosed[0].sequence <= below {
		w := m.own.disclosed[0]
		m.own.disclosed = m.own.disclosed[1:]
		if w.sequence == below {
			continue
		}
		for _, c := range m.own.copies {
			c.lack.addSpan(span{first: w.sequence, last: w.sequence}, storeSet{})
			if m.h.collected.atEnd(m.log) == math.MaxInt64 {
				c.lack.due.addSpan(span{first: w.sequence, last: w.sequence}, storeSet{})
			}
			if !slices.Contains(c.lack.bundles, w.Bundle) && len(c.lack.bundles) < mostBundles {
				c.lack.bundles = append(c.lack.bundles, w.Bundle)
				c.lack.evidence = append(c.lack.evidence, w.evidence)
			}
		}
	}
}

// mostBundles bounds the bundles that one finding names.
const mostBundles = 4

// ownHas notes that a copy of the journal holds some events: earlier missing ones are at its
// head or in its middle.
func (m *matrix) ownHas(ctx context.Context, c *copyOf, s span) error {
	before, missing, last := c.events, c.lack, c.last
	c.last, c.lack = s.last, lack{}
	if c.events += int64(s.last-s.first) + 1; before == 0 {
		c.head = missing
		return nil
	}
	if missing.events == 0 || m.betweenExcerpts(c.files(m.h), s.makeup) || m.apart(c) {
		return nil
	}
	if c.reading == nil {
		r := m.h.readingOf(c.containers())
		c.reading = &r
	}
	if unread, err := m.mayBeUnread(ctx, *c.reading, hold{last, s.first}); unread || err != nil {
		return err
	}
	c.held.holdFinding(m.lackOf(c, missing, middle), missing.events, missing.ref)
	return nil
}
