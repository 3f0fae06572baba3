package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// start is 2 March 2026, 09:00 UTC, in milliseconds.
const start = 1_772_442_000_000

// logOver is a faultless log of a hundred events over a time, with marks.
func logOver(d time.Duration, marks ...Mark) Log {
	l := Log{LogResult: walk.LogResult{LogID: "node/mesh-oslo-1", TenantID: "t", Verdict: verify.Verified, Events: 100,
		LastSequence: 100}, Presence: Presence{Last: 100}, Marks: marks}
	l.Times.BucketMS = 1
	for i := range int64(100) {
		l.Times.Buckets = append(l.Times.Buckets, timeCount{start + i*d.Milliseconds()/99, 1 + i%7})
	}
	return l
}

// reportOf is a report of logs, over the time of their events.
func reportOf(logs ...Log) *Report {
	r := &Report{Logs: logs, Period: Period{StartMS: start}}
	for _, l := range logs {
		for _, b := range l.Times.Buckets {
			r.Period.EndMS = max(r.Period.EndMS, b.StartMS)
		}
	}
	return r
}

// at makes a mark of so many minutes after the start.
func at(kind string, from, until int) Mark {
	return Mark{Kind: kind, First: uint64(from + 1), Last: uint64(until + 1), Count: 1,
		FromMS: start + int64(from)*60_000, UntilMS: start + int64(until)*60_000}
}

// everyMark is a log with a mark of each kind.
func everyMark() Log {
	l := logOver(time.Hour)
	l.Verdict = verify.Rejected
	for i, item := range legend {
		m := at(item.Kind, 2+4*i, 4+4*i)
		if item.Kind == OfIncident {
			m.Name = "fork-50d9"
		}
		l.Marks = append(l.Marks, m)
	}
	l.AnchoredSequence = l.Marks[len(l.Marks)-1].First
	return l
}

// crowded is many logs, each with as many marks as there can be.
func crowded() *Report {
	var logs []Log
	for range 40 {
		l := logOver(1000 * time.Hour)
		l.Verdict = verify.Inconclusive
		for i := range mostMarks {
			for _, kind := range []finding.Mark{finding.Altered, finding.Contradicted, finding.Unverified} {
				l.Marks = append(l.Marks, at(string(kind), 75*i, 75*i+20))
			}
			incident := at(OfIncident, 75*i, 75*i+20)
			incident.Name = fmt.Sprintf("altered-%04x", i)
			l.Marks = append(l.Marks, incident)
		}
		logs = append(logs, l)
	}
	return reportOf(logs...)
}

// held returns a store's holding of a log: the state of each ten events.
func held(log, store string, states ...crosscheck.State) Holding {
	h := Holding{LogID: log, Store: store}
	for i, s := range states {
		h.takeStretch(HeldStretch{uint64(10*i + 1), uint64(10*i + 10), s})
	}
	return h
}

// longest is a log with the longest names and numbers that there can be.
func longest() *Report {
	const last = 1<<53 - 1
	l := logOver(time.Hour, Mark{Kind: Missing, First: 1 << 52, Last: last, FromMS: start, UntilMS: start + 9_000})
	l.LogID, l.Verdict, l.Missing = strings.Repeat("node/of-the-longest-name-", 20), verify.Rejected, 1<<52
	r := reportOf(l)
	r.Holdings = []Holding{{LogID: l.LogID, Store: strings.Repeat("stores/of-the-longest-name", 20), First: 1,
		Last: last, Lacks: 1 << 52, Stretches: []HeldStretch{{1, last, crosscheck.Present}}}}
	return r
}

// stored is a report of stores: one log is alike in all of them, and one differs.
func stored() *Report {
	const there, gone = crosscheck.Present, crosscheck.Absent
	return &Report{Holdings: []Holding{held("node/a", "one", there, there), held("node/a", "two", there, there),
		held("node/b", "s3/one.gz", there, there, there, there),
		held("node/b", "two", there, gone, crosscheck.Altered, there),
		held("node/b", "three", there, crosscheck.Lossy, crosscheck.Differs, gone)}}
}

// pictures are one of each kind of picture, and the extremes of it. A picture is
// of the template with its name up to the first hyphen.
var pictures = map[string]any{
	"time-marks":      newTimePicture(reportOf(everyMark(), logOver(time.Hour))),
	"time-crowded":    newTimePicture(reportOf(crowded().Logs[0])),
	"time-second":     newTimePicture(reportOf(logOver(time.Second))),
	"time-decade":     newTimePicture(reportOf(logOver(10 * 365 * 24 * time.Hour))),
	"time-days":       newTimePicture(reportOf(logOver(70 * time.Hour))),
	"time-one-moment": newTimePicture(reportOf(logOver(0))),
	"time-all-gone": newTimePicture(reportOf(Log{LogResult: walk.LogResult{LogID: "node/n", Missing: 12,
		Verdict: verify.Rejected},
		Marks: []Mark{{Kind: anchorBeyond, First: 12, Last: 12, Count: 1}}})),
	"time-longest":   newTimePicture(longest()),
	"stores-states":  newStorePicture(stored()),
	"stores-longest": newStorePicture(longest()),
}

