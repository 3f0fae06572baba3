package store_test

import (
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// longCase makes a case with an index of so many events of each of two logs.
func longCase(t *testing.T, events uint64) *store.Case {
	t.Helper()
	var all []drawn
	for n := uint64(1); n <= events; n++ {
		for log := range 2 {
			all = append(all, drawn{log: log, sequence: n, fidelity: facts.Exact})
		}
	}
	path := filepath.Join(t.TempDir(), "store.db")
	w := must.Get(store.OpenWrite(path))(t)
	pourDrawn(t, w, all, digestOf, len(all))
	must.Do(t, w.Index(), store.IndexEvents(t.Context(), w), w.Close())
	c := must.Get(store.OpenCase(path))(t)
	t.Cleanup(func() { c.Close() })
	return c
}

// TestQuestionsReadWhatTheyAskFor: a question about some events reads a few rows, and no more
// of a long case than of a short one.
func TestQuestionsReadWhatTheyAskFor(t *testing.T) {
	first := func(t *testing.T, c *store.Case, f store.Filter, most int) {
		for _, err := range c.SelectByTime(t.Context(), f) {
			must.Do(t, err)
			if most--; most == 0 {
				return
			}
		}
	}
	log := func(t *testing.T, c *store.Case) evidence.Log { return must.Get(c.Logs(t.Context()))(t)[0] }
	some := evidence.Stretch{First: 700, Last: 720}
	questions := map[string]func(*testing.T, *store.Case){
		"ten events": func(t *testing.T, c *store.Case) { first(t, c, store.Filter{}, 10) },
		"a range":    func(t *testing.T, c *store.Case) { first(t, c, store.Filter{First: some.First, Last: some.Last}, 0) },
		"its count": func(t *testing.T, c *store.Case) {
			must.Get(c.Count(t.Context(), store.Filter{Type: "type.1", First: some.First, Last: some.Last}))(t)
		},
		"sizes": func(t *testing.T, c *store.Case) { must.Get(c.Sizes(t.Context(), log(t, c), some))(t) },
		"neighbours": func(t *testing.T, c *store.Case) {
			must.Two(c.Around(t.Context(), log(t, c), some.First, some.Last))(t)
		},
		"many neighbours": func(t *testing.T, c *store.Case) {
			for n := some.First; n <= some.Last; n++ {
				before, after := must.Two(c.Around(t.Context(), log(t, c), n, n+1))(t)
				must.Get(c.Deliveries(t.Context(), before.Ref))(t)
				must.Get(c.Copy(t.Context(), after.Ref))(t)
			}
		},
		"transaction": func(t *testing.T, c *store.Case) { first(t, c, store.Filter{TransactionID: "tx-9"}, 0) },
		"batches of a range": func(t *testing.T, c *store.Case) {
			for _, err := range c.Batched(t.Context(), log(t, c), some) {
				must.Do(t, err)
			}
		},
	}
	const few = 20
	short, long := longCase(t, 800), longCase(t, 3_200)
	for name, ask := range questions {
		var reads [2]int64
		for i, c := range []*store.Case{short, long} {
			before := sqlite.Reads()
			ask(t, c)
			reads[i] = sqlite.Reads() - before
		}
		must.That(t, reads[1] <= reads[0]+1 && reads[1] <= few, "%s: %d rows of a short case, and %d of a long one", name,
			reads[0], reads[1])
	}
}
