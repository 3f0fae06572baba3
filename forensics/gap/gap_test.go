package gap

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"

	"pgregory.net/rapid"
)

// at is a neighbour in one source, which is named by a letter.
func at(sequence uint64, source string, format read.Format) side {
	return side{
		neighbour: &Neighbour{Sequence: sequence, Bytes: 400, Sources: []string{source}},
		event: facts.Event{Header: event.Header{OccurredAt: time.Date(2026, 3, 2, 9, 30, 0, 0,
			time.UTC).UnixMilli()}},
		deliveries: []facts.Delivery{{Place: facts.Place{Source: int64(source[0]), Record: int64(sequence)}}},
		formats:    []read.Format{format},
		sources:    []facts.Source{{Number: int64(source[0]), Paths: []string{source}, Records: 77}},
	}
}

// in puts both neighbours into batches, and cuts some.
func in(f signs, cut ...string) signs {
	f.before.neighbour.Batches, f.after.neighbour.Batches = []string{"a"}, []string{"b"}
	f.gap.CutBatches = cut
	return f
}

func with(f signs, change func(*signs)) signs {
	change(&f)
	return f
}

var update = flag.Bool("update", false, "write the golden file anew")

// TestHypotheses: for each cause, facts that speak for it and, as a near miss,
// facts that do not. The golden file has all that is said with them.
func TestHypotheses(t *testing.T) {
	var said []string
	between := func(a, b string, format read.Format) signs {
		return signs{before: at(9, a, format), after: at(13, b, format), compared: true}
	}
	head := func(format read.Format) signs { return signs{after: at(13, "x", format), head: true} }
	whole := func(f *signs) { f.after.event.Recorded = f.after.event.Link.Hash() }
	for name, test := range map[string]struct {
		facts       signs
		cause       string
		pro, contra int // how many facts
	}{
		"a hole in a journal": {between("x", "x", read.Journal), "deleted-at-source", 1, 0},
		"a hole in an export": {between("x", "x", read.Loki), "deleted-at-source", 0, 0},
		"exported before":     {in(between("x", "x", read.Loki), "a"), "deleted-at-source", 0, 1},
		"others have it": {with(between("x", "x", read.Loki), func(f *signs) { f.source = true }),
			"deleted-at-source", 0, 1},
		"a store lacks what others have": {with(between("x", "x", read.Loki),
			func(f *signs) { f.source, f.gap.Holders = true, []string{"y"} }), "deleted-at-store", 1, 0},
		"a journal is no store":           {between("x", "x", read.Journal), "deleted-at-store", 0, 1},
		"a head that is missing":          {head(read.OTLPJSON), "retention", 1, 0},
		"two files":                       {between("x", "y", read.OTLPJSON), "retention", 1, 0},
		"a missing end":                   {signs{before: at(9, "x", read.OTLPJSON)}, "retention", 0, 0},
		"a missing end of a rotated file": {signs{before: at(9, "x.jsonl.1.gz", read.OTLPJSON)}, "retention", 1, 0},
		"two streams": {with(between("x", "y", read.OTLPJSON),
			func(f *signs) { f.before.sources[0].Paths, f.after.sources[0].Paths = nil, nil }), "retention", 1, 0},
		"two files, and one's own gap": {with(between("x", "y", read.OTLPJSON),
			func(f *signs) { f.source, f.before.sources = true, nil }), "retention", 0, 0},
		"a rotated file": {between("x", "y-2026-03-02T09-00-00.000.jsonl", read.OTLPJSON), "retention", 2,
			0},
		"one file": {between("x", "x", read.OTLPJSON), "retention", 0, 1},
		"a file that begins with the gap": {with(head(read.OTLPJSON), func(f *signs) { f.after.deliveries[0].Record = 0 }),
			"restart-truncation", 1, 0},
		"a file that begins before": {head(read.OTLPJSON), "restart-truncation", 0, 0},
		"a store's dump begins with the gap": {with(head(read.Loki), func(f *signs) { f.after.deliveries[0].Record = 0 }),
			"restart-truncation", 0, 0},
		"one file has both sides": {between("x", "x", read.OTLPJSON), "restart-truncation", 0, 1},
		"a batch is cut":          {in(between("x", "x", read.OTLPJSON), "a"), "partial-success", 1, 0},
		"batches are whole":       {in(between("x", "x", read.OTLPJSON)), "partial-success", 0, 1},
		"a whole request":         {in(between("x", "x", read.OTLPJSON)), "request-limit", 1, 0},
		"a part of a request":     {in(between("x", "x", read.OTLPJSON), "b"), "request-limit", 0, 1},
		"no batch id after it": {with(in(between("x", "x", read.OTLPJSON)),
			func(f *signs) { f.after.neighbour.Batches = nil }), "request-limit", 0, 0},
		"long events": {with(between("x", "x", read.Loki),
			func(f *signs) { f.before.neighbour.Bytes = 200_000 }), "record-limit", 1, 0},
		"short events": {between("x", "x", read.Loki), "record-limit", 0, 1},
		"events of some length": {with(between("x", "x", read.Loki),
			func(f *signs) { f.before.neighbour.Bytes = 100_000 }), "record-limit", 0, 0},
		"a store without a limit": {with(between("x", "x", read.ClickHouse),
			func(f *signs) { f.before.neighbour.Bytes = 900_000 }), "record-limit", 0, 0},
		"missing events that are too long": {with(between("x", "x", read.SplunkHEC),
			func(f *signs) { f.source, f.missing = true, store.Sizes{Smallest: 10_001, Largest: 10_002} }), "record-limit", 1,
			0},
		"a missing event that is short": {with(between("x", "x", read.SplunkHEC),
			func(f *signs) { f.source, f.missing = true, store.Sizes{Smallest: 10_000, Largest: 10_002} }), "record-limit", 0,
			1},
		"thirty results": {with(head(read.Loki), func(f *signs) { f.after.sources[0].Records = 30 }),
			"query-limit", 1, 0},
		"thirty-one results": {with(head(read.Loki), func(f *signs) { f.after.sources[0].Records = 31 }),
			"query-limit", 0, 0},
		"thirty lines of another store": {with(head(read.ClickHouse),
			func(f *signs) { f.after.sources[0].Records = 30 }), "query-limit", 0, 0},
		"a window": {with(head(read.ClickHouse),
			func(f *signs) { f.after.event.OccurredAt = 1_772_442_003_000 }), "query-limit", 1, 0},
		"just beside a window": {with(head(read.ClickHouse),
			func(f *signs) { f.after.event.OccurredAt = 1_772_442_006_000 }), "query-limit", 0, 0},
		"a span that could not be read": {with(between("x", "x", read.Loki),
			func(f *signs) { f.gap.Unreadable = make([]finding.Evidence, 1) }), "unreadable-span", 1, 0},
		"all could be read": {between("x", "x", read.Loki), "unreadable-span", 0, 1},
		"no source has both sides": {with(between("x", "y", read.Loki), func(f *signs) { f.compared = false }),
			"unreadable-span", 0, 0},
		"an altered event behind it": {between("x", "x", read.Loki), "forged-event", 1, 0},
		"a whole event behind it":    {with(between("x", "x", read.Loki), whole), "forged-event", 0, 0},
		"an altered copy beside a whole one": {with(between("x", "x", read.Loki),
			func(f *signs) { f.after.event.Copies = 2 }), "forged-event", 0, 0},
		"the walk went on behind it": {with(between("x", "x", read.Loki), func(f *signs) { whole(f); f.end = 13 }),
			"forged-event", 0, 1},
		"the walk ended before it": {with(between("x", "x", read.Loki), func(f *signs) { whole(f); f.end = 9 }),
			"forged-event", 0, 0},
	} {
		all := test.facts.hypotheses()
		i := slices.IndexFunc(all, func(h Hypothesis) bool { return h.Cause == test.cause })
		if h := all[i]; len(h.For) != test.pro || len(h.Against) != test.contra {
			t.Errorf("%s: %s: for %q, against %q, want %d and %d", name, test.cause, h.For, h.Against, test.pro, test.contra)
		}
		check.That(t, len(all) == len(causes), "%s: %d hypotheses", name, len(all))
		all = slices.DeleteFunc(all, func(h Hypothesis) bool { return len(h.For)+len(h.Against) == 0 })
		said = append(said, fmt.Sprintf("%s: %q", name, all))
	}
	const golden = "testdata/hypotheses.golden"
	text := strings.Join(slices.Sorted(slices.Values(said)), "\n") + "\n"
	if *update {
		must.Do(t, os.WriteFile(golden, []byte(text), 0o644))
	}
	check.Equal(t, text, string(must.Get(os.ReadFile(golden))(t)), "run with -update to accept")
}