// drawing writes a picture as a document of its own, with the style sheet of the
// page.
func drawing(t *testing.T, name string, picture any) []byte {
	t.Helper()
	kind, _, _ := strings.Cut(name, "-")
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/css" href="../../../../answer/style.css"?>
<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="2000">`)
	write := func(name string, data any) {
		must.Do(t, drawings().ExecuteTemplate(&b, name, data))
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
		must.Do(t, os.RemoveAll(dir))
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

// placesOf returns where a picture has something of a kind, as shares of its width.
func placesOf(p *timePicture, kind string) []string {
	var all []string
	for _, b := range slices.Concat(p.Bars, p.Ticks) {
		if b.Class == kind {
			all = append(all, b.X+" "+b.W)
		}
	}
	for _, s := range p.Symbols {
		if s.Kind == kind {
			all = append(all, s.X)
		}
	}
	return all
}

// TestEveryMarkIsDrawn: each kind of mark is drawn from when to when it was, has a line in the legend,
// is described, and is not drawn where there is none.
func TestEveryMarkIsDrawn(t *testing.T) {
	for _, entry := range finding.Codes("logs") {
		check.That(t, entry.Mark == finding.NoMark || slices.Contains(rowKinds, string(entry.Mark)),
			"%s: no line for %s", entry.Code, entry.Mark)
		check.That(t, entry.Mark == finding.NoMark || (entry.Mark == finding.BadCopy) == (entry.Subject == finding.Source),
			"%s blames a %s and is drawn as %s", entry.Code, entry.Subject, entry.Mark)
	}
	without := newTimePicture(reportOf(logOver(time.Hour)))
	for _, item := range legend {
		m := at(item.Kind, 15, 30)
		m.Name = "gone-8bfb"
		p := newTimePicture(reportOf(logOver(time.Hour, m)))
		places := strings.Join(placesOf(p, item.Kind), ", ")
		want := "25% 25%, 37.5%" // the tick, and the symbol in its middle
		switch {
		case item.Kind == Missing || item.Kind == Paused || item.Kind == OfIncident:
			want = "25% 25%"
		case slices.Contains(anchorKinds, facts.AnchorKind(item.Kind)):
			want = "25%"
		}
		check.That(t, places == want, "%s is drawn at %q, want %q", item.Kind, places, want)
		if !slices.Contains(p.Legend, item) || slices.Contains(without.Legend, item) ||
			len(placesOf(without, item.Kind)) > 0 {
			t.Errorf("%s: the legend has %v, and %v without it", item.Kind, p.Legend, without.Legend)
		}
		check.That(t, item.Kind == OfIncident || strings.Contains(p.Desc, item.Text+", 2 Mar 2026 09:15:00 to 09:30:00 UTC"),
			"%s: the description is %q", item.Kind, p.Desc)
		if words := strings.Join(p.Words, "\n"); item.Kind != OfIncident &&
			(!strings.Contains(words, item.Sign+"  "+item.Text) || words[len("node/mesh-oslo-1, faultless\n"):][11] !=
				item.Sign[0] && !strings.Contains(words, "\n           "+item.Sign)) {
			t.Errorf("%s: the lines are\n%s", item.Kind, words)
		}
	}
}

// TestPictureOfCase: the fork, the gap and the anchors that the values of a case name are drawn at their
// times.
func TestPictureOfCase(t *testing.T) {
	t.Chdir(t.TempDir())
	c, w := open(t, damaged(t), sources...)
	w.Comparison.Pauses = []crosscheck.Pause{{TenantID: "acme-corp", LogID: "tenant/acme-corp", Paused: 3, Resumed: 9}}
	r := must.Get(Gather(t.Context(), c, w))(t)
	p := newTimePicture(r)
	want := func(kind, from, until string) {
		t.Helper()
		start, _ := form.Millis(from)
		end, _ := form.Millis(until)
		m := Mark{FromMS: start, UntilMS: end}
		x, width := p.placeOf(m)
		places := placesOf(p, kind)
		check.That(t, slices.Contains(places, x+" "+width) || slices.Contains(places, x),
			"%s from %s to %s is not at %s %s, only at %v", kind, from, until, x, width, places)
	}
	forks, gaps, anchors := 0, 0, 0
	for _, l := range r.Logs {
		for _, f := range l.Forks {
			forks++
			want(string(finding.Forked), f.Branches[0].OccurredAt, f.Branches[0].OccurredAt)
		}
		for _, g := range l.Gaps {
			after := g.Before.OccurredAt
			if g.After != nil {
				after = g.After.OccurredAt
			}
			gaps++
			want(Missing, g.Before.OccurredAt, after)
		}
		for _, word := range []walk.Word{l.CompleteByOthers, l.CompleteByOwn} {
			for _, by := range word.By {
				check.That(t, slices.ContainsFunc(p.Symbols, func(s symbol) bool {
					return s.Kind == string(by) && strings.HasPrefix(s.Text, rangeText(word.Sequence, word.Sequence)+":")
				}), "no %s of %s", by, l.LogID)
				anchors++
			}
		}
		if l.LogID == "tenant/acme-corp" {
			for e, err := range c.Events(t.Context(), facts.Log{TenantID: l.TenantID, LogID: l.LogID}, 3, 3) {
				must.Do(t, err)
				check.That(t, len(placesOf(p, Paused)) == 1 &&
					strings.HasPrefix(placesOf(p, Paused)[0], percentOf(p.at(e.OccurredAt), 1)+" "),
					"the pause is at %v", placesOf(p, Paused))
			}
		}
	}
	check.That(t, forks != 0 && gaps >= 2 && anchors >= 3, "%d forks, %d gaps, %d anchors", forks, gaps, anchors)
	for _, i := range r.Incidents {
		drawn := slices.ContainsFunc(p.Labels, func(l label) bool { return l.Text == i.Name })
		check.That(t, (len(i.Ranges) > 0 && i.Ranges[0].First > 0) == drawn, "%s is drawn: %v", i.Name, drawn)
	}
}
