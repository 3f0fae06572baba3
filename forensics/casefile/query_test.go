package casefile

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/must"

	"pgregory.net/rapid"
)

// wants is the filter by its definition.
func (d drawn) wants(f Filter) bool {
	first, last := f.Bounds()
	n := uint64(d.sequence)
	return (f.LogID == "" || f.LogID == nameOfLog(d.log)) && n >= first && n <= last &&
		(f.Type == "" || f.Type == fmt.Sprintf("type.%d", d.kind)) &&
		(f.TransactionID == "" || f.TransactionID == fmt.Sprintf("tx-%d", d.transaction)) && f.During(d.at)
}

func drawFilter(t *rapid.T) Filter {
	f := Filter{LogID: rapid.SampledFrom([]string{"", "node/0", "node/1", "node/9"}).Draw(t, "log"),
		Type:          rapid.SampledFrom([]string{"", "", "type.1", "type.9"}).Draw(t, "type"),
		TransactionID: rapid.SampledFrom([]string{"", "", "tx-1", "tx-9"}).Draw(t, "transaction"),
		First:         rapid.Uint64Range(0, 8).Draw(t, "first"), Last: rapid.SampledFrom([]uint64{0, 5, 9}).Draw(t, "last")}
	if rapid.Bool().Draw(t, "has from") {
		f.From = time.UnixMilli(rapid.Int64Range(0, 12000).Draw(t, "from"))
	}
	if rapid.Bool().Draw(t, "has to") {
		f.To = time.UnixMilli(rapid.Int64Range(0, 12000).Draw(t, "to"))
	}
	return f
}

// naiveSelect lists the copies of all sequences that hold one that is wanted.
func naiveSelect(all []drawn, f Filter) []string {
	wanted := map[[2]int]bool{}
	for _, d := range all {
		if d.wants(f) {
			wanted[[2]int{d.log, d.sequence}] = true
		}
	}
	deliveries := map[string]int{}
	var names []string
	for _, d := range all {
		if !wanted[[2]int{d.log, d.sequence}] {
			continue
		}
		name := fmt.Sprintf("%s %02d copy %d", nameOfLog(d.log), d.sequence, d.variant)
		if deliveries[name]++; deliveries[name] == 1 {
			names = append(names, name)
		}
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s ×%d", name, deliveries[name])
	}
	slices.Sort(names)
	return names
}

// TestQueries holds what a case of drawn arrivals answers against the definitions.
func TestQueries(t *testing.T) {
	n, dir := 0, t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		n++
		all := draw(t)
		w, numbers := fillDrawn(t, filepath.Join(dir, fmt.Sprintf("%d.db", n)), all)
		defer w.Close()
		for range 4 {
			checkSelect(t, w, all)
			checkSelectByTime(t, w, all)
		}
		checkStretches(t, w, all, numbers)
		checkFound(t, w, all)
	})
}

// checkSelect holds the selection against the definition, and its order against
// the one that is promised.
func checkSelect(t *rapid.T, w *Writer, all []drawn) {
	f := drawFilter(t)
	var got []string
	var last Selected
	for e, err := range w.Select(t.Context(), f) {
		must.Do(t, err)
		x, y := last.Digest(), e.Digest()
		if order := cmp.Or(cmp.Compare(last.Log.LogID, e.Log.LogID), cmp.Compare(last.Link.Sequence, e.Link.Sequence),
			bytes.Compare(x[:], y[:])); order >= 0 {
			t.Errorf("event %d after event %d", e.Link.Sequence, last.Link.Sequence)
		}
		last = e
		got = append(got, fmt.Sprintf("%s %02d copy %d ×%d", e.Log.LogID, e.Link.Sequence, e.Recorded[2], e.Deliveries))
	}
	slices.Sort(got)
	if want := naiveSelect(all, f); !slices.Equal(got, want) {
		t.Errorf("%+v selects\n%q\nwant\n%q", f, got, want)
	}
}