// TestBatchRun: the run around a neighbour has the id of SPEC 9.2, and a run next to it does
// not count.
func TestBatchRun(t *testing.T) {
	hash := func(n uint64) [32]byte { return [32]byte{byte(n)} }
	feed := func(neighbour uint64, sequences ...uint64) string {
		var r batchRun
		for _, n := range sequences {
			r.add(store.Batched{Sequence: n, Hash: hash(n)}, neighbour)
		}
		return r.id("node/a")
	}
	whole := feed(5, 3, 4, 5)
	got := feed(5, 1, 3, 4, 4, 5, 5, 7, 8)
	check.That(t, got == whole, "a run beside the neighbour's, or a redelivery, counts")
	check.That(t, feed(5, 4, 5) != whole && feed(5, 3, 4, 5, 6) != whole, "another run has the same id")
}

// TestTail: the result of a walk about the end of a log.
func TestTail(t *testing.T) {
	l := walk.LogResult{LogID: "node/a", LastSequence: 20, Events: 15, AnchoredSequence: 9}
	if got := tailOf(l); got.missing != 0 || got.anchored != 9 || got.end != 20 || got.beyond != "" ||
		len(got.strays) > 0 {
		t.Errorf("nothing above: %+v", got)
	}
	l.Fitting = &walk.AnchorName{Sequence: 17}
	l.Beyond = &walk.AnchorName{Sequence: 24, Hash: "ab", Name: "the checkpoint at 24"}
	l.Strays = []walk.Range{{First: 40, Last: 49}}
	got := tailOf(l)
	if got.missing != 24 || got.beyond != "event 24, ab, by the checkpoint at 24" ||
		got.anchored != 17 {
		t.Errorf("an anchor that fits and one above: %+v", got)
	}
	check.That(t, slices.Equal(got.strays, []evidence.Stretch{{First: 40, Last: 49}}), "strays: %+v", got.strays)
	l.Fitting.Sequence = 5
	if got := tailOf(l); got.anchored != 9 {
		t.Errorf("an earlier walk knew a higher anchor: %+v", got)
	}
}

