package report

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/answer/answertest"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/gap"
	"github.com/svc-edge/svc-verify/forensics/pack"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// asText returns a document as text.
func asText(t *testing.T, d *answer.Doc) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, answer.WriteText(&b, d, false))
	return b.String()
}

// pages renders every answer on a case as text.
func pages(t *testing.T, path string, root *trust.Root) map[string]string {
	t.Helper()
	c, r := reopen(t, path, root)
	ctx, file := t.Context(), "case.db"
	asked := Asked{Name: file, Case: file, Trust: "trust.json"}
	compared := must.Get(examine.Crosscheck(ctx, path, root, nil,
		examine.Options{Case: []store.Option{cases.As(1)}}))(t)
	found := must.Get(query.Findings(ctx, c, r, root.SHA256(), query.FindingFilter{Severity: "critical"}))(t)
	shown := must.Get(query.Show(ctx, c, r,
		query.Search{Filter: store.Filter{LogID: "node/mesh-berlin-1", First: 7, Last: 7}}))(t)
	forked := must.Get(query.Show(ctx, c, nil,
		query.Search{Filter: store.Filter{LogID: "node/mesh-berlin-1", First: 18, Last: 18}}))(t)
	var gaps, batches, one, several bytes.Buffer
	must.Do(t, WriteGaps(&gaps, false, r, asked, gap.Find(ctx, c, r, gap.Filter{})))
	totals := must.Get(query.TotalsOf(ctx, c))(t)
	must.Do(t, WriteBatches(&batches, query.Batches(ctx, c, query.BatchFilter{}), &totals))
	oslo := store.Filter{LogID: "node/mesh-oslo-1"}
	must.Get(NewListing([]string{oslo.LogID}, 0).Write(&one, query.Events(ctx, c, oslo), nil))(t)
	issued := store.Filter{TransactionID: "tx-2026-0001"}
	must.Get(NewListing([]string{"node/mesh-berlin-1", "tenant/acme-corp"}, 9).Write(&several,
		query.Events(ctx, c, issued), func() (int, error) { return c.Count(ctx, issued) }))(t)
	return map[string]string{
		"walk.txt":         asText(t, Screen(r, asked)),
		"walk-full.txt":    asText(t, Full(r, asked)),
		"crosscheck.txt":   asText(t, Crosscheck(compared, asked)),
		"findings.txt":     asText(t, Findings(found, asked, false)),
		"show-altered.txt": asText(t, Show(shown, asked)),
		"show-forked.txt":  asText(t, Show(forked, asked)),
		"gaps.txt":         gaps.String(),
		"batches.txt":      batches.String(),
		"events-log.txt":   one.String(),
		"events.txt":       several.String(),
	}
}

// TestTextGolden compares every page with the one that was read and approved, and wants the
// same pages in whatever order the evidence came into the case.
func TestTextGolden(t *testing.T) {
	dir := must.Get(filepath.Abs("testdata"))(t)
	t.Chdir(t.TempDir())
	root := damaged(t)
	path, other := filepath.Join(t.TempDir(), "case.db"), filepath.Join(t.TempDir(), "case.db")
	for i, name := range sources {
		ingestInto(t, path, name)
		ingestInto(t, other, sources[len(sources)-1-i])
	}
	examinePath(t, path, root)
	examinePath(t, other, root)
	again := pages(t, other, root)
	for name, got := range pages(t, path, root) {
		golden(t, filepath.Join(dir, "text", name), []byte(got))
		if again[name] != got {
			t.Errorf("%s in another order of ingest: %s", name, difference([]byte(got), []byte(again[name])))
		}
	}
}

// TestTextOfNothing: where there is no walk and no such event, a page states it.
func TestTextOfNothing(t *testing.T) {
	var events bytes.Buffer
	must.Get(NewListing(nil, 0).Write(&events, func(func(query.Event, error) bool) {}, nil))(t)
	for want, got := range map[string]string{
		"NOT WALKED  c. Next: svc-verify walk\n": asText(t, Findings(&query.Found{}, Asked{Name: "c"},
			false)),
		"NOT WALKED  c: not under this trust file. Next: svc-verify walk\n": asText(t,
			Findings(&query.Found{}, Asked{Name: "c"}, true)),
		"NOT WALKED  c\n  There is no such event.\n": asText(t, Show(&query.Shown{},
			Asked{Name: "c"})),
		"no such event\n": events.String(),
	} {
		check.Equal(t, got, want, "got")
	}
}