// checkSelectByTime holds the selection by time against the definition: the same
// copies, and of the logs always that whose next event is the earliest.
func checkSelectByTime(t *rapid.T, w *Writer, all []drawn) {
	f := drawFilter(t)
	most := rapid.SampledFrom([]int{1, 2, 3, 8, mostAhead}).Draw(t, "read ahead")
	var got []string
	heads := map[string]Selected{}   // of each log, the first copy of the next sequence
	rests := map[string][]Selected{} // and those after it
	for e, err := range w.Select(t.Context(), f) {
		must.Do(t, err)
		if e.Variant == 0 {
			rests[e.Log.LogID] = append(rests[e.Log.LogID], e)
		}
	}
	for log, rest := range rests {
		heads[log], rests[log] = rest[0], rest[1:]
	}
	var copies int
	for e, err := range selectByTime(t.Context(), w.Case, f, most) {
		must.Do(t, err)
		got = append(got, fmt.Sprintf("%s %02d copy %d ×%d", e.Log.LogID, e.Link.Sequence, e.Recorded[2], e.Deliveries))
		if copies++; e.Variant != copies-1 {
			t.Errorf("copy %d of event %d comes as number %d", e.Variant, e.Link.Sequence, copies)
		}
		if copies < e.Copies {
			continue
		}
		copies = 0
		head := heads[e.Log.LogID]
		if head.Link.Sequence != e.Link.Sequence {
			t.Errorf("%s: event %d, want %d", e.Log.LogID, e.Link.Sequence, head.Link.Sequence)
		}
		for log, other := range heads {
			if order := cmp.Or(cmp.Compare(other.OccurredAt, head.OccurredAt), cmp.Compare(log, e.Log.LogID)); order < 0 {
				t.Errorf("event %d of %s of %d before that of %s of %d", e.Link.Sequence, e.Log.LogID, head.OccurredAt, log,
					other.OccurredAt)
			}
		}
		if rest := rests[e.Log.LogID]; len(rest) > 0 {
			heads[e.Log.LogID], rests[e.Log.LogID] = rest[0], rest[1:]
		} else {
			delete(heads, e.Log.LogID)
		}
	}
	slices.Sort(got)
	if want := naiveSelect(all, f); !slices.Equal(got, want) {
		t.Errorf("%+v selects\n%q\nwant\n%q", f, got, want)
	}
}

// naiveStretches joins sequences into stretches.
func naiveStretches(all []drawn, holds func(drawn) bool) []Stretch {
	present := map[uint64]bool{}
	for _, d := range all {
		if holds(d) {
			present[uint64(d.sequence)] = true
		}
	}
	var out []Stretch
	for n := uint64(1); n < 20; n++ {
		switch {
		case !present[n]:
		case present[n-1]:
			out[len(out)-1].Last = n
		default:
			out = append(out, Stretch{n, n})
		}
	}
	return out
}

func gather(t *rapid.T, seq iter.Seq2[Stretch, error]) []Stretch {
	all := must.Get(collect(seq))(t)
	return all
}

// checkStretches holds the stretches of a log and of each source against the
// definition, and with them the neighbours of a range.
func checkStretches(t *rapid.T, w *Writer, all []drawn, numbers []int64) {
	logs := must.Get(w.Logs(t.Context()))(t)
	for _, log := range logs {
		inLog := func(d drawn) bool { return nameOfLog(d.log) == log.LogID }
		want := naiveStretches(all, inLog)
		if got := gather(t, w.Stretches(t.Context(), log)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", log.LogID, got, want)
		}
		for source, number := range numbers {
			want := naiveStretches(all, func(d drawn) bool { return inLog(d) && d.source == source })
			if got := gather(t, w.Arrivals().StretchesOf(t.Context(), log, number)); !slices.Equal(got, want) {
				t.Errorf("%s of source %d: %v, want %v", log.LogID, source, got, want)
			}
		}
		checkAround(t, w.Case, log, want)
	}
}

func checkAround(t *rapid.T, c *Case, log Log, present []Stretch) {
	first := rapid.Uint64Range(1, 15).Draw(t, "first")
	last := rapid.Uint64Range(first, 16).Draw(t, "last")
	below, above := uint64(0), uint64(0)
	for _, s := range present {
		for n := s.First; n <= s.Last; n++ {
			if n < first {
				below = n
			}
			if n > last && above == 0 {
				above = n
			}
		}
	}
	before, after, err := c.Around(t.Context(), log, first, last)
	if err != nil || before.Link.Sequence != below || after.Link.Sequence != above {
		t.Errorf("around %d to %d: %d and %d, %v, want %d and %d", first, last, before.Link.Sequence, after.Link.Sequence,
			err, below, above)
	}
}

// checkFound: an event is found by its hash with all copies beside it, and
// the shares of a batch add up to its deliveries.
func checkFound(t *rapid.T, w *Writer, all []drawn) {
	for _, d := range all {
		found := false
		for e, err := range w.Find(t.Context(), [32]byte{byte(d.log), byte(d.sequence), byte(d.variant)}) {
			must.That(t, err == nil && e.Link.Sequence == uint64(d.sequence) && e.Log.LogID == nameOfLog(d.log),
				"%+v, %v", e, err)
			found = found || int(e.Recorded[2]) == d.variant
		}
		if !found {
			t.Errorf("%+v was not found", d)
		}
	}
	sums := map[string]int64{}
	for s, err := range w.Arrivals().BatchShares(t.Context()) {
		must.Do(t, err)
		sums[s.ID] += s.Deliveries
	}
	for b, err := range w.Arrivals().Batches(t.Context()) {
		if err != nil || sums[b.ID] != b.Deliveries {
			t.Errorf("batch %s: shares of %d, %+v, %v", b.ID, sums[b.ID], b, err)
		}
	}
}
