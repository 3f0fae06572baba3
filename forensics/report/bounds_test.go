package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/safetext"

	"pgregory.net/rapid"
)

// fillLong makes a case of a log without every third event.
func fillLong(t *testing.T, path string, events int) {
	t.Helper()
	log, body := seal.NewLog("t", "node/n"),
		seal.Object{"protocol": seal.EventProtocol, "tenant_id": "t", "log_id": "node/n", "type": "policy.synced",
			"occurred_at": "2026-03-01T00:00:00.000Z", "salt": seal.Base64(make([]byte, 16)), "data": seal.Object{}}
	key := seal.Key{ID: "n", Private: make([]byte, 64)}
	journal := filepath.Join(t.TempDir(), "n.ndjson")
	var b bytes.Buffer
	for n := 1; n <= events; n++ {
		body["sequence"] = int64(n)
		body["occurred_at"] = fmt.Sprintf("2026-03-%02dT%02d:%02d:%02d.000Z", 1+n/86400, n/3600%24, n/60%60, n%60)
		event := log.AppendBody(body, key)
		if n%3 != 0 {
			b.Write(append(seal.Canonical(event), '\n'))
		}
	}
	must.Do(t, os.WriteFile(journal, b.Bytes(), 0o644))
	w := must.Get(store.OpenWrite(path, cases.As(1)))(t)
	must.Do(t, check.Err(ingest.Paths(t.Context(), w, []string{journal}, ingest.Options{}, nil)))
	must.Do(t, w.Close())
}

// TestTinyGap: one missing event in a year of events is drawn.
func TestTinyGap(t *testing.T) {
	l := logOver(365*24*time.Hour, Mark{Kind: Missing, First: 5, Last: 5, FromMS: start + 1_000_000_000,
		UntilMS: start + 1_000_000_001})
	p := newTimePicture(reportOf(l))
	i := slices.IndexFunc(p.Bars, func(b box) bool { return b.Class == Missing })
	check.That(t, i >= 0 && p.Bars[i].W == "0.4%", "%+v", p.Bars)
}

// TestHoles: a pass finds exactly the sequences that are missing between present ones, with
// the times next to them, and requested times are the neighbours' times.
func TestHoles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		there := rapid.SliceOfN(rapid.Bool(), 1, 150).Draw(t, "there")
		p := &presence{times: newHistogram(mostTimes), beside: map[uint64][2]int64{},
			out: newDeliveries(1)}
		for i := range there {
			p.wanted = append(p.wanted, uint64(i+1))
		}
		wanted := p.wanted
		for i, here := range there {
			if here {
				p.addSequence(uint64(i + 1))
				p.addDelivery(arrival{occurred: int64(i+1) * 10})
				p.countFirst()
			}
		}
		p.endPass()
		var missing []uint64
		for _, h := range p.holes {
			for n := h.First; n <= h.Last; n++ {
				missing = append(missing, n)
			}
			must.That(t, h.FromMS == int64(h.First-1)*10 && h.UntilMS == int64(h.Last+1)*10, "%+v", h)
		}
		last := 0
		for i, here := range there {
			if here {
				last = i
			}
		}
		for i, n := range wanted {
			before, after := int64(0), int64(0)
			for k, here := range there {
				if here && k <= i {
					before = int64(k+1) * 10
				}
				if here && k >= i && after == 0 {
					after = int64(k+1) * 10
				}
			}
			must.That(t, p.beside[n] == [2]int64{before, after}, "%d: %v, want %d and %d", n, p.beside[n], before, after)
			must.That(t, there[i] || i < last == slices.Contains(missing, n), "%d is missing: %v", n, missing)
		}
	})
}

// TestHistogram: neither the order of values nor their range matters to the content of a
// histogram.
func TestHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(2, 40).Draw(t, "most")
		values := rapid.SliceOfN(rapid.OneOf(rapid.Int64(), rapid.Int64Range(-5, 500)), 1, 60).Draw(t, "values")
		shuffled := rapid.Permutation(values).Draw(t, "shuffled")
		a, b := newHistogram(most), newHistogram(most)
		for i := range values {
			a.countValue(values[i], tally{first: 1})
			b.countValue(shuffled[i], tally{first: 1})
		}
		must.That(t, a.shift == b.shift && len(a.cells) <= most && a.total().first == int64(len(values)),
			"%d cells, %d wide and %d wide", len(a.cells), a.shift, b.shift)
		for cell, t1 := range a.cells {
			must.That(t, b.cells[cell] == t1, "cell %d: %v and %v", cell, t1, b.cells[cell])
		}
		for _, v := range values {
			must.That(t, a.cells[v>>a.shift].first != 0, "%d is not counted", v)
		}
	})
}