// own puts the program's own texts into a filled value: its words, which have types of their
// own, times and digests.
func own(v reflect.Value, field string) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() != reflect.TypeFor[string]() {
			v.SetString("rejected")
		} else if slices.Contains([]string{"Hash", "PreviousHash", "Recorded", "Computed", "SHA256", "TrustSHA256",
			"Fidelity"}, field) {
			v.SetString(strings.Repeat("0", 64))
		} else if field == "OccurredAt" {
			v.SetString("2026-03-02T09:00:00.000Z")
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			own(v.Index(i), "")
		}
	case reflect.Pointer:
		own(v.Elem(), "")
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				own(v.Field(i), f.Name)
			}
		}
	}
}

// TestHostileText: no page lets a text of the evidence act on a
func TestHostileText(t *testing.T) {
	hostile := answertest.Hostile
	if testing.Short() {
		hostile = hostile[:len(hostile)/4]
	}
	for _, s := range hostile {
		var (
			r  verdict.Result
			x  examine.Crosschecked
			f  query.Found
			sh query.Shown
			in query.Ingested
			b  query.Batch
			e  query.Event
			g  gap.Gap
		)
		for _, v := range []any{&r, &x, &f, &sh, &in, &b, &e, &g} {
			fill(reflect.ValueOf(v).Elem(), s)
			own(reflect.ValueOf(v).Elem(), "")
		}
		for i := range sh.Events {
			for j := range sh.Events[i].Copies {
				sh.Events[i].Copies[j].Event = must.Get(json.Marshal(s))(t)
			}
		}
		var stream bytes.Buffer
		must.Do(t, WriteGaps(&stream, false, &r, Asked{Name: "c"}, yields(g)))
		must.Do(t, WriteBatches(&stream, yields(b), &query.BatchTotals{}))
		must.Get(NewListing([]string{s}, 0).Write(&stream, yields(e), nil))(t)
		must.Get(NewListing([]string{s, s}, 0).Write(&stream, yields(e), nil))(t)
		for name, got := range map[string]string{
			"walk":       asText(t, Full(&r, Asked{Name: "c", Case: s})),
			"crosscheck": asText(t, Crosscheck(&x, Asked{Name: "c"})),
			"findings":   asText(t, Findings(&f, Asked{Name: "c"}, false)), "show": asText(t, Show(&sh, Asked{Name: "c"})),
			"ingest": asText(t, Ingested(&in)), "streams": stream.String(),
		} {
			if at := unsafeAt(got); at >= 0 {
				t.Errorf("%s of %q is unsafe at %d: %.60q", name, s, at, got[at:])
			}
		}
	}
}

func yields[T any](v T) func(func(T, error) bool) {
	return func(yield func(T, error) bool) { yield(v, nil) }
}

// TestPackHistories: pairs of events in a row that the same keys signed are one sentence, and no other ones are.
func TestPackHistories(t *testing.T) {
	r := &pack.Result{Verdict: verify.Verified}
	for _, c := range []struct {
		log, key string
		sequence uint64
	}{{"node/a", "k", 1}, {"node/a", "k", 2}, {"node/a", "k", 4}, {"node/a", "l", 5}, {"node/b", "l", 6}} {
		r.Shown = append(r.Shown, pack.Contradiction{LogID: c.log, Sequence: c.sequence, Keys: [2]string{c.key, "k"},
			Lines: [2]int{7, 9}})
	}
	got := strings.Join(strings.Fields(asText(t, Pack(r, "a.pack", nil))), " ")
	for _, want := range []string{
		"node/a has two histories, events 1 to 2: its owner's key k signed both (the first on lines 7 and 9).",
		"node/a has two events 4: its owner's key k signed both (lines 7 and 9).",
		"node/a has two events 5: its owner's keys l and k signed one each (lines 7 and 9).", "node/b has two events 6: "} {
		check.That(t, strings.Contains(got, want), "no %q in\n%s", want, got)
	}
}
