package crosscheck

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// again reads the copies of a log a second time, as far as anyone asks for them.
type again struct {
	next func() (facts.Stretch, error, bool)
	stop func()
	head facts.Stretch
	err  error
	more bool
}

func (a *again) readNext() { a.head, a.err, a.more = a.next() }

// readAgain makes the matrix read its log again from a sequence on, if it does not do so
// already. It continues from there, so that all spans together need one pass.
func (m *matrix) readAgain(ctx context.Context, from uint64) *again {
	if m.again == nil {
		m.again = &again{}
		m.again.next, m.again.stop = iter.Pull2(m.h.in.Placed(ctx, m.log, from, math.MaxInt64))
		m.again.readNext()
	}
	return m.again
}

// ownClose judges the copies of the journal: their middle, and the beginning and the end
// of the one that goes furthest. The others may be older copies, or parts.
func (m *matrix) ownClose(ctx context.Context) error {
	if len(m.own.copies) == 0 {
		return nil
	}
	m.ownDisclosed(1 << 63)
	if only := m.own.copies[0]; only.events == 0 {
		return m.noteLack(ctx, only, only.lack, all)
	}
	for _, c := range m.own.copies {
		if err := m.h.blame(ctx, &c.held, c.containers(), c.events, m.h.holders(c.containers())); err != nil {
			return err
		}
	}
	furthest := slices.MaxFunc(m.own.copies, func(a, b *copyOf) int {
		return cmp.Or(cmp.Compare(a.last, b.last), cmp.Compare(a.events, b.events),
			strings.Compare(b.parts[0].path, a.parts[0].path))
	})
	if !slices.ContainsFunc(furthest.containers(), func(c int64) bool { return m.h.partial[c] }) {
		if err := m.noteLack(ctx, furthest, furthest.head, head); err != nil {
			return err
		}
	}
	return m.noteLack(ctx, furthest, furthest.lack, tail)
}

// containers returns the files of a copy.
func (c *copyOf) containers() []int64 {
	var all []int64
	for _, p := range c.parts {
		all = append(all, p.container)
	}
	return all
}

func (c *copyOf) files(h *holdings) *fileSet {
	if c.fileSet == nil {
		c.fileSet = h.fileSetOf(c.containers())
	}
	return c.fileSet
}

// where a journal lacks events.
type where string

const (
	head   where = "at the head of"
	middle where = "in the middle of"
	tail   where = "at the end of"
	all    where = "in"
)

// lackOf reports events that a copy of the journal lacks.
func (m *matrix) lackOf(c *copyOf, l lack, at where) finding.Finding {
	holders := m.h.storeNames(l.others)
	for _, b := range l.bundles {
		holders = strings.TrimPrefix(holders+", the bundle "+b, ", ")
	}
	return finding.Finding{Code: finding.JournalLacks, TenantID: m.log.TenantID, LogID: m.log.LogID,
		Sequence: l.first, LastSequence: l.last,
		Expected: "what is in " + holders, Found: fmt.Sprintf("%d lacking %s %s", l.events, at, c.copyName()),
		Evidence: slices.Concat(m.h.places(c.parts), c.empty, l.evidence)}
}

// noteLack makes a finding of events that a copy of the journal lacks, if it lacks
// any, and if nothing was left out in which they may be.
func (m *matrix) noteLack(ctx context.Context, c *copyOf, l lack, at where) error {
	if l.events == 0 || m.h.leftOut {
		return nil
	}
	f := m.lackOf(c, l, at)
	var refs []facts.Ref
	if !l.ref.IsZero() {
		refs = append(refs, l.ref)
	}
	if at == tail {
		f.Code = finding.JournalEndsEarly
		if r := m.reportedBelow(l); l.due.events > 0 {
			f.Code, f.Sequence, f.LastSequence = finding.JournalLacks, l.due.first, l.due.last
			f.Found = fmt.Sprintf("%d lacking %s %s, which was collected after they were written",
				l.due.events, at, c.copyName())
		} else if r != nil {
			f.Code, refs = finding.JournalLacks, append(refs, r.newest.ref)
			f.Found += fmt.Sprintf(", and the node reported event %d as its head at %s, after they were written",
				r.newest.sequence, time.UnixMilli(r.at).UTC().Format("2006-01-02T15:04:05.000Z"))
		}
	}
	if f.Code == finding.JournalLacks {
		for i := range m.h.holders(c.containers()).all() {
			m.h.result.Stores[i].Lacking += l.events
		}
	}
	return m.h.addFinding(ctx, f, refs...)
}

// reportedBelow returns the node's newest report, if it is of a head below the events and was
// made clearly after the first of them: then its journal ended before them although they had
// been written, and was not copied too early.
func (m *matrix) reportedBelow(l lack) *reports {
	r := m.h.reports[m.log]
	if r == nil || l.at == 0 || r.newest.sequence >= l.first || r.at <= l.at+apart {
		return nil
	}
	return r
}

// copyName names a copy of a journal for people.
func (c *copyOf) copyName() string {
	switch n := len(c.parts); {
	case len(c.empty) > 0:
		return c.empty[0].Name() + ", which is empty"
	case n == 0:
		return "the journal, which was collected and is not here"
	case n > 1:
		return fmt.Sprintf("%s and %s", c.parts[0].path, safetext.Count(n-1, "further file"))
	}
	return c.parts[0].path
}

// places returns where the files of a journal are, the first few.
func (h *holdings) places(parts []part) []finding.Evidence {
	var all []finding.Evidence
	for _, p := range parts[:min(len(parts), mostPaths)] {
		c := h.stores.own.containers[p.container]
		all = append(all, finding.Evidence{Source: h.names[c.Source], Container: c.Path})
	}
	return all
}
