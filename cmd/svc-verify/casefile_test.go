package main

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/messy"
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

// TestManyStores: however many stores there are, the verdict follows from their content, and
// the one that lacks an event is named.
func TestManyStores(t *testing.T) {
	e, _ := messySource(t)
	content := func(name string) []byte { return must.Get(e.Content(name))(t) }
	dump := content("stores/loki/query.jsonl")
	const stores = 70
	files := map[string][]byte{}
	for i := range stores {
		files[fmt.Sprintf("replica-%d/query.jsonl", i)] = append(bytes.Clone(dump), fmt.Sprintf(`{"n":%d}`+"\n", i)...)
	}
	clean := checkMessy(t, &messy.Collection{Files: files, Trust: content(fleet.TrustFile)})
	check.That(t, !clean.has(finding.LimitReached) && len(clean.decisive()) == 0 && len(clean.Stores) == stores,
		"exit %d, %d stores, %q", clean.code, len(clean.Stores), clean.codes())
	const last = "replica-69"
	lines := bytes.SplitAfter(files[last+"/query.jsonl"], []byte("\n"))
	files[last+"/query.jsonl"] = bytes.Join(slices.Delete(lines, 40, 50), nil)
	lacking := checkMessy(t, &messy.Collection{Files: files, Trust: content(fleet.TrustFile)})
	named := slices.ContainsFunc(lacking.Findings, func(f finding.Finding) bool {
		return f.Code == finding.SourceDisagrees && f.Store == last
	})
	check.That(t, lacking.code == 1 && named, "exit %d, %q", lacking.code, lacking.decisive())
}
