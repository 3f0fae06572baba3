package examine_test

import (
	"io"
	"iter"
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
func spent(do func()) work {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	steps := sqlite.Work()
	do()
	runtime.ReadMemStats(&after)
	return work{sqlite.Work() - steps, int64(after.Mallocs - before.Mallocs)}
}

// lastOf is the result of the last walk of a case.
func lastOf(t *testing.T, c *store.Case, root *trust.Root) *verdict.Result {
	t.Helper()
	return must.Get(verdict.Last(t.Context(), c, root.SHA256()))(t)
}

// readAll reads a list to its end.
func readAll[V any](t *testing.T, all iter.Seq2[V, error]) {
	t.Helper()
	for _, err := range all {
		must.Do(t, err)
	}
}

// commands are the operations on a case, in this order.
var commands = []struct {
	name string
	do   func(t *testing.T, c *store.Case, root *trust.Root)
}{
	{"crosscheck", func(t *testing.T, c *store.Case, root *trust.Root) {
		must.Get(crosscheck.Run(t.Context(), c, root, crosscheck.Options{}))(t)
	}},
	{"gaps", func(t *testing.T, c *store.Case, root *trust.Root) {
		readAll(t, gap.Find(t.Context(), c, lastOf(t, c, root), gap.Filter{}))
	}},
	{"report", func(t *testing.T, c *store.Case, root *trust.Root) {
		r := must.Get(report.Gather(t.Context(), c, lastOf(t, c, root)))(t)
		must.Get(report.Write(t.Context(), io.Discard, c, r, "html"))(t)
	}},
	{"findings", func(t *testing.T, c *store.Case, root *trust.Root) { lastOf(t, c, root) }},
	{"batches", func(t *testing.T, c *store.Case, _ *trust.Root) { readAll(t, c.Batches(t.Context())) }},
	{"events", func(t *testing.T, c *store.Case, _ *trust.Root) {
		readAll(t, c.SelectByTime(t.Context(), store.Filter{}))
	}},
	{"export", func(t *testing.T, c *store.Case, _ *trust.Root) {
		logs := must.Get(c.Logs(t.Context()))(t)
		must.Get(examine.Export(t.Context(), c, logs[0], store.Filter{}, io.Discard))(t)
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
	took["ingest"] = spent(func() {
		w := must.Get(store.OpenWrite(path, cases.As(1)))(t)
		must.Get(ingest.Paths(t.Context(), w, paths, ingest.Options{}, nil))(t)
		must.Do(t, w.Close())
	})
	took["walk"] = spent(func() {
		o := examine.Options{Case: []store.Option{cases.As(1)}, Workers: 1}
		must.Get(examine.Examine(t.Context(), path, root, o))(t)
	})
	for _, command := range commands {
		took[command.name] = spent(func() {
			c := must.Get(store.OpenCase(path, cases.As(1)))(t)
			command.do(t, c, root)
			must.Do(t, c.Close())
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
