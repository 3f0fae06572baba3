package gap

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/form"
)

const (
	// mostUnreadable bounds the spans that one gap lists.
	mostUnreadable = 16

	// mostInBatch is how many events next to a gap are examined at most, to see whether a
	// batch is whole. Exporters send fewer.
	mostInBatch = 1 << 14
)

// gapAt gathers the facts of the case about one gap. It is not wanted if it lies outside of
// the request.
func (s *search) gapAt(ctx context.Context, log facts.Log, hole evidence.Stretch) (g Gap, wanted bool, err error) {
	first, last := s.filter.Bounds()
	if hole.Last < first || hole.First > last {
		return g, false, nil
	}
	before, after, err := s.c.Around(ctx, log, hole.First, hole.Last)
	if err != nil || !s.overlaps(before, after) {
		return g, false, err
	}
	f := signs{gap: Gap{TenantID: log.TenantID, LogID: log.LogID, First: hole.First, Last: hole.Last, Count: hole.Count(),
		CutBatches: []string{}, Anchors: s.anchorsOf(log, hole), Holders: []string{}, Unreadable: []finding.Evidence{},
		Known: []facts.KnownEvent{}, Transactions: []OneSided{}},
		head: before.Ref.IsZero(), end: s.tails[log].end,
		source: s.filter.Source != 0}
	if f.before, err = s.describeSide(ctx, log, before); err != nil {
		return g, false, err
	}
	if f.after, err = s.describeSide(ctx, log, after); err != nil {
		return g, false, err
	}
	f.gap.Before, f.gap.After = f.before.neighbour, f.after.neighbour
	for _, step := range []func(context.Context, facts.Log, *signs) error{s.addBatches, s.addUnreadable, s.addHolders,
		s.addOrigins} {
		if err := step(ctx, log, &f); err != nil {
			return g, false, err
		}
	}
	f.gap.Hypotheses = f.hypotheses()
	return f.gap, true, nil
}

// overlaps reports whether a gap between two events can be of the requested time: the missing
// events occurred between them.
func (s *search) overlaps(before, after facts.Event) bool {
	if to := s.filter.To; !to.IsZero() && !before.Ref.IsZero() && before.OccurredAt >= to.UnixMilli() {
		return false
	}
	from := s.filter.From
	return from.IsZero() || after.Ref.IsZero() || after.OccurredAt >= from.UnixMilli()
}

// anchorsOf names the walk's evidence that the missing events existed.
func (s *search) anchorsOf(log facts.Log, hole evidence.Stretch) []string {
	t := s.tails[log]
	all := []string{}
	if t.anchored >= hole.Last {
		all = append(all, fmt.Sprint("the anchor of event ", t.anchored))
	}
	if t.missing >= hole.First {
		all = append(all, t.beyond)
	}
	return all
}

// side is one of the two ends of a gap.
type side struct {
	neighbour  *Neighbour // nil if there is none
	event      facts.Event
	deliveries []facts.Delivery
	formats    []read.Format // of the containers that hold it, ascending
	sources    []facts.Source
}

// describeSide gathers the facts about a neighbour. With a requested source, its deliveries by others
// do not count.
func (s *search) describeSide(ctx context.Context, log facts.Log, e facts.Event) (side, error) {
	if e.Ref.IsZero() {
		return side{}, nil
	}
	all, err := s.c.Deliveries(ctx, e.Ref)
	if err != nil {
		return side{}, err
	}
	if s.filter.Source != 0 {
		all = slices.DeleteFunc(all, func(d facts.Delivery) bool { return d.Source != s.filter.Source })
	}
	sizes, err := s.c.Sizes(ctx, log, evidence.Stretch{First: e.Link.Sequence, Last: e.Link.Sequence})
	if err != nil {
		return side{}, err
	}
	out := side{event: e, deliveries: all, neighbour: &Neighbour{Sequence: e.Link.Sequence,
		OccurredAt: form.FormatMillis(e.OccurredAt), Hash: e.Recorded.String(),
		PreviousHash: e.Link.Previous.String(), Bytes: sizes.Largest, Batches: []string{}, Sources: []string{}}}
	formats, sources, batches := map[read.Format]bool{}, map[int64]bool{}, map[string]bool{}
	for _, d := range all {
		formats[read.Format(s.formats[box{d.Source, d.Container}])] = true
		if !sources[d.Source] {
			sources[d.Source] = true
			out.sources = append(out.sources, s.sources[d.Source])
			out.neighbour.Sources = append(out.neighbour.Sources, s.name(d.Source))
		}
		for _, b := range d.Batches {
			batches[b.ID] = true
		}
	}
	out.formats = slices.Sorted(maps.Keys(formats))
	out.neighbour.Batches = append(out.neighbour.Batches, slices.Sorted(maps.Keys(batches))...)
	return out, nil
}

