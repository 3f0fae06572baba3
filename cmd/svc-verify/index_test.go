package main

import (
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// TestIndex: ingest makes the table of events if it is asked to, and keeps it up unasked.
func TestIndex(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, scenes()["revoked"].Write("scene"))
	events := func() (n int64) {
		c := must.Get(sqlite.Open("case.db", sqlite.ReadOnly))(t)
		defer c.Close()
		if must.Get(c.Number("SELECT count(*) FROM sqlite_schema WHERE name = 'events'"))(t) == 0 {
			return -1
		}
		return must.Get(c.Number("SELECT count(*) FROM events"))(t)
	}
	before := int64(-1)
	for _, step := range []struct {
		args []string
		want func(before, n int64) bool
	}{
		{[]string{"scene/journals"}, func(_, n int64) bool { return n == -1 }},
		{[]string{"scene/journals", "--index"}, func(_, n int64) bool { return n > 0 }},
		{[]string{"scene/tenant.ndjson"}, func(before, n int64) bool { return n > before }},
	} {
		code, _, stderr := call(nil, append([]string{"ingest", "case.db"}, step.args...)...)
		n := events()
		check.That(t, code == 0 && step.want(before, n), "%v: %d, %d events, %s", step.args, code, n, stderr)
		before = n
	}
}
