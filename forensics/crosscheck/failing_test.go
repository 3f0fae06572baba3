package crosscheck

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/check"
)

// failing is evidence that cannot be read on one way to a call.
type failing struct {
	evidence.Reader
	check.Ways
}

// TestFaultsOfReading: whatever cannot be read, the crosscheck ends with the error: nothing counts
// as missing. Each way to a call of the reader, in the scenarios and after some scripts, fails once.
func TestFaultsOfReading(t *testing.T) {
	tried, all := map[string]bool{"": true}, []string{"truncate-tail", "alter-in-structure", "lose-octet"}
	for _, file := range []string{"scenarios", "records"} {
		for _, name := range slices.Sorted(maps.Keys(readScenarios(t, file+".txtar"))) {
			all = append(all, file+": "+name)
		}
	}
	for _, name := range all {
		c, root := caseAfter(t, name)
		f := &failing{Reader: c, Ways: check.Ways{Package: "crosscheck"}}
		check.OK(t, check.Err(Run(t.Context(), f, root, Options{})), "%s", name)
		for _, f.Fails = range f.Seen() {
			if !tried[f.Fails] {
				err := check.Err(Run(t.Context(), f, root, Options{}))
				check.That(t, errors.Is(err, check.ErrWay), "%s: no error from%s: %v", name, f.Fails, err)
			}
			tried[f.Fails] = true
		}
	}
	check.That(t, len(tried) > 12, "%d ways", len(tried))
}

func (f *failing) Sources(ctx context.Context) ([]facts.Source, error) {
	all, err := f.Reader.Sources(ctx)
	return check.OrFails(&f.Ways, all, err)
}

func (f *failing) Containers(ctx context.Context) ([]evidence.SourceContainer, error) {
	all, err := f.Reader.Containers(ctx)
	return check.OrFails(&f.Ways, all, err)
}

func (f *failing) Logs(ctx context.Context) ([]facts.Log, error) {
	all, err := f.Reader.Logs(ctx)
	return check.OrFails(&f.Ways, all, err)
}

func (f *failing) Explains(ctx context.Context, genuine, copied facts.Ref) (bool, error) {
	explains, err := f.Reader.Explains(ctx, genuine, copied)
	return check.OrFails(&f.Ways, explains, err)
}

func (f *failing) Said(ctx context.Context, log facts.Log, all []evidence.Typed,
	do func(int, *evidence.Said) error) error {
	_, err := check.OrFails(&f.Ways, 0, f.Reader.Said(ctx, log, all, do))
	return err
}

func (f *failing) Skips(ctx context.Context) iter.Seq2[facts.Skip, error] {
	return check.UntilFails(&f.Ways, f.Reader.Skips(ctx))
}

func (f *failing) Documents(ctx context.Context) iter.Seq2[facts.Document, error] {
	return check.UntilFails(&f.Ways, f.Reader.Documents(ctx))
}

func (f *failing) Events(ctx context.Context, log facts.Log, from, to uint64) iter.Seq2[*facts.Event, error] {
	return check.UntilFails(&f.Ways, f.Reader.Events(ctx, log, from, to))
}

func (f *failing) Placed(ctx context.Context, log facts.Log, from, to uint64) iter.Seq2[facts.Stretch, error] {
	return check.UntilFails(&f.Ways, f.Reader.Placed(ctx, log, from, to))
}

func (f *failing) Stretches(ctx context.Context, log facts.Log, from uint64) iter.Seq2[facts.Stretch, error] {
	return check.UntilFails(&f.Ways, f.Reader.Stretches(ctx, log, from))
}

func (f *failing) Chosen(ctx context.Context, log facts.Log, c evidence.Choice) iter.Seq2[*evidence.Typed, error] {
	return check.UntilFails(&f.Ways, f.Reader.Chosen(ctx, log, c))
}

func (f *failing) Late(ctx context.Context, log facts.Log, last string, types []string) iter.Seq2[string, error] {
	return check.UntilFails(&f.Ways, f.Reader.Late(ctx, log, last, types))
}
