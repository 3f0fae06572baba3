package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/partview"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// asked answers people's questions about evidence, other than those that a verdict needs.
type asked interface {
	Select(context.Context, store.Filter) iter.Seq2[store.Selected, error]
	SelectByTime(context.Context, store.Filter) iter.Seq2[store.Selected, error]
	Find(context.Context, [32]byte) iter.Seq2[store.Selected, error]
	Line(context.Context, *store.Selected) ([]byte, error)
	Around(_ context.Context, _ facts.Log, first, last uint64) (before, after facts.Event, err error)
	Present(context.Context, facts.Log) iter.Seq2[evidence.Stretch, error]
	PresentIn(context.Context, facts.Log, int64) iter.Seq2[evidence.Stretch, error]
	Sizes(context.Context, facts.Log, evidence.Stretch) (store.Sizes, error)
	Batched(context.Context, facts.Log, evidence.Stretch) iter.Seq2[store.Batched, error]
	BatchShares(context.Context) iter.Seq2[store.BatchShare, error]
}

// questions are the questions of one test.
type questions struct {
	filters []store.Filter
	hashes  [][32]byte
	ranges  []evidence.Stretch
}

func drawQuestions(t *rapid.T, all []drawn) (q questions) {
	for range 4 {
		f := store.Filter{LogID: rapid.SampledFrom([]string{"", "", "node/0", "tenant/acme", "node/9"}).Draw(t, "log"),
			TenantID: rapid.SampledFrom([]string{"", "", "acme"}).Draw(t, "tenant"),
			Type: rapid.SampledFrom([]string{"", "", "type.1", "type.9", "type.*", "*.1", "t*e*9", "*"}).
				Draw(t, "type"),
			TransactionID: rapid.SampledFrom([]string{"", "", "tx-1", "tx-9"}).Draw(t, "transaction"),
			Content: rapid.SampledFrom([]string{"", "", "", `{"n":3,`, `a"b1`, "tx-1", "type.1", "n3"}).
				Draw(t, "content"),
			First: rapid.Uint64Range(0, 8).Draw(t, "first"),
			Last:  rapid.SampledFrom([]uint64{0, 0, 7, 9}).Draw(t, "last")}
		if rapid.IntRange(0, 2).Draw(t, "has condition") == 0 {
			f.Where = everySecond{}
		}
		if rapid.IntRange(0, 2).Draw(t, "has from") == 0 {
			f.From = time.UnixMilli(rapid.Int64Range(0, 12000).Draw(t, "from"))
		}
		if rapid.IntRange(0, 2).Draw(t, "has to") == 0 {
			f.To = time.UnixMilli(rapid.Int64Range(0, 12000).Draw(t, "to"))
		}
		q.filters = append(q.filters, f)
		first := rapid.SampledFrom([]uint64{1, 2, 3, 7, 8, 15, 50, 90, 92, 4000, 1 << 39}).Draw(t, "range from")
		q.ranges = append(q.ranges, evidence.Stretch{First: first, Last: first + rapid.Uint64Range(0, 90).Draw(t, "more")})
	}
	q.hashes = [][32]byte{{9}, {2, 7}, {2, 3}}
	for _, d := range all[:min(3, len(all))] {
		q.hashes = append(q.hashes, d.line().Recorded)
	}
	return q
}

// everySecond is a condition that everything in a candidate has a bearing on.
type everySecond struct{}

func (everySecond) Matches(c store.Candidate) bool {
	all := fmt.Sprint(c.Log, c.Sequence, c.OccurredAt, c.Type, c.KeyID, string(c.TransactionID), string(c.Data))
	return strings.Count(all, "1")%2 == 0
}

// answering writes answers in words that hold for whatever numbers the evidence has.
type answering struct {
	t       *rapid.T
	ctx     context.Context
	a       asked
	sources map[int64]string
	rows    []string
}

func (w *answering) row(values ...any) {
	w.rows = append(w.rows, string(must.Get(json.Marshal(values))(w.t)))
}

func (w *answering) place(p facts.Place) []any {
	return []any{w.sources[p.Source], p.Container, p.Offset, p.Length, p.Record}
}

func (w *answering) event(e *facts.Event) []any {
	return []any{e.Link.Sequence, e.Recorded, e.Link.Previous, e.Link.Skip, e.ContentHash(), e.KeyID,
		e.Signature[:], e.Type, e.OccurredAt, e.TransactionID, e.Deliveries, e.Variant, e.Copies, e.Fidelity, !e.Ref.IsZero()}
}

