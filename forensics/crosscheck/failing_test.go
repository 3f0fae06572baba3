package crosscheck

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
	"testing"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/check"
)

// failing is evidence that cannot be read on one way to a call.
type failing struct {
	evidence.Reader
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
		frame, more = frames.Next()
		if strings.Contains(frame.Function, "/crosscheck.") && !strings.HasSuffix(frame.File, "failing_test.go") {
			way += fmt.Sprintf(" %s:%d", filepath.Base(frame.File), frame.Line)
		}
	}
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

// TestFaultsOfReading: whatever cannot be read, the crosscheck ends with the error: nothing counts
// as missing. Each way to a call of the reader in the scenarios fails once.
func TestFaultsOfReading(t *testing.T) {
	tried := map[string]bool{"": true}
	for _, file := range []string{"scenarios.txtar", "records.txtar"} {
		all := readScenarios(t, file)
		for i, name := range slices.Sorted(maps.Keys(all)) {
			if testing.Short() && i%4 > 0 {
				continue
			}
			s := newStage(t)
			f := &failing{Reader: fill(t, s.play(all[name].steps)), ways: map[string]bool{}}
			_, err := Run(t.Context(), f, s.root(), Options{})
			check.OK(t, err, "%s", name)
			for _, f.fails = range slices.Sorted(maps.Keys(f.ways)) {
				if tried[f.fails] {
					continue
				}
				tried[f.fails] = true
				_, err := Run(t.Context(), f, s.root(), Options{})
				check.That(t, errors.Is(err, errReading), "%s: no error from%s: %v", name, f.fails, err)
			}
		}
	}
	check.That(t, len(tried) > 12, "%d ways", len(tried))
}

func (f *failing) Sources(ctx context.Context) ([]facts.Source, error) {
	all, err := f.Reader.Sources(ctx)
	return orFault(f, all, err)
}

func (f *failing) Containers(ctx context.Context) ([]evidence.SourceContainer, error) {
	all, err := f.Reader.Containers(ctx)
	return orFault(f, all, err)
}

func (f *failing) Logs(ctx context.Context) ([]facts.Log, error) {
	all, err := f.Reader.Logs(ctx)
	return orFault(f, all, err)
}

func (f *failing) Explains(ctx context.Context, genuine, copied facts.Ref) (bool, error) {
	explains, err := f.Reader.Explains(ctx, genuine, copied)
	return orFault(f, explains, err)
}

func (f *failing) Said(ctx context.Context, log facts.Log, all []evidence.Typed,
	do func(int, *evidence.Said) error) error {
	_, err := orFault(f, 0, f.Reader.Said(ctx, log, all, do))
	return err
}

func (f *failing) Skips(ctx context.Context) iter.Seq2[facts.Skip, error] {
	return untilFault(f, f.Reader.Skips(ctx))
}

func (f *failing) Documents(ctx context.Context) iter.Seq2[facts.Document, error] {
	return untilFault(f, f.Reader.Documents(ctx))
}

func (f *failing) Events(ctx context.Context, log facts.Log, from, to uint64) iter.Seq2[*facts.Event, error] {
	return untilFault(f, f.Reader.Events(ctx, log, from, to))
}

func (f *failing) Placed(ctx context.Context, log facts.Log, from, to uint64) iter.Seq2[facts.Stretch, error] {
	return untilFault(f, f.Reader.Placed(ctx, log, from, to))
}

func (f *failing) Stretches(ctx context.Context, log facts.Log, from uint64) iter.Seq2[facts.Stretch, error] {
	return untilFault(f, f.Reader.Stretches(ctx, log, from))
}

func (f *failing) Chosen(ctx context.Context, log facts.Log, c evidence.Choice) iter.Seq2[*evidence.Typed, error] {
	return untilFault(f, f.Reader.Chosen(ctx, log, c))
}

func (f *failing) Late(ctx context.Context, log facts.Log, last string, types []string) iter.Seq2[string, error] {
	return untilFault(f, f.Reader.Late(ctx, log, last, types))
}