// name returns the first of the paths under which a source was given.
func (s *search) name(source int64) string {
	if paths := s.sources[source].Paths; len(paths) > 0 {
		return paths[0]
	}
	return s.sources[source].SHA256.String()
}

// addBatches finds the batches that the gap cuts: those whose events next to it, up to the
// next other batch, do not give the id (SPEC 9.2).
func (s *search) addBatches(ctx context.Context, log facts.Log, f *signs) error {
	cut := map[string]bool{}
	if n := f.before.neighbour; n != nil {
		from := n.Sequence - min(n.Sequence-1, mostInBatch-1)
		if err := s.cutIn(ctx, log, evidence.Stretch{First: from, Last: n.Sequence}, f.before, cut); err != nil {
			return err
		}
	}
	if n := f.after.neighbour; n != nil {
		if err := s.cutIn(ctx, log, evidence.Stretch{First: n.Sequence, Last: n.Sequence + mostInBatch - 1}, f.after,
			cut); err != nil {
			return err
		}
	}
	f.gap.CutBatches = append(f.gap.CutBatches, slices.Sorted(maps.Keys(cut))...)
	return nil
}

// cutIn adds the batches of a neighbour that are not whole within a range.
func (s *search) cutIn(ctx context.Context, log facts.Log, within evidence.Stretch, at side,
	cut map[string]bool) error {
	runs := map[string]*batchRun{}
	for _, id := range at.neighbour.Batches {
		runs[id] = &batchRun{}
	}
	if len(runs) == 0 {
		return nil
	}
	for b, err := range s.c.Batched(ctx, log, within) {
		if err != nil {
			return err
		}
		for _, id := range b.Batches {
			if r := runs[id.ID]; r != nil {
				r.add(b, at.neighbour.Sequence)
			}
		}
	}
	for id, r := range runs {
		if len(r.hashes) < mostInBatch && r.id(log.LogID) != id {
			cut[id] = true
		}
	}
	return nil
}

// batchRun is the events of a batch without a gap around a neighbour.
type batchRun struct {
	last   uint64
	hashes [][32]byte
	over   bool // the run ended above the neighbour
}

func (r *batchRun) add(b store.Batched, neighbour uint64) {
	switch {
	case r.over || b.Sequence == r.last:
		return
	case b.Sequence != r.last+1 && r.last >= neighbour:
		r.over = true
		return
	case b.Sequence != r.last+1:
		r.hashes = r.hashes[:0]
	}
	r.hashes, r.last = append(r.hashes, b.Hash), b.Sequence
}

// id is the batch id of the run (SPEC 9.2).
func (r *batchRun) id(logID string) string {
	h := sha256.New()
	h.Write([]byte("svc.audit-batch.v1\x00" + logID + "\x00"))
	for _, hash := range r.hashes {
		h.Write(hash[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// addUnreadable finds the spans that could not be read between the neighbours, in
// every source that has both; at the end of a log or its beginning, up to the end
// or from the beginning of the source.
func (s *search) addUnreadable(ctx context.Context, _ facts.Log, f *signs) error {
	for _, w := range f.windows() {
		f.compared = true
		for skip, err := range s.c.HiddenBetween(ctx, w.source, w.before, w.after) {
			if err != nil {
				return err
			}
			if len(f.gap.Unreadable) == mostUnreadable {
				return nil
			}
			f.gap.Unreadable = append(f.gap.Unreadable, finding.Evidence{Source: s.name(skip.Source), Container: skip.Container,
				Offset: skip.Offset, Length: skip.Length})
		}
	}
	return nil
}

// addHolders finds the other holders of the events that one source lacks.
func (s *search) addHolders(ctx context.Context, log facts.Log, f *signs) error {
	if s.filter.Source == 0 {
		return nil
	}
	for _, n := range []uint64{f.gap.First, f.gap.Last} {
		for e, err := range s.c.Events(ctx, log, n, n) {
			if err != nil {
				return err
			}
			all, err := s.c.Deliveries(ctx, e.Ref)
			if err != nil {
				return err
			}
			for _, d := range all {
				if name := s.name(d.Source); !slices.Contains(f.gap.Holders, name) {
					f.gap.Holders = append(f.gap.Holders, name)
				}
			}
		}
	}
	f.gap.Source = s.name(s.filter.Source)
	var err error
	f.missing, err = s.c.Sizes(ctx, log, evidence.Stretch{First: f.gap.First, Last: f.gap.Last})
	slices.Sort(f.gap.Holders)
	return err
}
