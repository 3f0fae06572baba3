package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// wholeLog is a log of so many events, complete up to an anchor of every kind.
func wholeLog(events, anchored uint64) Log {
	return Log{LogResult: walk.LogResult{LogID: "node/n", Events: events, LastSequence: events,
		AnchoredSequence: anchored, AnchoredBy: anchorKinds},
		Presence: Presence{Last: events, ColumnSize: 1, Stretches: []Stretch{{1, events}}}}
}

// cutLog is a log of which the last event is missing, and the anchor that is
// near it shows that.
func cutLog() Log {
	l := wholeLog(999, 998)
	l.Presence.Last, l.Missing = 1000, 1
	l.Marks = []Mark{{AnchorBeyond, 1000, 1000, 1}}
	return l
}

// marked is a log with marks of every kind, at one place and over ranges.
func marked() Log {
	l := wholeLog(200, 30)
	l.Presence.Stretches = []Stretch{{1, 40}, {61, 150}, {152, 200}}
	l.Missing = 21
	l.Marks = []Mark{
		{string(finding.Altered), 1, 1, 1}, {string(finding.Altered), 70, 70, 2},
		{string(finding.Altered), 200, 200, 1},
		{string(finding.Unverified), 70, 120, 1}, {string(finding.Forked), 70, 70, 1},
		{string(finding.Contradicted), 70, 70, 1},
		{string(finding.BadCopy), 130, 140, 4}, {string(finding.Contradicted), 151, 151, 1},
		{AnchorBeyond, 200, 200, 1},
	}
	return l
}

// crowded is a log of a hundred million events with as many marks as there can
// be, of which parts are missing in every third column.
func crowded() Log {
	const last = 100_000_000
	l := wholeLog(last, last)
	l.Presence = Presence{Last: last, ColumnSize: last / Columns, More: 1}
	for first := uint64(1); first <= last; first += l.Presence.ColumnSize {
		c := Column{first, l.Presence.ColumnSize}
		if len(l.Presence.Columns)%3 == 2 {
			c.Present--
		}
		l.Presence.Columns = append(l.Presence.Columns, c)
		for _, kind := range []finding.Mark{finding.Altered, finding.Contradicted, finding.Unverified} {
			l.Marks = append(l.Marks, Mark{string(kind), first + 7, first + 9, 3})
		}
	}
	return l
}

// forked is a fork with branches of a number of events.
func forked(named walk.Naming, sequence, a, b uint64) Fork {
	return Fork{Sequence: sequence, Named: named, Naming: "anchors name " + string(named),
		Branches: [2]Branch{{Events: a}, {Events: b}}}
}

// bursts are deliveries that came all at once, then not at all, and then twice.
func bursts() Deliveries {
	d := Deliveries{Clock: Observed, BucketMS: 1 << 16, Events: 12_000, Redelivered: 5_000}
	for i := range int64(mostBars) {
		b := Bucket{StartMS: 1_772_442_624_000 + i*d.BucketMS, First: 1 + i*i%977, Redelivered: max(0, i-90) * 25}
		if i < 40 || i > 60 {
			d.Buckets = append(d.Buckets, b)
		}
	}
	return d
}

// pictures are one of each kind of picture, and the extremes of it. A picture is
// of the template with its name up to the first hyphen.
var pictures = map[string]any{
	"presence-whole":     newPresencePicture(0, wholeLog(131, 120)),
	"presence-one-event": newPresencePicture(0, wholeLog(1, 1)),
	"presence-no-anchor": newPresencePicture(0,
		Log{LogResult: walk.LogResult{Events: 131}, Presence: Presence{Last: 131, Stretches: []Stretch{{1, 131}}}}),
	"presence-tail-cut": newPresencePicture(0, cutLog()),
	"presence-marks":    newPresencePicture(0, marked()),
	"presence-crowded":  newPresencePicture(0, crowded()),
	"presence-all-gone": newPresencePicture(0,
		Log{LogResult: walk.LogResult{Missing: 12}, Presence: Presence{Last: 12},
			Marks: []Mark{{AnchorBeyond, 12, 12, 1}}}),
	"presence-longest":   newPresencePicture(0, wholeLog(1<<53-1, 1<<52)),
	"fork-first-named":   newForkPicture(0, 0, forked(walk.NamesFirst, 18, 8, 5)),
	"fork-both-named":    newForkPicture(0, 0, forked(walk.NamesBoth, 18, 8, 8)),
	"fork-neither-named": newForkPicture(0, 0, forked(walk.NamesNeither, 18, 1, 8)),
	"fork-at-the-start":  newForkPicture(0, 0, forked(walk.NamesFirst, 1, 12, 1)),
	"fork-longest":       newForkPicture(0, 0, forked(walk.NamesNeither, 1<<52, 1<<52, 1)),
	"chart-bursts":       newChart(bursts()),
	"chart-one-event": newChart(Deliveries{Clock: Occurred, BucketMS: 1, Events: 1,
		Buckets: []Bucket{{1_772_442_624_000, 1, 0}}}),
	"chart-millions": newChart(Deliveries{Clock: Occurred, BucketMS: 1 << 30,
		Buckets: []Bucket{{0, 7_000_000, 1}, {1 << 30, 1, 7_000_000}}}),
}

