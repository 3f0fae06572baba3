package part_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestDiffer: parts that were not made alike do not join, and the error names the difference.
func TestDiffer(t *testing.T) {
	for what, change := range map[string]func(m *memory){
		"rules":           func(m *memory) { m.header.Rules = "rules/2" },
		"ways of reading": func(m *memory) { m.header.Read = "reader 2" },
		"trust files":     func(m *memory) { m.header.TrustSHA256[0]++ },
		"plans":           func(m *memory) { m.header.Plan = chain.Hash{} },
		"sizes of":        func(m *memory) { m.shares[0].Size++ },
		"records of":      func(m *memory) { m.shares[0].Records++ },
	} {
		m := ordinary(1, 1, 1, 10)
		change(m)
		_, err := part.Merge(filesOf(t, ordinary(1, 1, 1, 10), m)...)
		var differs *part.Differs
		check.That(t, errors.As(err, &differs) && strings.HasPrefix(differs.What, what), "%s: %v", what, err)
	}
	check.That(t, check.Err(part.Merge()) != nil, "no parts join")
}

// TestContained: a part that lies within others changes nothing, and one that lies
// across the end of another is an error that names both.
func TestContained(t *testing.T) {
	w := &world{sources: []source{journalOf(40)}}
	whole := w.content(cut{0, 0, 40})
	want := octets(t, whole, nil)
	for _, c := range []cut{{0, 0, 40}, {0, 0, 10}, {0, 7, 20}, {0, 30, 40}, {0, 5, 5}} {
		for _, contents := range [][]part.Content{
			{whole, w.content(c)},
			{w.content(c), whole},
			{w.content(c), w.content(cut{0, 0, 40}), w.content(c), whole},
		} {
			got := merge(t, contents...)
			check.That(t, bytes.Equal(got, want), "%v changes the part", c)
		}
	}
	for _, c := range []cut{{0, 0, 21}, {0, 19, 40}, {0, 10, 30}} {
		_, err := part.Merge(filesOf(t, w.content(cut{0, 0, 20}), w.content(c), w.content(cut{0, 20, 40}))...)
		var overlaps *part.Overlaps
		if c.from == 0 {
			if _, err = part.Merge(filesOf(t, w.content(cut{0, 20, 40}), w.content(c))...); !errors.As(err, &overlaps) {
				t.Errorf("%v: %v", c, err)
			}
			continue
		}
		check.That(t, errors.As(err, &overlaps) && strings.Contains(err.Error(), `f0`), "%v: %v", c, err)
	}
}

// TestPartlyContained: of a part that another one has only one source of, the other
// source counts, and batches across both are counted once.
func TestPartlyContained(t *testing.T) {
	w := &world{sources: []source{journalOf(40), journalOf(40), journalOf(25)}}
	for i := range w.sources {
		w.sources[i].share.Source = chain.Hash{byte(i)}
	}
	one := w.content(cut{0, 0, 40}, cut{1, 0, 20})
	other := w.content(cut{0, 3, 30}, cut{1, 20, 40}, cut{2, 0, 25})
	want := octets(t, w.content(w.whole()...), nil)
	for _, contents := range [][]part.Content{{one, other}, {other, one}} {
		if got := merge(t, contents...); !bytes.Equal(got, want) {
			same(t, w.content(w.whole()...), open(t, got))
			t.Error("the parts join to something else")
		}
	}
}

// journalOf is a source with events of one log; every two events have a batch id, and all
// share another.
func journalOf(events int) source {
	s := source{share: part.Share{Complete: true, Containers: []part.Container{{Format: "journal"}},
		Paths: []part.Path{{Given: "f0", Absolute: "/f0"}}}}
	for n := range uint64(events) {
		id := batchID(logs[0], []chain.Hash{hashOf(n/2*2 + 1), hashOf(n/2*2 + 2)})
		s.records = append(s.records, record{log: logs[0], copy: eventOf(n + 1),
			place:   part.Place{Offset: int64(n) * 100, Length: 100},
			arrival: part.Arrival{Fidelity: 1, Batch: `["record:` + id + `","resource:all"]`}})
	}
	s.share.Size = int64(events) * 100
	return s
}

// TestSteady: a copy of a part, or of parts that are joined, stays as it is while the
// next one is read, also where copies in between are dropped.
func TestSteady(t *testing.T) {
	w := &world{sources: []source{journalOf(40), journalOf(40), journalOf(25)}}
	for i := range w.sources {
		w.sources[i].share.Source = chain.Hash{byte(i)}
	}
	first := w.content(cut{0, 0, 40}, cut{1, 0, 20})
	// Of the next, all of source 0 is dropped, and of source 2 few copies are kept.
	next := w.content(cut{0, 3, 40}, cut{2, 20, 25})
	// The joined content already has every copy twice, and the rest has some of the copies.
	both := joined(t, w.content(cut{0, 0, 25}), w.content(cut{1, 0, 25}))
	some := w.content(cut{2, 5, 6}, cut{2, 8, 9}, cut{2, 11, 13}, cut{2, 20, 21})
	for name, contents := range map[string][]part.Content{
		"one": {first}, "two": {first, next}, "joined": {both, some},
		"one by": {w.content(cut{0, 0, 10}), w.content(cut{0, 10, 40})},
	} {
		m := joined(t, contents...)
		want := list(t, m.Copies(context.Background(), logs[0], 0))
		var last *part.Copy
		n := 0
		for c, err := range m.Copies(context.Background(), logs[0], 0) {
			must.Do(t, err)
			if last != nil {
				compareHeaders(t, name, want[n-1], *last)
			}
			last, n = c, n+1
		}
		compareHeaders(t, name, want[n-1], *last)
	}
}

// TestFrom: from each sequence on, parts that lie apart, overlap or enclose each other
// have the copies that their evidence has.
func TestFrom(t *testing.T) {
	w := &world{sources: []source{journalOf(60), journalOf(60), journalOf(60), journalOf(60)}}
	for i := range w.sources {
		w.sources[i].share.Source = chain.Hash{byte(i)}
	}
	cuts := [][]cut{{{0, 0, 10}, {1, 50, 60}}, {{0, 10, 20}}, {{0, 30, 45}, {2, 2, 3}}, {{3, 12, 14}}, {{1, 33, 34}}}
	var contents []part.Content
	var together []cut
	for _, c := range cuts {
		contents = append(contents, w.content(c...))
		together = append(together, c...)
	}
	m := joined(t, contents...)
	want, ctx := w.content(together...), context.Background()
	for from := range uint64(64) {
		compareHeaders(t, "copies", list(t, want.Copies(ctx, logs[0], from)), list(t, m.Copies(ctx, logs[0], from)))
	}
}
