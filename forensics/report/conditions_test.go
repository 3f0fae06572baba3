package report

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// selectedBy returns the events that a filter selects, by log and sequence: where the times of
// a log go back, the order of several logs depends on the selection.
func selectedBy(t *testing.T, c *store.Case, f store.Filter) (all []query.Event) {
	t.Helper()
	for e, err := range query.Events(t.Context(), c, f) {
		must.Do(t, err)
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b query.Event) int {
		return cmp.Or(strings.Compare(a.LogID, b.LogID), cmp.Compare(a.Sequence, b.Sequence))
	})
	return all
}

// TestConditions compares conditions with functions of Go. The narrowed filter selects the
// same events, and has this log, type, transaction and range.
func TestConditions(t *testing.T) {
	t.Chdir(t.TempDir())
	c, _ := open(t, damaged(t), sources...)
	all := selectedBy(t, c, store.Filter{})
	const oslo = "node/mesh-oslo-1"
	for text, want := range map[string]struct {
		narrowed store.Filter
		holds    func(query.Event) bool
	}{
		`log_id == "node/mesh-oslo-1"`: {store.Filter{LogID: oslo}, func(e query.Event) bool { return e.LogID == oslo }},
		`type == "approval.signed" and sequence > 3 and sequence <= 9`: {
			store.Filter{Type: "approval.signed", First: 3, Last: 9}, func(e query.Event) bool {
				return e.Type == "approval.signed" && e.Sequence > 3 && e.Sequence <= 9
			}},
		`transaction_id == "tx-2026-0001" && sequence >= 5`: {store.Filter{TransactionID: "tx-2026-0001", First: 5},
			func(e query.Event) bool { return e.TransactionID == "tx-2026-0001" && e.Sequence >= 5 }},
		`sequence == 4`: {store.Filter{First: 4, Last: 4},
			func(e query.Event) bool { return e.Sequence == 4 }},
		`sequence < 4`:                  {store.Filter{Last: 4}, func(e query.Event) bool { return e.Sequence < 4 }},
		`sequence > 8 and sequence < 4`: {store.Filter{First: 8}, func(query.Event) bool { return false }},
		`log_id == "node/mesh-oslo-1" or sequence == 4`: {store.Filter{},
			func(e query.Event) bool { return e.LogID == oslo || e.Sequence == 4 }},
		`not (sequence == 4)`: {store.Filter{}, func(e query.Event) bool { return e.Sequence != 4 }},
		`sequence != 4`:       {store.Filter{}, func(e query.Event) bool { return e.Sequence != 4 }},
		`type startsWith "approval." and occurred_at < "2026-03-02T09:01"`: {store.Filter{}, func(e query.Event) bool {
			return e.Type[:min(len(e.Type), 9)] == "approval." && e.OccurredAt < "2026-03-02T09:01"
		}},
		`key_id == "mesh-oslo-1" and tenant_id == "acme-corp"`: {store.Filter{TenantID: "acme-corp"},
			func(e query.Event) bool { return e.KeyID == "mesh-oslo-1" }},
	} {
		w := must.Get(query.ParseWhere(text))(t)
		var expected []query.Event
		for _, e := range all {
			if want.holds(e) {
				expected = append(expected, e)
			}
		}
		f := w.Narrow(store.Filter{})
		found := selectedBy(t, c, f)
		check.That(t, slices.Equal(found, expected), "%s: %d events, expected %d", text, len(found), len(expected))
		whole := selectedBy(t, c, store.Filter{Where: w})
		check.That(t, slices.Equal(found, whole), "%s: narrowed, it selects others", text)
		if _, last := want.narrowed.Bounds(); want.narrowed.Last == 0 {
			want.narrowed.Last = last
		}
		_, f.Last = f.Bounds()
		f.Where = nil
		check.Equal(t, f, want.narrowed, "%s: narrowed", text)
	}
}

// TestConditionsOnData: a condition can look into data, and has no value where that is of another
// kind.
func TestConditionsOnData(t *testing.T) {
	t.Chdir(t.TempDir())
	c, _ := open(t, damaged(t), sources...)
	w := must.Get(query.ParseWhere(`data.node_id == "mesh-oslo-1" and data.a["b"] == "x"`))(t)
	check.Equal(t, w.Narrow(store.Filter{}).Content, "mesh-oslo-1", "the text that the data contains")
	for text, want := range map[string]struct {
		events    int
		valueless int64
	}{
		`data.reason == "a \"quoted\" reason"`:                       {0, 0},
		`data.node_id != "mesh-oslo-1" and type == "node.reported"`:  {22, 0},
		`data["node_id"] == "mesh-oslo-1"`:                           {29, 0},
		`data.policy_sha256[:2] == "4c"`:                             {4, 153},
		`data.node_id == "mesh-oslo-1" and type == "node.reported"`:  {11, 0},
		`data.node_id == "mesh-oslo-1" and type == "policy.synced"`:  {0, 0},
		`type == "policy.synced" and data.policy_version == 7`:       {3, 0},
		`type == "policy.synced" and data.policy_version == 7.5`:     {0, 0},
		`type == "policy.synced" and data.policy_version > "6"`:      {0, 3},
		`type == "policy.synced" and data.absent > 6`:                {0, 3},
		`type == "policy.synced" and "policy_sha256" in data`:        {3, 0},
		`type == "policy.synced" and len(data.policy_sha256) == 64`:  {3, 0},
		`type == "policy.synced" and len(data.policy_version) == 64`: {0, 3},
	} {
		w := must.Get(query.ParseWhere(text))(t)
		whole := selectedBy(t, c, store.Filter{Where: w})
		valueless, why := w.Valueless()
		found := selectedBy(t, c, w.Narrow(store.Filter{}))
		check.That(t, slices.Equal(found, whole), "%s: narrowed, it selects others", text)
		check.Equal(t, len(found), want.events, "%s: events", text)
		check.That(t, (valueless > 0) == (want.valueless > 0) && (why != nil) == (valueless > 0), "%s: no value for %d, %v",
			text, valueless, why)
	}
}

// TestConditionsAreRefused: a text that is no condition on an event is an error.
func TestConditionsAreRefused(t *testing.T) {
	for _, text := range []string{"", "1", `"a"`, "sequence", "kind == 1", `sequence == "1"`, "type == 1",
		"now() > date(type)", "type ==", `type == "a" )`, "sequence + 1", "log_id.x",
		strings.Repeat(" ", 5000) + "true"} {
		_, err := query.ParseWhere(text)
		check.That(t, err != nil, "%q is accepted", text)
	}
	_, err := query.ParseWhere("true or (false", "true) and true")
	check.That(t, err != nil, "two conditions are read as one")
}
