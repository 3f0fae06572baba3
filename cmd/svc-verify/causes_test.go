package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// collection is files by name.
type collection map[string][]byte

// with returns the collection with other files.
func (c collection) with(more collection) collection {
	c = maps.Clone(c)
	maps.Copy(c, more)
	return c
}

// aboutEvent is the members of an event that a line of a store or a journal holds.
type aboutEvent struct {
	LogID         string `json:"log_id"`
	Type          string
	Sequence      int
	OccurredAt    string `json:"occurred_at"`
	TransactionID string `json:"transaction_id"`
	Data          struct {
		NodeID string `json:"node_id"`
	}
}

// eventIn returns the event within a line of JSON, at any depth and quoted; false if
// there is none.
func eventIn(line []byte) (e aboutEvent, ok bool) {
	var v any
	if json.Unmarshal(line, &v) != nil {
		return e, false
	}
	switch v := v.(type) {
	case string:
		return eventIn([]byte(v))
	case map[string]any:
		if v["log_id"] != nil {
			return e, json.Unmarshal(line, &e) == nil
		}
		for _, member := range v {
			b, _ := json.Marshal(member)
			if e, ok = eventIn(b); ok {
				return e, true
			}
		}
	}
	return e, false
}

// without drops the lines of the events that are chosen.
func without(content []byte, drop func(e aboutEvent, n int) bool) []byte {
	var kept []byte
	n := 0
	for line := range bytes.Lines(content) {
		e, ok := eventIn(line)
		if ok {
			n++
		}
		if !ok || !drop(e, n) {
			kept = append(kept, line...)
		}
	}
	return kept
}

// textStoreFiles are dumps of stores that keep one event on a line.
var textStoreFiles = []string{"stores/loki/query.jsonl", "stores/elasticsearch/raw.jsonl", "stores/splunk/export.jsonl",
	"stores/clickhouse/otel_logs.jsonl"}

// coreOf returns the logs and anchors of evidence, and a function that reads a file.
func coreOf(t *testing.T, e *fleet.Evidence) (collection, func(string) []byte) {
	t.Helper()
	content := func(name string) []byte { return must.Get(e.Content(name))(t) }
	c := collection{}
	for _, name := range e.Names("journals", "cursors", "bundles", fleet.TenantLog, fleet.Checkpoints) {
		c[name] = content(name)
	}
	return c, content
}

