package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestCrowdedPicture: however many logs and findings there are, no two symbols of a line are too close
// to tell apart, each finding of a row has a tick, and the rows that are left out are counted.
func TestCrowdedPicture(t *testing.T) {
	r := crowded()
	r.Logs = append(r.Logs, logOver(time.Hour), logOver(time.Hour))
	p := newTimePicture(r)
	check.That(t, p.Left == 40-mostFaulty && p.LeftFaulty == p.Left,
		"%d rows are left out, %d with faults", p.Left, p.LeftFaulty)
	n := len(p.Ticks)
	check.That(t, n <= mostFaulty*(3*timeColumns+mostLanes), "%d ticks", n)
	for _, m := range r.Logs[0].Marks[:3*mostMarks] {
		must.That(t, m.Kind == OfIncident || slices.ContainsFunc(p.Ticks, func(b box) bool {
			var x, w float64
			_, err := fmt.Sscanf(b.X+" "+b.W, "%f%% %f%%", &x, &w)
			at := 100 * p.middle(m)
			return err == nil && b.Class == m.Kind && x-.001 <= at && at <= x+w+.001
		}), "no tick over %+v", m)
	}
	lanes := slices.DeleteFunc(slices.Clone(p.Labels), func(l label) bool { return !strings.HasPrefix(l.Text, "and ") })
	check.That(t, len(lanes) == mostFaulty && lanes[0].Text == fmt.Sprintf("and %d more incidents", mostMarks-mostLanes+1),
		"%+v", lanes)
	before := map[int]float64{}
	for _, s := range p.Symbols {
		var x float64
		must.Do(t, check.Err(fmt.Sscanf(s.X, "%f%%", &x)))
		last, ok := before[s.Y]
		check.That(t, !ok || x-last >= 100./mostSymbols-.001, "symbols at %v and %v", last, x)
		before[s.Y] = x
	}
	check.That(t, strings.HasSuffix(p.Symbols[0].Text, " places"), "the first symbol says %q", p.Symbols[0].Text)
}

// TestStorePicture: each state of each store is drawn where it is, stores that hold the same share a row,
// and a store that ends early has nothing drawn after its end.
func TestStorePicture(t *testing.T) {
	p := newStorePicture(stored())
	var bars []string
	for _, b := range p.Bars {
		bars = append(bars, b.X+" "+b.W+" "+b.Class)
	}
	want := "0% 100% there, " + // s3/one.gz
		"0% 25% there, 25% 25% missing, 50% 25% altered, 75% 25% there, " + // two
		"0% 25% there, 25% 25% lossy, 50% 25% differs, " + // three
		"0% 100% there" // both stores of node/a
	got := strings.Join(bars, ", ")
	check.That(t, got == want, "%s\nwant\n%s", got, want)
	words := "node/b, s3/one.gz: 1 to 40. node/b, two: 1 to 40, lacks 10. node/b, three: 1 to 30, lacks 10. " +
		"node/a, 2 stores alike: 1 to 20."
	check.That(t, p.Desc == words && len(p.Legend) == 5, "%s\n%v", p.Desc, p.Legend)
	var many Report
	for i := range 4 * mostFaulty {
		for k := range 2 * mostStoreRows {
			many.Holdings = append(many.Holdings, Holding{LogID: fmt.Sprint(i), Store: fmt.Sprint(k), First: 1,
				Last: uint64(k + 1), Stretches: []HeldStretch{{1, uint64(k + 1), crosscheck.Present}}})
		}
	}
	if p := newStorePicture(&many); len(p.Bars) != mostFaulty*mostStoreRows ||
		p.Left+len(p.Bars) != len(many.Holdings) {
		t.Errorf("%d bars and %d left out, of %d", len(p.Bars), p.Left, len(many.Holdings))
	}
}

// TestAxis: the axis spans the events and close marks, and has few lines at round times;
// distant marks are at its end.
func TestAxis(t *testing.T) {
	soon, far := at(string(facts.NodeReport), 65, 65), at(string(facts.NodeReport), 6000, 6000)
	a := newAxis(reportOf(logOver(time.Hour, soon, far)))
	if a.From != "2 Mar 2026 09:00:00 UTC" || a.To != "10:05:00 UTC" || a.left(far) != 1 {
		t.Errorf("%s to %s, %v", a.From, a.To, a.left(far))
	}
	for d := time.Second; d < 100*365*24*time.Hour; d = d / 3 * 5 {
		n := len(newAxis(reportOf(logOver(d))).Grid)
		check.That(t, n <= mostLines+3, "%d lines over %s", n, d)
	}
	hostile := newAxis(&Report{Period: Period{StartMS: -1 << 63, EndMS: 1<<63 - 1}})
	if len(hostile.Grid) > mostLines+3 || hostile.placeWithin(0) != .5 {
		t.Errorf("%d lines over all time, %v", len(hostile.Grid), hostile.placeWithin(0))
	}
}

// wellFormed reads a drawing as XML. Every text in it is between tags.
func wellFormed(t *testing.T, name string, svg []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}
