package walk

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"sync"
)

// stretchEvents is how many events a stretch has, at least: enough that the
// signatures of one are worth verifying together.
const stretchEvents = 512

// mostCopies bounds the copies of one sequence that are looked at, and with
// them the size of a stretch. Honest evidence has a handful.
const mostCopies = 256

// part is a part of a log to examine: whole sequences, and those of which not
// every copy could be taken.
type part struct {
	events  []Event
	crowded []uint64
}

// outcome is what became of a part.
type outcome struct {
	stretch *stretch
	err     error
}

// job is a part, and where to put the outcome.
type job struct {
	part
	done chan<- outcome
}

// stretches yields the stretches of a log in order, while workers examine the
// ones that follow. Work that is under way is bounded, and none is left behind
// when the caller stops. When the context ends, the last thing yielded is its
// error.
func (w *walker) stretches(ctx context.Context, log Log, after uint64, anchored []uint64) iter.Seq2[*stretch, error] {
	return func(yield func(*stretch, error) bool) {
		inner, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()

		jobs := make(chan job)
		order := make(chan (<-chan outcome), 2*w.workers)
		running.Go(func() {
			defer close(order)
			defer close(jobs)
			w.read(inner, log, after, func(p part, err error) bool { return hand(inner, jobs, order, p, err) })
		})
		for range w.workers {
			running.Go(func() {
				for j := range jobs {
					s, err := w.examine(inner, log, j.part, anchored)
					j.done <- outcome{s, err}
				}
			})
		}
		for done := range order {
			if out := <-done; !yield(out.stretch, out.err) || out.err != nil {
				return
			}
		}
		if ctx.Err() != nil {
			yield(nil, ctx.Err())
		}
	}
}

// hand gives a part to a worker, or an error to the one who waits for its
// outcome, and puts the outcome in line. It returns whether to go on.
func hand(ctx context.Context, jobs chan<- job, order chan<- (<-chan outcome), p part, err error) bool {
	done := make(chan outcome, 1)
	if err != nil {
		done <- outcome{err: err}
	} else {
		select {
		case jobs <- job{p, done}:
		case <-ctx.Done():
			return false
		}
	}
	select {
	case order <- done:
		return err == nil
	case <-ctx.Done():
		return false
	}
}

// read cuts the events of a log into parts, never within a sequence.
func (w *walker) read(ctx context.Context, log Log, after uint64, take func(part, error) bool) {
	p := part{events: make([]Event, 0, w.stretch)}
	last, copies := Event{}, 0
	last.Sequence = after
	for e, err := range w.source.Events(ctx, log, after) {
		if err == nil && !ascending(last, e) {
			err = fmt.Errorf("%s: the source yields event %d after event %d, out of order", log.LogID, e.Sequence, last.Sequence)
		}
		if err != nil {
			take(part{}, err)
			return
		}
		if e.Sequence > last.Sequence {
			copies = 0
			if len(p.events) >= w.stretch {
				if !take(p, nil) {
					return
				}
				p = part{events: make([]Event, 0, w.stretch)}
			}
		}
		last, copies = e, copies+1
		switch {
		case copies <= mostCopies:
			p.events = append(p.events, e)
		case copies == mostCopies+1:
			p.crowded = append(p.crowded, e.Sequence)
		}
	}
	if len(p.events) > 0 {
		take(p, nil)
	}
}

// ascending reports whether b may come after a.
func ascending(a, b Event) bool {
	return b.Sequence > a.Sequence || b.Sequence == a.Sequence && bytes.Compare(a.Digest[:], b.Digest[:]) < 0
}