// TestRanges holds between, outside and without against sets.
func TestRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all, some [24]bool
		for n := 1; n < 20; n++ {
			all[n] = rapid.Bool().Draw(t, "all")
			some[n] = all[n] && rapid.Bool().Draw(t, "some")
		}
		known := rapid.Uint64Range(0, 23).Draw(t, "known")
		top := 0
		for n := range all {
			if all[n] {
				top = n
			}
		}
		top = max(top, int(known))
		var missing, lacking [24]bool
		for n := 1; n <= top; n++ {
			missing[n] = !all[n]
		}
		if slices.Contains(some[:], true) {
			for n := range all {
				lacking[n] = all[n] && !some[n]
			}
		}
		check.Equal(t, set(t, gapsWithin(stretchesOf(all), known)), missing, "between %v", all)
		var strays []evidence.Stretch
		rest := all
		for first := uint64(1); rapid.Bool().Draw(t, "stray") && first < 20; {
			first = rapid.Uint64Range(first, 20).Draw(t, "stray from")
			strays = append(strays, evidence.Stretch{First: first, Last: rapid.Uint64Range(first, 20).Draw(t, "stray to")})
			for n := first; n <= strays[len(strays)-1].Last; n++ {
				rest[n] = false
			}
		}
		check.Equal(t, set(t, outsideOf(stretchesOf(all), strays)), rest, "%v outside %v", all, strays)
		check.Equal(t, set(t, subtractStretches(stretchesOf(all), stretchesOf(some))), lacking,
			"%v without %v", all, some)
	})
}

