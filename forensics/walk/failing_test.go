package walk_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
)

// failing is evidence that cannot be read on one way to a call.
type failing struct {
	walk.Reader
	check.Ways
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
		f := &failing{Reader: w.Reader(), Ways: check.Ways{Package: "walk"}}
		run := func() error {
			_, _, err := walk.RunCut(t.Context(), f, w.Root, walk.Options{Workers: 1, Facts: func(walk.Facts) {}}, 20)
			return err
		}
		check.OK(t, run(), "%s", c.name)
		for _, f.Fails = range f.Seen() {
			if !tried[f.Fails] {
				check.That(t, errors.Is(run(), check.ErrWay), "%s: no error from%s", c.name, f.Fails)
			}
			tried[f.Fails] = true
		}
	}
	check.That(t, len(tried) > 25, "%d ways", len(tried))
}

func (f *failing) Logs(ctx context.Context) ([]facts.Log, error) {
	all, err := f.Reader.Logs(ctx)
	return check.OrFails(&f.Ways, all, err)
}

func (f *failing) Events(ctx context.Context, log facts.Log, after uint64) iter.Seq2[*facts.Event, error] {
	return check.UntilFails(&f.Ways, f.Reader.Events(ctx, log, after))
}

func (f *failing) Report(ctx context.Context, log facts.Log, e facts.Event) (walk.Report, error) {
	r, err := f.Reader.Report(ctx, log, e)
	return check.OrFails(&f.Ways, r, err)
}

func (f *failing) Explains(ctx context.Context, log facts.Log, genuine, copied facts.Event) (bool, error) {
	explains, err := f.Reader.Explains(ctx, log, genuine, copied)
	return check.OrFails(&f.Ways, explains, err)
}

func (f *failing) Places(ctx context.Context, log facts.Log, e facts.Event) ([]finding.Evidence, error) {
	all, err := f.Reader.Places(ctx, log, e)
	return check.OrFails(&f.Ways, all, err)
}

func (f *failing) Unread(ctx context.Context, log facts.Log, before, after facts.Event) ([]finding.Evidence, error) {
	all, err := f.Reader.Unread(ctx, log, before, after)
	return check.OrFails(&f.Ways, all, err)
}

func (f *failing) Documents(ctx context.Context) iter.Seq2[walk.Document, error] {
	return check.UntilFails(&f.Ways, f.Reader.Documents(ctx))
}

func (f *failing) Empty(ctx context.Context) ([]finding.Evidence, error) {
	all, err := f.Reader.Empty(ctx)
	return check.OrFails(&f.Ways, all, err)
}

func (f *failing) Inventory(ctx context.Context) (walk.Inventory, error) {
	i, err := f.Reader.Inventory(ctx)
	return check.OrFails(&f.Ways, i, err)
}
