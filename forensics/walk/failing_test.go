package walk_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
)

// failing is evidence that cannot be read on one way to a call.
type failing struct {
	walk.Reader
	mu    sync.Mutex
	ways  map[string]bool // to all calls so far
	fails string          // the way on which a call fails, "" for none
}

var errReading = errors.New("the evidence cannot be read")

func (f *failing) fault() error {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	way := ""
	for more := true; more; {
		var frame runtime.Frame
		if frame, more = frames.Next(); strings.Contains(frame.Function, "/walk.") {
			way += fmt.Sprintf(" %s:%d", filepath.Base(frame.File), frame.Line)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ways[way] = true; way == f.fails {
		return errReading
	}
	return nil
}

func orFault[V any](f *failing, v V, err error) (V, error) {
	if fault := f.fault(); fault != nil {
		return *new(V), fault
	}
	return v, err
}

func untilFault[V any](f *failing, all iter.Seq2[V, error]) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		if fault := f.fault(); fault != nil {
			yield(*new(V), fault)
			return
		}
		all(yield)
	}
}

// TestFaultsOfReading: whatever cannot be read, the walk ends with the error: nothing counts as
// missing. Each way to a call of the reader in the cases fails once.
func TestFaultsOfReading(t *testing.T) {
	tried := map[string]bool{"": true}
	for i, c := range readCases(t) {
		if testing.Short() && i%4 > 0 {
			continue
		}
		w := plain(t)
		damageWorld(w, c.damage)
		f := &failing{Reader: w.Reader(), ways: map[string]bool{}}
		run := func() error {
			_, _, err := walk.RunCut(t.Context(), f, w.Root, walk.Options{Workers: 1, Facts: func(walk.Facts) {}}, 20)
			return err
		}
		check.OK(t, run(), "%s", c.name)
		for _, f.fails = range slices.Sorted(maps.Keys(f.ways)) {
			if !tried[f.fails] {
				check.That(t, errors.Is(run(), errReading), "%s: no error from%s", c.name, f.fails)
			}
			tried[f.fails] = true
		}
	}
	check.That(t, len(tried) > 25, "%d ways", len(tried))
}

func (f *failing) Logs(ctx context.Context) ([]facts.Log, error) {
	all, err := f.Reader.Logs(ctx)
	return orFault(f, all, err)
}

func (f *failing) Events(ctx context.Context, log facts.Log, after uint64) iter.Seq2[*facts.Event, error] {
	return untilFault(f, f.Reader.Events(ctx, log, after))
}

func (f *failing) Report(ctx context.Context, log facts.Log, e facts.Event) (walk.Report, error) {
	r, err := f.Reader.Report(ctx, log, e)
	return orFault(f, r, err)
}

func (f *failing) Explains(ctx context.Context, log facts.Log, genuine, copied facts.Event) (bool, error) {
	explains, err := f.Reader.Explains(ctx, log, genuine, copied)
	return orFault(f, explains, err)
}

func (f *failing) Places(ctx context.Context, log facts.Log, e facts.Event) ([]finding.Evidence, error) {
	all, err := f.Reader.Places(ctx, log, e)
	return orFault(f, all, err)
}

func (f *failing) Unread(ctx context.Context, log facts.Log, before, after facts.Event) ([]finding.Evidence, error) {
	all, err := f.Reader.Unread(ctx, log, before, after)
	return orFault(f, all, err)
}

func (f *failing) Documents(ctx context.Context) iter.Seq2[walk.Document, error] {
	return untilFault(f, f.Reader.Documents(ctx))
}

func (f *failing) Empty(ctx context.Context) ([]finding.Evidence, error) {
	all, err := f.Reader.Empty(ctx)
	return orFault(f, all, err)
}

func (f *failing) Inventory(ctx context.Context) (walk.Inventory, error) {
	i, err := f.Reader.Inventory(ctx)
	return orFault(f, i, err)
}
