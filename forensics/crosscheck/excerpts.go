package crosscheck

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// A source that lacks events is blamed only if nothing explains that (SPEC 13.6). Two things
// can: it was not read whole, or it is an excerpt of another source.

// partial is the containers with an unread part that can hide an event.
type partial map[int64]bool

// readPartial finds the containers that were not read whole. A part of a file that could not
// be read counts for everything that was found in the file.
func (h *holdings) readPartial(ctx context.Context) error {
	all, err := delivery.LeftOut(ctx, h.in)
	if err != nil {
		return err
	}
	h.leftOut = len(all) > 0
	unread := map[int64][]string{} // containers with such spans, by source
	for skip, err := range h.in.Skips(ctx) {
		if err != nil {
			return err
		}
		if skip.Hides() && !slices.Contains(unread[skip.Source], skip.Container) {
			unread[skip.Source] = append(unread[skip.Source], skip.Container)
		}
	}
	for _, c := range h.containers {
		around := func(p string) bool { return isWithin(p, c.Path) || isWithin(c.Path, p) }
		if h.leftOut || slices.ContainsFunc(unread[c.Source], around) {
			h.partial[c.Container] = true
		}
	}
	return nil
}

// isWithin reports whether a path through archives leads into another one.
func isWithin(inner, outer string) bool {
	return inner == outer || outer == "" || strings.HasPrefix(inner, outer+"!") || strings.HasPrefix(inner, outer+"/")
}

// hold is events of one log that a store or a copy of a journal lacks, between two
// sequences that it has.
type hold struct{ before, after uint64 }

// reading is how some containers were read.
type reading struct {
	inPart  bool // something of them was not read
	ordered bool // they are one file in a known form, whose records are taken to be in order
	source  int64
}

// readingOf returns how containers were read.
func (h *holdings) readingOf(containers []int64) (r reading) {
	for _, n := range containers {
		c := h.container(n)
		r.inPart = r.inPart || h.partial[n]
		r.source, r.ordered = c.Source, len(containers) == 1 && !delivery.IsLoose(c.Format) && !h.leftOut
	}
	return r
}

// mayBeUnread reports whether missing events can be in an unread part. Where the records have
// an order, they can only be between the two that are there.
func (m *matrix) mayBeUnread(ctx context.Context, r reading, at hold) (bool, error) {
	if !r.inPart || !r.ordered {
		return r.inPart, nil
	}
	before, err := m.refsAt(ctx, at.before)
	if err != nil {
		return false, err
	}
	after, err := m.refsAt(ctx, at.after)
	for _, b := range before {
		for _, a := range after {
			if err != nil {
				return false, err
			}
			var spans []facts.Place
			spans, err = delivery.UnreadBetween(ctx, m.h.in, b, a)
			if slices.ContainsFunc(spans, func(p facts.Place) bool { return p.Source == r.source }) {
				return true, err
			}
		}
	}
	return false, err
}

// refsAt returns the copies of an event, the first few.
func (m *matrix) refsAt(ctx context.Context, sequence uint64) (refs []facts.Ref, err error) {
	for e, err := range m.h.in.Events(ctx, m.log, sequence, sequence) {
		if err != nil || len(refs) == mostBad {
			return refs, err
		}
		refs = append(refs, e.Ref)
	}
	return refs, nil
}

// fileSet is the containers of a store, or of a copy of a journal.
type fileSet struct {
	has      map[int64]bool
	excerpts bool // one elsewhere, of the same form, has every event of each of them
}

func (h *holdings) fileSetOf(containers []int64) *fileSet {
	f := &fileSet{has: map[int64]bool{}}
	for _, c := range containers {
		f.has[c] = true
	}
	if len(containers) < 2 || h.given {
		return f
	}
	for whole := range h.overlap.shared[containers[0]] {
		f.excerpts = f.excerpts || !f.has[whole] &&
			!slices.ContainsFunc(containers, func(c int64) bool { return !h.overlap.excerptOf(c, whole) })
	}
	return f
}

// betweenExcerpts reports whether the events that some files lack, before copies that they
// have, are between excerpts: no file has an event on both sides of them, except files that a
// search leaves.
func (m *matrix) betweenExcerpts(f *fileSet, next *makeup) bool {
	return f.excerpts && !slices.ContainsFunc(next.kinds, func(k kind) bool {
		return slices.ContainsFunc(k.containers, func(c int64) bool { return m.seen[c] && f.has[c] && !m.h.overlap.sparse(c) })
	})
}

// apart reports whether the files that continue a copy are in other folders than the files
// with the events before, and have other names, not counting numbers: then one was copied
// before the other, and the events between may be in neither.
func (m *matrix) apart(c *copyOf) bool {
	return !slices.ContainsFunc(c.here, func(p part) bool {
		return m.seen[p.container] || slices.ContainsFunc(c.before, func(q part) bool {
			return folderOf(p.path) == folderOf(q.path) || withoutNumbers(p.path) == withoutNumbers(q.path)
		})
	})
}

// container returns a container by its number.
func (h *holdings) container(n int64) evidence.SourceContainer {
	i, ok := slices.BinarySearchFunc(h.containers, n, func(c evidence.SourceContainer, n int64) int {
		return int(c.Container - n)
	})
	if !ok {
		return evidence.SourceContainer{}
	}
	return h.containers[i]
}

// folderOf returns the folder of a part. The stream within a compressed file is the file.
func folderOf(p string) string {
	for wrapped[path.Base(p)] {
		p = path.Dir(p)
	}
	return path.Dir(p)
}

// heldBack are findings that blame something for events that it lacks, unless it turns
// out to be an excerpt.
type heldBack struct {
	lacking  int64 // events, of all findings
	findings []finding.Finding
	refs     []facts.Ref     // of each, 0 for none
	count    map[noted]int64 // of all findings
}

func (b *heldBack) holdFinding(f finding.Finding, events int64, ref facts.Ref) {
	key := noted{f.Code, facts.LogOf(f)}
	if b.count == nil {
		b.count = map[noted]int64{}
	}
	b.lacking += events
	if b.count[key]++; b.count[key] > mostListed {
		return
	}
	b.findings, b.refs = append(b.findings, f), append(b.refs, ref)
}

// blame makes the findings about the events that some containers of stores lack, unless the
// containers are an excerpt. They hold so many events.
func (h *holdings) blame(ctx context.Context, b *heldBack, containers []int64, held int64, stores storeSet) error {
	if b.lacking == 0 || h.isPicked(containers, held, b.lacking) {
		return nil
	}
	for i := range stores.all() {
		h.result.Stores[i].Lacking += b.lacking
	}
	for i, f := range b.findings {
		refs := []facts.Ref{b.refs[i]}
		if b.refs[i].IsZero() {
			refs = nil
		}
		if err := h.addFinding(ctx, f, refs...); err != nil {
			return err
		}
	}
	for key, n := range b.count {
		h.listed[key] += max(0, n-mostListed)
	}
	return nil
}

// isPicked reports whether containers are an excerpt by their content: all of it is in other
// files of their form as well, and they lack at least half as many events between their first
// and their last. A search leaves such a file; a store that lost something keeps most. A store
// that the user named is none.
func (h *holdings) isPicked(containers []int64, held, lacking int64) bool {
	if 2*lacking < held || h.given {
		return false
	}
	for _, c := range containers {
		if !h.overlap.isCovered(c) {
			return false
		}
	}
	return true
}