// TestCausesOfMissingEvents: events that a store lacks are missing by design if a rule over
// the whole time explains all of them, and are reported as of one transaction or type if they
// are.
func TestCausesOfMissingEvents(t *testing.T) {
	e := cases.Evidence(t, fleet.Scene)
	trust := trustFile(t, e, t.TempDir())
	core, content := coreOf(t, e)
	var all []aboutEvent
	transactions := map[string]int{}
	without(content(textStoreFiles[0]), func(e aboutEvent, _ int) bool {
		if all = append(all, e); e.Type == "approval.signed" {
			transactions[e.TransactionID]++
		}
		return false
	})
	transaction := slices.Max(slices.Collect(maps.Keys(transactions)))
	middle := all[len(all)/2].OccurredAt
	of := func(e aboutEvent, _ int) bool { return e.TransactionID == transaction }
	typed := func(types ...string) func(aboutEvent, int) bool {
		return func(e aboutEvent, _ int) bool { return slices.Contains(types, e.Type) }
	}
	kept := func(e aboutEvent, _ int) bool { return e.Type != "approval.signed" && e.Type != "decision.signed" }
	ofOslo := func(e aboutEvent, _ int) bool {
		return e.LogID == "node/mesh-oslo-1" && 4 < e.Sequence && e.Sequence < 9
	}
	old := func(e aboutEvent, _ int) bool { return e.OccurredAt < middle }
	atRandom := func(_ aboutEvent, n int) bool { return n*n%23 == 3 }
	const deleted, lossy = "cause.events-deleted", "cause.lossy-store"
	for name, tt := range sampled(map[string]struct {
		drop   func(aboutEvent, int) bool
		stores int
		want   string
		says   string
	}{
		"a transaction, from one store":   {of, 1, deleted, "events of transaction " + transaction},
		"a transaction, from four stores": {of, 4, deleted, "events of transaction " + transaction},
		"a type":                          {typed("approval.signed"), 1, deleted, "events of type approval.signed"},
		"another type, from two stores":   {typed("checkpoint.witnessed"), 2, deleted, "events of type checkpoint.witnessed"},
		"all but two types":               {kept, 1, lossy, "types at any time"},
		"all but two types, and one more": {func(e aboutEvent, n int) bool { return kept(e, n) || n == 20 }, 1, deleted, ""},
		"two of three":                    {func(_ aboutEvent, n int) bool { return n%3 != 0 }, 1, lossy, "2 of every 3"},
		"one of four":                     {func(_ aboutEvent, n int) bool { return n%4 == 0 }, 1, lossy, "one of every 4"},
		"what is old":                     {old, 1, lossy, "retention"},
		"a few, at random":                {atRandom, 1, deleted, "deleted events of"},
		"of one node, in the middle":      {ofOslo, 1, deleted, "node/mesh-oslo-1"},
		"half an hour":                    {func(_ aboutEvent, n int) bool { return 60 < n && n < 80 }, 1, deleted, ""},
	}, 3) {
		t.Run(name, func(t *testing.T) {
			c := core
			for _, store := range textStoreFiles[:tt.stores] {
				c = c.with(collection{store: without(content(store), tt.drop)})
			}
			n := checkFiles(t, c, trust)
			must.That(t, len(n.Causes) > 0 && n.Causes[0].Code == tt.want, "%q, want %s first", n.causes(), tt.want)
			said := n.Causes[0].Message + strings.Join(n.Causes[0].For, "\n")
			check.That(t, strings.Contains(said, tt.says) && !emptyRange.MatchString(said),
				"%s does not say %q", said, tt.says)
		})
	}
}

// TestMissingInOneCopy: the same of a copy of the tenant log, where a node is an actor too.
func TestMissingInOneCopy(t *testing.T) {
	e := cases.Evidence(t, fleet.Scene)
	trust := trustFile(t, e, t.TempDir())
	core, _ := coreOf(t, e)
	for what, drop := range sampled(map[string]func(aboutEvent, int) bool{
		"events of node mesh-oslo-1": func(e aboutEvent, _ int) bool { return e.Data.NodeID == "mesh-oslo-1" },
		"events of transaction tx-2026-0002": func(e aboutEvent, _ int) bool {
			return e.TransactionID == "tx-2026-0002"
		},
		"events of type approval.recorded": func(e aboutEvent, _ int) bool {
			return e.Type == "approval.recorded"
		},
		"events of tenant/acme-corp": func(_ aboutEvent, n int) bool { return n == 50 || n == 61 || n == 90 },
	}, 2) {
		n := checkFiles(t, core.with(collection{"copies/tenant.ndjson": without(core[fleet.TenantLog], drop)}), trust)
		check.That(t, n.code == 1 && len(n.Causes) > 0 && strings.Contains(n.Causes[0].Message, "Someone deleted "+what),
			"%s: exit %d, %q", what, n.code, n.Causes)
	}
}

// TestTransactionDeletedEverywhere: where all logs lack a transaction, the bundles show whose
// statements are missing.
func TestTransactionDeletedEverywhere(t *testing.T) {
	e := cases.Evidence(t, fleet.Scene)
	trust := trustFile(t, e, t.TempDir())
	core, _ := coreOf(t, e)
	for _, transaction := range []string{"tx-2026-0001", "tx-2026-0002", "tx-2026-0003"} {
		c := collection{}
		for name, content := range core {
			if c[name] = content; strings.HasPrefix(name, "journals/") || name == fleet.TenantLog {
				c[name] = without(content, func(e aboutEvent, _ int) bool { return e.TransactionID == transaction })
			}
		}
		n := checkFiles(t, c, trust)
		want := "Someone deleted events of transaction " + transaction
		check.That(t, n.code == 1 && len(n.Causes) == 1 && strings.HasPrefix(n.Causes[0].Message, want),
			"%s: exit %d, %q", transaction, n.code, n.Causes)
	}
}