// TestRangesEndAtAnError: ranges that cannot be read end with their error, on either side, and
// yield nothing that is not known.
func TestRangesEndAtAnError(t *testing.T) {
	fault := errors.New("fault")
	broken := func(good ...evidence.Stretch) iter.Seq2[evidence.Stretch, error] {
		return func(yield func(evidence.Stretch, error) bool) {
			for _, s := range good {
				if !yield(s, nil) {
					return
				}
			}
			yield(evidence.Stretch{}, fault)
		}
	}
	sound := func(good ...evidence.Stretch) iter.Seq2[evidence.Stretch, error] {
		return func(yield func(evidence.Stretch, error) bool) {
			for _, s := range good {
				if !yield(s, nil) {
					return
				}
			}
		}
	}
	for name, tt := range map[string]struct {
		ranges iter.Seq2[evidence.Stretch, error]
		want   []evidence.Stretch
	}{
		"all": {subtractStretches(broken(evidence.Stretch{First: 1, Last: 9}), sound(evidence.Stretch{First: 3, Last: 4})),
			[]evidence.Stretch{{First: 1, Last: 2}, {First: 5, Last: 9}}},
		"all, at once": {subtractStretches(broken(), sound(evidence.Stretch{First: 3, Last: 4})), nil},
		"some": {subtractStretches(sound(evidence.Stretch{First: 1, Last: 9}), broken(evidence.Stretch{First: 3, Last: 4})),
			[]evidence.Stretch{{First: 1, Last: 2}}},
		"some, at once": {subtractStretches(sound(evidence.Stretch{First: 1, Last: 9}), broken()), nil},
		"present": {gapsWithin(broken(evidence.Stretch{First: 3, Last: 4}), 9),
			[]evidence.Stretch{{First: 1, Last: 2}}},
		"beside a stray": {outsideOf(broken(evidence.Stretch{First: 3, Last: 4}), []evidence.Stretch{{First: 4, Last: 4}}),
			[]evidence.Stretch{{First: 3, Last: 3}}},
	} {
		var got []evidence.Stretch
		var last error
		for s, err := range tt.ranges {
			check.That(t, last == nil, "%s: %v after the error", name, s)
			if last = err; err == nil {
				got = append(got, s)
			}
		}
		check.That(t, slices.Equal(got, tt.want) && errors.Is(last, fault),
			"%s: %v, %v, want %v and the error", name, got, last, tt.want)
	}
}

func stretchesOf(present [24]bool) func(func(evidence.Stretch, error) bool) {
	return func(yield func(evidence.Stretch, error) bool) {
		for n := 1; n < len(present); n++ {
			if !present[n] {
				continue
			}
			s := evidence.Stretch{First: uint64(n)}
			for n < len(present) && present[n] {
				n++
			}
			s.Last = uint64(n - 1)
			if !yield(s, nil) {
				return
			}
		}
	}
}

func set(t *rapid.T, seq func(func(evidence.Stretch, error) bool)) (out [24]bool) {
	for s, err := range seq {
		must.That(t, err == nil && s.Last >= s.First, "%v, %v", s, err)
		for n := s.First; n <= s.Last; n++ {
			must.That(t, !out[n], "%d twice", n)
			out[n] = true
		}
	}
	return out
}

// TestTransactionsAround: a transaction is reported for a gap if its other side was written
// within ten minutes of the events next to the gap.
func TestTransactionsAround(t *testing.T) {
	const minute = 60_000
	log := facts.Log{TenantID: "t", LogID: "node/n"}
	var all []sideOf
	for at := range int64(60) {
		all = append(all, sideOf{OneSided: OneSided{Sequence: uint64(at)}, at: at * minute})
	}
	neighbour := func(at int64) side {
		if at < 0 {
			return side{}
		}
		return side{neighbour: &Neighbour{}, event: facts.Event{Header: event.Header{OccurredAt: at * minute}}}
	}
	for name, c := range map[string]struct {
		before, after int64 // minutes, -1 for none
		first, last   uint64
	}{
		"between":          {20, 22, 10, 25}, // as many as are listed
		"a short time":     {49, -1, 39, 54},
		"at the end":       {58, -1, 48, 59},
		"at the beginning": {-1, 1, 0, 11},
	} {
		s := search{tails: map[facts.Log]tail{}, sides: func(context.Context) (map[facts.Log][]sideOf, error) {
			return map[facts.Log][]sideOf{log: all}, nil
		}}
		f := signs{before: neighbour(c.before), after: neighbour(c.after)}
		must.Do(t, s.addOrigins(t.Context(), log, &f))
		got := f.gap.Transactions
		check.That(t, len(got) != 0 && got[0].Sequence == c.first && got[len(got)-1].Sequence == c.last, "%s: %v", name, got)
		s.filter.Source, f.gap.Transactions = 1, nil
		must.Do(t, s.addOrigins(t.Context(), log, &f))
		check.That(t, f.gap.Transactions == nil, "%s: of one source: %v", name, f.gap.Transactions)
	}
}