func (w *answering) selected(what string, all iter.Seq2[store.Selected, error]) (events int) {
	for e, err := range all {
		must.Do(w.t, err)
		w.row(what, e.Log, w.event(&e.Event), string(must.Get(w.a.Line(w.ctx, &e))(w.t)), w.place(e.Found))
		if e.Variant == 0 {
			events++
		}
	}
	return events
}

func listRows[T any](w *answering, what string, all iter.Seq2[T, error], of func(T) any) {
	for one, err := range all {
		must.Do(w.t, err)
		w.row(what, of(one))
	}
}

func (w *answering) log(log facts.Log, ranges []evidence.Stretch) {
	same := func(s evidence.Stretch) any { return s }
	listRows(w, "present", w.a.Present(w.ctx, log), same)
	for source, name := range w.sources {
		listRows(w, "present in "+name, w.a.PresentIn(w.ctx, log, source), same)
	}
	for _, r := range ranges {
		before, after := must.Two(w.a.Around(w.ctx, log, r.First, r.Last))(w.t)
		before.TransactionID, after.TransactionID = "", "" // which a store does not look up
		w.row("around", log, r, w.event(&before), w.event(&after))
		w.row("sizes", log, r, must.Get(w.a.Sizes(w.ctx, log, r))(w.t))
		listRows(w, "batched", w.a.Batched(w.ctx, log, r), func(b store.Batched) any { return b })
	}
}

// answers returns the answers to questions about evidence with these logs.
func answers(t *rapid.T, a asked, logs []facts.Log, sources map[int64]string, q questions) []string {
	w := &answering{t: t, ctx: t.Context(), a: a, sources: sources}
	for i, f := range q.filters {
		events := w.selected(fmt.Sprint("select ", i), a.Select(w.ctx, f))
		if q, ok := a.(*store.Queries); ok {
			must.Equal(t, must.Get(q.Count(w.ctx, f))(t), events, "events of %+v", f)
		}
		w.selected(fmt.Sprint("by time ", i), a.SelectByTime(w.ctx, f))
	}
	for _, hash := range q.hashes {
		w.selected("find", a.Find(w.ctx, hash))
	}
	listRows(w, "share", a.BatchShares(w.ctx), func(s store.BatchShare) any {
		return []any{s.ID, s.TenantID, s.LogID, sources[s.Source], s.Deliveries, s.First, s.Last}
	})
	begin := len(w.rows)
	for _, log := range logs {
		w.log(log, q.ranges)
	}
	slices.SortStableFunc(w.rows[begin:], func(a, b string) int { // in which the sources come is not asked
		return strings.Compare(a[:strings.IndexByte(a, ',')], b[:strings.IndexByte(b, ',')])
	})
	return w.rows
}

func sourcesOf(t *rapid.T, r evidence.Reader) map[int64]string {
	names := map[int64]string{}
	for _, s := range must.Get(r.Sources(t.Context()))(t) {
		names[s.Number] = s.SHA256.String()
	}
	return names
}

// TestQueries compares the answers of a store of drawn arrivals with a list of them.
func TestQueries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir := must.Get(os.MkdirTemp("", "store"))(t)
		defer os.RemoveAll(dir)
		all := drawArrivals(t)
		q := drawQuestions(t, all)

		f := fillStore(t, dir, all)
		defer f.Close()
		v := must.Get(partview.New(t.Context(), f.Content, partview.Options{Line: f.CopyLine}))(t)
		logs, sources := must.Get(v.Logs(t.Context()))(t), sourcesOf(t, v)
		most := rapid.SampledFrom([]int{1, 3, 100, 0}).Draw(t, "most at once")
		want := answers(t, newNaive(all), logs, sources, q)
		sameRows(t, "list", want, "store", answers(t, store.NewQueries(f, v).Bounded(most), logs, sources, q))
	})
}

// sameRows fails at the first row in which answers differ.
func sameRows(t *rapid.T, one string, want []string, other string, got []string) {
	t.Helper()
	for i := range max(len(want), len(got)) {
		a, b := "nothing", "nothing"
		if i < len(want) {
			a = want[i]
		}
		if i < len(got) {
			b = got[i]
		}
		must.That(t, a == b, "row %d of %d and %d:\n%s: %s\n%s: %s", i, len(want), len(got), one, a, other, b)
	}
}

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
	log := func(t *testing.T, c *store.Case) facts.Log { return must.Get(c.Logs(t.Context()))(t)[0] }
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
