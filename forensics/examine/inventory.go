package examine

import (
	"context"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// mostPlaces bounds the places of one finding: enough to look at, and the rest
// is counted.
const mostPlaces = 16

// Inventory returns the sources of the evidence, and a finding for every kind of damage that
// was met in a source while it was read.
func (s *reader) Inventory(ctx context.Context) (walk.Inventory, error) {
	var v walk.Inventory
	for _, step := range []func(context.Context, *walk.Inventory) error{s.addSources, s.addBatches, s.addSkips,
		s.addUnread, s.addDelivery} {
		if err := step(ctx, &v); err != nil {
			return walk.Inventory{}, err
		}
	}
	return v, nil
}

func (s *reader) addSources(ctx context.Context, v *walk.Inventory) error {
	sources, err := s.r.Sources(ctx)
	for _, source := range sources {
		v.Sources = append(v.Sources, walk.SourceFile{Path: delivery.NameOf(source), SHA256: source.SHA256.String(),
			Format: source.Format, Records: source.Records, Events: source.Events, Skipped: source.Skipped})
		if !source.Complete {
			f := finding.Finding{Code: finding.SourceTruncated, Expected: "a source that was read to its end",
				Found:    fmt.Sprintf("%d bytes of %s, where the ingest was interrupted", source.Size, delivery.NameOf(source)),
				Evidence: []finding.Evidence{{Source: delivery.NameOf(source), Length: source.Size}}}
			v.Findings = append(v.Findings, f.Complete())
		}
	}
	return err
}

// addBatches counts export batches (SPEC 9.2).
func (s *reader) addBatches(ctx context.Context, v *walk.Inventory) error {
	for b, err := range s.r.Batches(ctx) {
		if err != nil {
			return err
		}
		v.Batches.Distinct++
		if b.Redelivered > 0 {
			v.Batches.Redelivered++
		}
		if b.Conflicting() {
			v.Batches.Conflicting++
		}
	}
	absent, err := s.r.Unbatched(ctx, string(read.Journal))
	v.Batches.Absent = absent
	return err
}

// damage is the damage in one source under one code. Bundles that were not read whole are kept
// apart.
type damage struct {
	source int64
	code   finding.Code
	proofs bool
}

// addSkips adds one finding for each source and code: a source that is garbage
// from end to end has as many spans as it has lines.
func (s *reader) addSkips(ctx context.Context, v *walk.Inventory) error {
	var order []damage
	first, spans, places := map[damage]string{}, map[damage]int64{}, map[damage][]finding.Evidence{}
	gave, whole, err := s.documents(ctx)
	if err != nil {
		return err
	}
	for skip, err := range s.r.Skips(ctx) {
		if err != nil {
			return err
		}
		d := damage{skip.Source, finding.Code(skip.Code), skip.Detail == read.BrokenProof}
		if open := d.code.Entry().Counts; open != "" && (s.strict || len(s.paths) == 1 || gave[d.source]) {
			d.code = open // SPEC 13.1
		}
		if spans[d] == 0 {
			order, first[d] = append(order, d), skip.Detail
		}
		spans[d] += skip.Spans
		if len(places[d]) < mostPlaces {
			places[d] = append(places[d], s.evidence(skip.Place))
		}
	}
	for _, d := range order {
		f := finding.Finding{Code: d.code, Expected: "evidence that is read whole", Found: first[d], Evidence: places[d]}
		switch n := spans[d]; {
		case d.proofs && n+whole[d.source] > 1:
			n += whole[d.source]
			f.Found = fmt.Sprintf("%d of %s were read whole", whole[d.source], safetext.Count(n, "proof"))
		case n > 1:
			f.Found = fmt.Sprintf("%d spans, the first: %s", n, first[d])
		}
		v.Findings = append(v.Findings, f.Complete())
	}
	return nil
}

// documents returns which sources gave an event or a document, and counts the bundles of
// each.
func (s *reader) documents(ctx context.Context) (gave map[int64]bool, bundles map[int64]int64, err error) {
	gave, bundles = map[int64]bool{}, map[int64]int64{}
	sources, err := s.r.Sources(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, source := range sources {
		gave[source.Number] = source.Events > 0
	}
	for d, err := range s.r.Documents(ctx) {
		if err != nil {
			return nil, nil, err
		}
		for _, p := range d.Places {
			gave[p.Source] = true
			if d.Kind == facts.KindBundle {
				bundles[p.Source]++
			}
		}
	}
	return gave, bundles, nil
}

// addDelivery adds findings about the delivery of the evidence.
func (s *reader) addDelivery(ctx context.Context, v *walk.Inventory) error {
	r, err := delivery.Run(ctx, s.r, s.memory)
	v.Findings = append(v.Findings, r.Findings...)
	if err != nil {
		return err
	}
	return s.addJournals(ctx, v, r.Journals)
}

// addJournals notes for each source whose own journal it is.
func (s *reader) addJournals(ctx context.Context, v *walk.Inventory, journals []delivery.Journal) error {
	of := map[int64][]string{}
	for _, j := range journals {
		of[j.Source] = append(of[j.Source], j.LogID)
	}
	sources, err := s.r.Sources(ctx) // in the order in which they were added
	for i, source := range sources {
		logs := of[source.Number]
		slices.Sort(logs)
		v.Sources[i].JournalOf = slices.Compact(logs)
	}
	return err
}

// addUnread adds one finding for each path that could not be read at all.
func (s *reader) addUnread(ctx context.Context, v *walk.Inventory) error {
	unread, err := s.r.Unread(ctx)
	for _, u := range unread {
		v.Findings = append(v.Findings, unreadFinding(u))
	}
	return err
}

func unreadFinding(u facts.Unread) finding.Finding {
	f := finding.Finding{Code: finding.Code(u.Code), Expected: "a file that can be read", Found: u.Detail,
		Evidence: []finding.Evidence{{Source: u.Path}}}
	if f.Code.Entry().Effect == finding.None { // it was left out on purpose
		f.Expected = "every file"
	}
	return f.Complete()
}
