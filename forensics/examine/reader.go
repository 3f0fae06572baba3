package examine

import (
	"context"
	"iter"
	"math"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// reader is evidence as the walk reads it. Additions to a case after it was opened are not
// part of it. Its methods may be called by several goroutines.
type reader struct {
	r      evidence.Reader
	memory delivery.Memory // of its delivery; may be nil
	strict bool            // listed parts leave the verdict open
	logs   []facts.Log
	paths  map[int64]string // of the sources, by number

	leftOut []facts.Unread // by name: missing events may be there
}

var _ walk.Stretched = (*reader)(nil)

func newReader(ctx context.Context, r evidence.Reader, memory delivery.Memory) (*reader, error) {
	s := &reader{r: r, memory: memory, paths: map[int64]string{}}
	var err error
	if s.logs, err = r.Logs(ctx); err != nil {
		return nil, err
	}
	sources, err := r.Sources(ctx)
	for _, source := range sources {
		s.paths[source.Number] = delivery.NameOf(source)
	}
	if err == nil {
		s.leftOut, err = delivery.LeftOut(ctx, r)
	}
	return s, err
}

// Logs returns the logs that have events.
func (s *reader) Logs(context.Context) ([]facts.Log, error) {
	return s.logs, nil
}

// Events yields the copies of the events of a log above a sequence. A log that
// is not there has none.
func (s *reader) Events(ctx context.Context, log facts.Log, after uint64) iter.Seq2[*facts.Event, error] {
	if after == math.MaxInt64 {
		return func(func(*facts.Event, error) bool) {}
	}
	return s.r.Events(ctx, log, after+1, math.MaxInt64)
}

// Stretches yields the same as Events, with as many events in series as the evidence can.
func (s *reader) Stretches(ctx context.Context, log facts.Log, after uint64) iter.Seq2[facts.Stretch, error] {
	if after == math.MaxInt64 {
		return func(func(facts.Stretch, error) bool) {}
	}
	return s.r.Stretches(ctx, log, after+1)
}

// Report returns the statement of a report.
func (s *reader) Report(ctx context.Context, log facts.Log, e facts.Event) (report walk.Report, err error) {
	err = s.r.Said(ctx, log, []evidence.Typed{{Event: e}}, func(_ int, said *evidence.Said) error {
		report = said.Report
		return nil
	})
	return report, err
}

// Explains reports whether the losses of a transport explain the difference between two
// copies.
func (s *reader) Explains(ctx context.Context, _ facts.Log, genuine, copied facts.Event) (bool, error) {
	return s.r.Explains(ctx, genuine.Ref, copied.Ref)
}

// Places returns the places of a copy, in their order.
func (s *reader) Places(ctx context.Context, _ facts.Log, e facts.Event) ([]finding.Evidence, error) {
	all, err := s.r.Deliveries(ctx, e.Ref)
	var places []finding.Evidence
	for _, d := range all {
		places = append(places, s.evidence(d.Place))
	}
	return places, err
}

// Unread returns the spans that could not be read between two events, in every
// source that holds both; with the zero event as the second, those up to the end
// of every source that holds the first.
func (s *reader) Unread(ctx context.Context, _ facts.Log, before, after facts.Event) ([]finding.Evidence, error) {
	places, err := delivery.Unread(ctx, s.r, before.Ref, after.Ref)
	var spans []finding.Evidence
	for _, p := range places {
		spans = append(spans, s.evidence(p))
	}
	if len(spans) == 0 {
		for _, u := range s.leftOut {
			spans = append(spans, finding.Evidence{Source: u.Path})
		}
	}
	return spans, err
}

// Empty returns the files that hold nothing, under every path.
func (s *reader) Empty(ctx context.Context) ([]finding.Evidence, error) {
	return delivery.Empty(ctx, s.r)
}

// Documents yields the bundles and checkpoints, each with the first
// place where it was found.
func (s *reader) Documents(ctx context.Context) iter.Seq2[walk.Document, error] {
	return func(yield func(walk.Document, error) bool) {
		for d, err := range s.r.Documents(ctx) {
			out := walk.Document{Document: d}
			if len(d.Places) > 0 {
				out.Evidence = s.evidence(d.Places[0])
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

func (s *reader) evidence(p facts.Place) finding.Evidence {
	return finding.Evidence{Source: s.paths[p.Source], Container: p.Container, Offset: p.Offset, Length: p.Length}
}