// drawing writes a picture as a document of its own, with the style sheet of the
// page.
func drawing(t *testing.T, name string, picture any) []byte {
	t.Helper()
	kind, _, _ := strings.Cut(name, "-")
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/css" href="../../../../answer/style.css"?>
<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="240">`)
	write := func(name string, data any) {
		if err := drawings().ExecuteTemplate(&b, name, data); err != nil {
			t.Fatal(err)
		}
	}
	write("patterns", nil)
	b.WriteString("\n<svg class=\"picture\" x=\"52\" y=\"5\" width=\"896\" overflow=\"visible\">\n")
	write(kind, picture)
	b.WriteString("\n</svg>\n</svg>\n")
	return b.Bytes()
}

// TestPictures compares each picture with the one that was looked at.
func TestPictures(t *testing.T) {
	dir := filepath.Join("testdata", "pictures")
	if *update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, picture := range pictures {
		got := drawing(t, name, picture)
		wellFormed(t, name, got)
		golden(t, filepath.Join(dir, name+".svg"), got)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != len(pictures) {
		t.Errorf("%d files for %d pictures, %v", len(files), len(pictures), err)
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

// TestEveryMarkIsDrawn: each mark that a finding can have, and each kind of
// anchor, has a place in the picture and a line in the legend.
func TestEveryMarkIsDrawn(t *testing.T) {
	for _, entry := range finding.Codes("logs") {
		if entry.Mark != finding.NoMark && !slices.Contains(rowKinds, string(entry.Mark)) {
			t.Errorf("%s: no row for %s", entry.Code, entry.Mark)
		}
		if entry.Mark != finding.NoMark && (entry.Mark == finding.BadCopy) != (entry.Subject == finding.Source) {
			t.Errorf("%s blames a %s and is drawn as %s", entry.Code, entry.Subject, entry.Mark)
		}
	}
	drawn := map[string]bool{}
	for _, s := range newPresencePicture(0, marked()).Symbols {
		drawn[s.Kind] = true
	}
	for _, item := range legend {
		if !drawn[item.Kind] {
			t.Errorf("%s is in the legend and not in the picture", item.Kind)
		}
		delete(drawn, item.Kind)
	}
	if len(drawn) > 0 {
		t.Errorf("%v are not in the legend", drawn)
	}
}

// TestCrowdedPicture: however many findings there are, no two symbols of a row
// are too close to tell apart, each finding has a tick, and each is counted.
func TestCrowdedPicture(t *testing.T) {
	l := crowded()
	p := newPresencePicture(0, l)
	if len(p.Ticks) != len(l.Marks) {
		t.Errorf("%d ticks for %d marks", len(p.Ticks), len(l.Marks))
	}
	before := map[int]float64{}
	for _, s := range p.Symbols[:len(p.Symbols)-len(anchorKinds)] {
		var x float64
		if _, err := fmt.Sscanf(s.X, "%f%%", &x); err != nil {
			t.Fatal(err)
		}
		if last, ok := before[s.Y]; ok && x-last < 100./mostSymbols-.001 {
			t.Errorf("symbols at %v and %v", last, x)
		}
		before[s.Y] = x
	}
	if want := []int{11, 33, 55}; len(before) != len(want) || before[want[0]] == 0 || before[want[1]] == 0 ||
		before[want[2]] == 0 {
		t.Errorf("rows %v", before)
	}
	if !strings.Contains(p.Symbols[0].Text, ", 102 findings") {
		t.Errorf("the first symbol says %q", p.Symbols[0].Text)
	}
}
