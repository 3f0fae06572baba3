package report

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// timelineOf returns the rows of a timeline.
func timelineOf(t *testing.T, c *store.Case, r *verdict.Result, f store.Filter) (rows []query.Row) {
	t.Helper()
	for row, err := range query.Timeline(t.Context(), c, r, query.TimelineQuestion{Filter: f}) {
		must.Do(t, err)
		rows = append(rows, row)
	}
	return rows
}

// TestTimelineGolden compares the forms of a timeline with those that were read and approved.
func TestTimelineGolden(t *testing.T) {
	dir := must.Get(filepath.Abs("testdata"))(t)
	t.Chdir(t.TempDir())
	c, r := open(t, damaged(t), sources...)
	f := store.Filter{LogID: "node/mesh-berlin-1"}
	rows := func(data bool) iter.Seq2[query.Row, error] {
		return query.Timeline(t.Context(), c, r, query.TimelineQuestion{Filter: f, Data: data})
	}
	line := Timeline{Result: r, Asked: Asked{Name: "case.db", Case: "case.db"}, Logs: []string{f.LogID}}
	var shown, list, sketch, counted bytes.Buffer
	must.Get(line.WriteText(&shown, rows(false), false))(t)
	must.Get(line.WriteCSV(&list, rows(true)))(t)
	must.Two(line.WriteTimesketch(&sketch, rows(true)))(t)
	totals := must.Get(query.CountByTime(t.Context(), c, store.Filter{}, "hour"))(t)
	must.Do(t, answer.WriteText(&counted, CountedByTime(r, "case.db", totals), false))
	for name, b := range map[string]bytes.Buffer{"timeline.txt": shown, "timeline.csv": list,
		"timeline.timesketch": sketch, "totals.txt": counted} {
		golden(t, filepath.Join(dir, name), b.Bytes())
	}
}

// TestTimelinePlaces: every event and every finding about one is there once, a finding before its
// first event and after the one before that, and the word of others behind its event.
func TestTimelinePlaces(t *testing.T) {
	t.Chdir(t.TempDir())
	c, r := open(t, damaged(t), sources...)
	rows := timelineOf(t, c, r, store.Filter{})
	var events, shown []query.Event
	for e, err := range query.Events(t.Context(), c, store.Filter{}) {
		must.Do(t, err)
		events = append(events, e)
	}
	kinds := map[query.RowKind]int{}
	before := map[string]uint64{} // the last event of each log
	for i, row := range rows {
		kinds[row.Kind]++
		last := before[row.LogID]
		switch row.Kind {
		case query.EventRow:
			shown = append(shown, row.Event)
			before[row.LogID] = row.Sequence
			tags := strings.Join(tagsOf(rows, row.Event), " ")
			check.Equal(t, strings.Join(row.Tags, " "), tags, "tags of event %d", row.Sequence)
		case query.FindingRow:
			next := slices.IndexFunc(rows[i:], func(o query.Row) bool {
				return o.Kind == query.EventRow && o.LogID == row.LogID
			})
			check.That(t, last < row.Sequence, "%s of %d is behind event %d", row.Code, row.Sequence, last)
			check.That(t, next < 0 || rows[i+next].Sequence >= row.Sequence, "%s of %d is too early", row.Code, row.Sequence)
		default:
			check.Equal(t, last, row.Sequence, "the event before the word of others")
		}
	}
	check.That(t, slices.Equal(shown, events), "the events are not those of the case, by time")
	about := 0
	for _, f := range r.Findings {
		about += min(1, int(f.Sequence))
	}
	check.Equal(t, kinds[query.FindingRow], about, "findings")
	check.That(t, kinds[query.WitnessedRow] > 0, "no word of others")
}

// tagsOf returns the tags of an event by looking through all findings.
func tagsOf(rows []query.Row, e query.Event) (tags []string) {
	for _, f := range rows {
		if f.Kind == query.FindingRow && f.LogID == e.LogID && f.Sequence <= e.Sequence && e.Sequence <= f.LastSequence {
			tags = append(tags, cmp.Or(f.Incident, string(f.Code)))
		}
	}
	slices.Sort(tags)
	tags = slices.Compact(tags)
	return tags[:min(len(tags), 8)]
}

// TestTimelineSelects: a filter selects the findings that go with the events that it selects.
func TestTimelineSelects(t *testing.T) {
	t.Chdir(t.TempDir())
	c, r := open(t, damaged(t), sources...)
	all := timelineOf(t, c, r, store.Filter{LogID: "node/mesh-berlin-1"})
	at := slices.IndexFunc(all, func(r query.Row) bool { return r.Kind == query.EventRow && r.Sequence == 9 })
	ninth := must.Get(time.Parse(time.RFC3339, all[at].OccurredAt))(t)
	for name, one := range map[string]struct {
		store.Filter
		findings string // the codes with the first sequence
	}{
		"the event before a gap":  {store.Filter{First: 9, Last: 9}, "chain.gap 10"},
		"two before a gap":        {store.Filter{First: 8, Last: 8}, ""},
		"the event after a gap":   {store.Filter{First: 13, Last: 13}, "chain.gap 10"},
		"two after a gap":         {store.Filter{First: 14, Last: 14}, ""},
		"until the gap":           {store.Filter{First: 8, To: ninth.Add(time.Millisecond)}, "chain.gap 10"},
		"from the gap on":         {store.Filter{From: ninth.Add(time.Millisecond), Last: 14}, "chain.gap 10"},
		"content below a gap":     {store.Filter{First: 9, Last: 9, Type: "*"}, ""},
		"content, altered":        {store.Filter{First: 7, Last: 7, Type: "*"}, "event.hash-mismatch 7"},
		"content that is nowhere": {store.Filter{Content: "nowhere"}, ""},
	} {
		one.LogID = "node/mesh-berlin-1"
		var found []string
		for _, row := range timelineOf(t, c, r, one.Filter) {
			if row.Kind == query.FindingRow && row.Severity != finding.Info {
				found = append(found, fmt.Sprint(row.Code, " ", row.Sequence))
			}
		}
		check.Equal(t, strings.Join(found, ", "), one.findings, "%s", name)
	}
}
