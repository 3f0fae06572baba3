package examine

import (
	"context"
	"iter"
	"math"
	"sync"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// reader is a case as the walk reads it. What is added to the case after it was
// opened is not part of it. Its methods may be called by several goroutines.
type reader struct {
	c     *casefile.Case
	w     *casefile.Writer // of the case, nil if it is open for reading only
	logs  map[walk.Log]casefile.Log
	paths map[int64]string // of the sources, by number

	mu     sync.Mutex
	bodies []*casefile.Bodies // that nobody uses
}

// newReader returns a reader of an open case. Close it before the case.
func newReader(ctx context.Context, c *casefile.Case) (*reader, error) {
	s := &reader{c: c, logs: map[walk.Log]casefile.Log{}, paths: map[int64]string{}}
	logs, err := c.Logs(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range logs {
		s.logs[walk.Log{TenantID: l.TenantID, LogID: l.LogID}] = l
	}
	sources, err := c.Sources(ctx)
	for _, source := range sources {
		s.paths[source.Number] = delivery.NameOf(source)
	}
	return s, err
}

// Close lets go of what the source opened. The case stays open.
func (s *reader) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var first error
	for _, b := range s.bodies {
		if err := b.Close(); first == nil {
			first = err
		}
	}
	s.bodies = nil
	return first
}

// Logs returns the logs of the case.
func (s *reader) Logs(context.Context) ([]walk.Log, error) {
	var all []walk.Log
	for log := range s.logs {
		all = append(all, log)
	}
	return all, nil
}

// Events yields the copies of the events of a log above a sequence. A log that
// the case does not hold has none.
func (s *reader) Events(ctx context.Context, log walk.Log, after uint64) iter.Seq2[*walk.Event, error] {
	return func(yield func(*walk.Event, error) bool) {
		if after == math.MaxInt64 {
			return
		}
		var event walk.Event
		for e, err := range s.copies(ctx, log, after+1, math.MaxInt64) {
			if err != nil {
				yield(nil, err)
				return
			}
			if translate(&event, e); !yield(&event, nil) {
				return
			}
		}
	}
}

func (s *reader) copies(ctx context.Context, log walk.Log, from, to uint64) iter.Seq2[*casefile.Event, error] {
	l, ok := s.logs[log]
	if !ok {
		return func(func(*casefile.Event, error) bool) {}
	}
	return s.c.EventsInPlace(ctx, l, from, to)
}

// translate sets out to what the walk needs of a row.
func translate(out *walk.Event, e *casefile.Event) {
	out.Header, out.Ref, out.Faithful = e.Header, int64(e.Ref), e.Fidelity != casefile.Lossy
	if out.Digest = (chain.Hash{}); e.Copies > 1 {
		out.Digest = e.Digest()
	}
}

// Bytes returns the canonical line of a copy, without line feed.
func (s *reader) Bytes(ctx context.Context, _ walk.Log, e walk.Event) ([]byte, error) {
	row, err := s.c.Copy(ctx, casefile.Ref(e.Ref))
	if err != nil {
		return nil, err
	}
	b, err := s.take()
	if err != nil {
		return nil, err
	}
	defer s.give(b)
	return b.Line(ctx, row)
}

func (s *reader) take() (*casefile.Bodies, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.bodies); n > 0 {
		b := s.bodies[n-1]
		s.bodies = s.bodies[:n-1]
		return b, nil
	}
	return s.c.Bodies()
}

func (s *reader) give(b *casefile.Bodies) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bodies = append(s.bodies, b)
}

// Places returns where a copy stands, in the order of the places.
func (s *reader) Places(ctx context.Context, _ walk.Log, e walk.Event) ([]finding.Evidence, error) {
	all, err := s.c.Arrivals().Deliveries(ctx, casefile.Ref(e.Ref))
	var places []finding.Evidence
	for _, d := range all {
		places = append(places, s.evidence(d.Place))
	}
	return places, err
}

// Unread returns the spans that could not be read between two events, in every
// source that holds both; with the zero event as the second, those up to the end
// of every source that holds the first.
func (s *reader) Unread(ctx context.Context, _ walk.Log, before, after walk.Event) ([]finding.Evidence, error) {
	places, err := delivery.Unread(ctx, s.c, casefile.Ref(before.Ref), casefile.Ref(after.Ref))
	var spans []finding.Evidence
	for _, p := range places {
		spans = append(spans, s.evidence(p))
	}
	return spans, err
}

// Empty returns the files that hold nothing, under every path.
func (s *reader) Empty(ctx context.Context) ([]finding.Evidence, error) {
	return delivery.Empty(ctx, s.c)
}

// Documents yields the bundles and checkpoints of the case, each with the first
// place where it was found.
func (s *reader) Documents(ctx context.Context) iter.Seq2[walk.Document, error] {
	return func(yield func(walk.Document, error) bool) {
		for d, err := range s.c.Documents(ctx) {
			out := walk.Document{Bytes: d.Bytes}
			if len(d.Places) > 0 {
				out.Evidence = s.evidence(d.Places[0])
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

func (s *reader) evidence(p casefile.Place) finding.Evidence {
	return finding.Evidence{Source: s.paths[p.Source], Container: p.Container, Offset: p.Offset, Length: p.Length}
}
