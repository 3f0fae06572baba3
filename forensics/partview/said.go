package partview

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// Said calls f with the data of each event. Events that do not bring it, as [View.Typed]
// yields them, are looked up.
func (v *View) Said(ctx context.Context, log facts.Log, events []evidence.Typed,
	f func(i int, s *evidence.Said) error) error {
	var s evidence.Said // the memory of all
	for i := range events {
		if i%contextEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		binary, err := events[i].Said, error(nil)
		if binary == nil {
			if binary, err = v.saidBy(ctx, log, &events[i].Event); err != nil {
				return err
			}
		}
		if s, err = evidence.ParseSaid(binary); err != nil {
			return fmt.Errorf("event %d of %s: %w", events[i].Link.Sequence, log.LogID, err)
		}
		if err := f(i, &s); err != nil {
			return err
		}
	}
	return nil
}

const (
	windowSize  = 511 // statements that are read at once, and one more
	mostWindows = 32  // that are kept
)

// window is statements of a log and a type that follow each other: all those within
// sequences.
type window struct {
	log         facts.Log
	kind        string // of event
	first, last uint64
	statements  []part.Statement
}

// windows are those that were read last. Walkers ask for the statements of a log in
// order, several for different stretches at once.
type windows struct {
	mu   sync.Mutex
	last []*window
}

// saidBy looks up the data of a copy. Most sequences have one statement.
func (v *View) saidBy(ctx context.Context, log facts.Log, e *facts.Event) (binary []byte, err error) {
	same, err := v.windows.saidAt(ctx, v, log, e)
	if len(same) > 1 {
		err = v.findCopy(ctx, e.Ref, func(c *part.Copy) error {
			same = slices.DeleteFunc(slices.Clone(same), func(s part.Statement) bool { return s.Digest != c.Digest })
			return nil
		})
	}
	if err == nil && len(same) == 0 {
		err = fmt.Errorf("the parts do not have what event %d of %s says", e.Link.Sequence, log.LogID)
	}
	if err != nil {
		return nil, err
	}
	return same[0].Said, nil
}

// saidAt returns the statements of the type and the sequence of an event, which may not be
// changed.
func (w *windows) saidAt(ctx context.Context, v *View, log facts.Log, e *facts.Event) ([]part.Statement, error) {
	sequence := e.Link.Sequence
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.last, func(in *window) bool {
		return in.log == log && in.kind == e.Type && in.first <= sequence && sequence <= in.last
	})
	if i < 0 {
		in, err := v.readWindow(ctx, log, e.Type, sequence)
		if err != nil {
			return nil, err
		}
		if len(w.last) == mostWindows {
			w.last = w.last[1:]
		}
		i, w.last = len(w.last), append(w.last, in)
	}
	in := w.last[i].statements
	first, _ := slices.BinarySearchFunc(in, sequence, func(s part.Statement, n uint64) int {
		return cmp.Compare(s.Sequence, n)
	})
	end := first
	for end < len(in) && in[end].Sequence == sequence {
		end++
	}
	return in[first:end], nil
}

// readWindow reads statements of a type from a sequence on.
func (v *View) readWindow(ctx context.Context, log facts.Log, kind string, from uint64) (*window, error) {
	w := &window{log: log, kind: kind, first: from, last: maxAny}
	for s, err := range v.content.Statements(ctx, log, from) {
		if err != nil {
			return nil, err
		}
		if s.Type != kind {
			continue
		}
		if n := len(w.statements); n >= windowSize && w.statements[n-1].Sequence != s.Sequence {
			w.last = s.Sequence - 1
			break
		}
		w.statements = append(w.statements, *s)
		w.statements[len(w.statements)-1].Said = bytes.Clone(s.Said)
	}
	return w, ctx.Err()
}
