package examine_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/gap"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/worst"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/trust"
)

// work is the cost of a command: steps of the engine, and allocations.
type work struct{ steps, allocations int64 }

// spent measures a command.
func spent(t *testing.T, do func() error) work {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	steps := sqlite.Work()
	must.Do(t, do())
	runtime.ReadMemStats(&after)
	return work{sqlite.Work() - steps, int64(after.Mallocs - before.Mallocs)}
}

// commands are the operations on a case, in this order.
var commands = []struct {
	name string
	do   func(context.Context, *store.Case, *trust.Root) error
}{
	{"crosscheck", func(ctx context.Context, c *store.Case, root *trust.Root) error {
		_, err := crosscheck.Run(ctx, c, root, crosscheck.Options{})
		return err
	}},
	{"gaps", func(ctx context.Context, c *store.Case, root *trust.Root) error {
		result, err := verdict.Last(ctx, c, root.SHA256())
		if err != nil {
			return err
		}
		for _, err := range gap.Find(ctx, c, result, gap.Filter{}) {
			if err != nil {
				return err
			}
		}
		return nil
	}},
	{"report", func(ctx context.Context, c *store.Case, root *trust.Root) error {
		result, err := verdict.Last(ctx, c, root.SHA256())
		if err != nil {
			return err
		}
		r, err := report.Gather(ctx, c, result)
		if err != nil {
			return err
		}
		_, err = report.Write(ctx, io.Discard, c, r, "html")
		return err
	}},
	{"findings", func(ctx context.Context, c *store.Case, root *trust.Root) error {
		_, err := verdict.Last(ctx, c, root.SHA256())
		return err
	}},
	{"batches", func(ctx context.Context, c *store.Case, _ *trust.Root) error {
		for _, err := range c.Batches(ctx) {
			if err != nil {
				return err
			}
		}
		return nil
	}},
	{"events", func(ctx context.Context, c *store.Case, _ *trust.Root) error {
		for _, err := range c.SelectByTime(ctx, store.Filter{}) {
			if err != nil {
				return err
			}
		}
		return nil
	}},
	{"export", func(ctx context.Context, c *store.Case, _ *trust.Root) error {
		logs, err := c.Logs(ctx)
		if err == nil {
			_, err = examine.Export(ctx, c, logs[0], store.Filter{}, io.Discard)
		}
		return err
	}},
}

// examineAll does everything with a case, and returns the cost of each command.
func examineAll(t *testing.T, files worst.Case, root *trust.Root) map[string]work {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for name, content := range files {
		paths = append(paths, must.WriteFile(t, filepath.Join(dir, "evidence", filepath.FromSlash(name)), content))
	}
	slices.Sort(paths)
	path, took := filepath.Join(dir, "case.db"), map[string]work{}
	took["ingest"] = spent(t, func() error {
		w, err := store.OpenWrite(path, cases.As(1))
		if err != nil {
			return err
		}
		if _, err := ingest.Paths(t.Context(), w, paths, ingest.Options{}, nil); err != nil {
			return err
		}
		return w.Close()
	})
	took["walk"] = spent(t, func() error {
		_, err := examine.Examine(t.Context(), path, root, examine.Options{Case: []store.Option{cases.As(1)},
			Workers: 1})
		return err
	})
	for _, command := range commands {
		took[command.name] = spent(t, func() error {
			c, err := store.OpenCase(path, cases.As(1))
			if err != nil {
				return err
			}
			return errors.Join(command.do(t.Context(), c, root), c.Close())
		})
	}
	return took
}

// moreThanTwice reports whether b is clearly more than twice a.
func moreThanTwice(a, b int64) bool { return float64(b) > 2.3*float64(a)+200 }

// TestCommandsAreLinear: of twice as much of anything, no command does much more
// than twice the work.
func TestCommandsAreLinear(t *testing.T) {
	n := chance.Sized(400, 40)
	root := must.Get(trust.Parse(worst.Trust()))(t)
	half, whole := worst.Cases(n), worst.Cases(2*n)
	for i, name := range slices.Sorted(maps.Keys(half)) {
		if testing.Short() && i%4 > 0 {
			continue
		}
		once, twice := examineAll(t, half[name], root), examineAll(t, whole[name], root)
		for command, a := range once {
			b := twice[command]
			check.That(t, a.steps != 0 && !moreThanTwice(a.steps, b.steps) && !moreThanTwice(a.allocations, b.allocations),
				"%s of many %s: %+v, and of twice as many %+v", command, name, a, b)
		}
	}
}