// TestFarOff: one value far away does not take the picture from all others, and
// is counted as left out.
func TestFarOff(t *testing.T) {
	h := newHistogram(mostCells)
	for i := range int64(1000) {
		h.countValue(1_000_000_000+i*1000, tally{first: 1})
	}
	h.countValue(0, tally{first: 1})
	near, outside := h.nearPicture()
	check.That(t, outside >= 1 && outside <= 10 && len(near.cells) >= 5 && near.total().first+outside == 1001,
		"%d outside, %d cells, %v", outside, len(near.cells), near.total())
	year := newHistogram(mostCells)
	year.countValue(-365*24*3600*1000, tally{first: 1})
	for i := range int64(200) {
		year.countValue(i*1000, tally{first: 1})
	}
	if near, outside := year.nearPicture(); outside > 3 || len(near.cells) < mostBars/3 {
		t.Errorf("%d outside and %d cells where one is a year off", outside, len(near.cells))
	}
	ends := newHistogram(mostCells)
	ends.countValue(math.MinInt64, tally{first: 1})
	ends.countValue(math.MaxInt64, tally{first: 1})
	if near, outside := ends.nearPicture(); outside != 0 || cellExtent(near.filledCells()) >= mostBars {
		t.Errorf("%d outside, over %d cells", outside, cellExtent(near.filledCells()))
	}
	two := newHistogram(mostCells)
	two.countValue(0, tally{first: 1})
	two.countValue(1_000_000_000, tally{first: 1})
	if near, outside := two.nearPicture(); outside != 0 || near.total().first != 2 {
		t.Errorf("%d outside of two", outside)
	}
	even := newHistogram(mostCells)
	for i := range int64(1000) {
		even.countValue(i*1000, tally{first: 1})
	}
	if near, outside := even.nearPicture(); outside != 0 || len(near.cells) < mostBars/2 || near.total().first != 1000 {
		t.Errorf("%d outside of an even spread", outside)
	}
}

// TestAbsentLog: for a log without content in the case, every list is empty in JSON, and none
// is null.
func TestAbsentLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "case.db")
	w := must.Get(store.OpenWrite(path, cases.As(1)))(t)
	must.Do(t, w.Close())
	c := must.Get(store.OpenCase(path, cases.As(1)))(t)
	defer c.Close()
	r, err := Gather(t.Context(), c, &verdict.Result{Verdict: "inconclusive",
		Logs: []walk.LogResult{{LogID: "node/n", TenantID: "t", Missing: 3}}})
	must.Do(t, err)
	out, err := safetext.Marshal(r.Logs)
	check.That(t, err == nil && !bytes.Contains(out, []byte("null")), "%s, %v", out, err)
}

// TestUnvouched: a log is not reported as complete where its events may not be the anchored
// ones; how far, the walk knows.
func TestUnvouched(t *testing.T) {
	log := walk.LogResult{Events: 9, CompleteByOwn: walk.Word{Sequence: 4, By: []facts.AnchorKind{facts.ExportCursor}}}
	const upTo = "Complete by others: nothing shows it. Complete by own word: event 4, by export-cursor."
	for _, c := range []struct {
		unvouched, missing uint64
		want               Answer
	}{
		{0, 0, Answer{CompleteByOwn, upTo}},
		{6, 0, Answer{Open,
			upTo + " Up to event 6, the events in this log may " +
				"not be the ones that were anchored."}},
		{6, 1, Answer{Incomplete,
			"1 event missing. " + upTo + " Up to event 6, " +
				"the events in this log may not be the ones that were anchored."}},
		{0, 1, Answer{Incomplete, "1 event missing. " + upTo}},
	} {
		log.UnvouchedSequence, log.Missing = c.unvouched, c.missing
		got := completenessAnswer(log, nil)
		check.That(t, got == c.want, "%+v, want %+v", got, c.want)
	}
}
