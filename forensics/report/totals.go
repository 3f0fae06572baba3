package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// mostBucketRows bounds the buckets that a document shows, and barWidth is the width of the
// longest bar in columns.
const (
	mostBucketRows = 100
	barWidth       = 16
)

// CountedByTime shows the totals of a timeline, with a bar for each bucket.
func CountedByTime(r *verdict.Result, name string, t *query.Totals) *answer.Doc {
	d := headOf(r, name)
	d.Head = append(d.Head, answer.Remark(safetext.Count(t.Events, "event"), ". ", clockNote))
	most := int64(1)
	logs, types := map[string]int64{}, map[string]int64{}
	for _, b := range t.Buckets {
		most = max(most, b.Events)
		addCounts(logs, b.Logs)
		addCounts(types, b.Types)
	}
	shown, left := answer.Cut(t.Buckets, mostBucketRows)
	columns := []string{"From", "", "Events", "number", "", ""}
	for _, outcome := range query.Outcomes {
		columns = append(columns, outcome, "number")
	}
	over := answer.Table{Columns: answer.Columns(columns...)}
	for _, b := range shown {
		row := []answer.Cell{{answer.Say(bucketTime(b, t.Unit))}, {answer.Say(b.Events)},
			{answer.Say(strings.Repeat("#", int(max(1, b.Events*barWidth/most))))}}
		for _, outcome := range query.Outcomes {
			row = append(row, answer.Cell{answer.Say(b.Outcomes[outcome])})
		}
		over.Rows = append(over.Rows, row)
	}
	over.Left = answer.Rest{Command: "--output json"}.Left(left, t.Unit+"s")
	d.AddSections(answer.NewSection("time", "Over time", over),
		answer.NewSection("types", "Types", countsTable("Type", types)),
		answer.NewSection("logs", "Logs", countsTable("Log", logs)))
	return d
}

// bucketTime is when a bucket begins.
func bucketTime(b query.Bucket, unit string) string {
	if unit == "day" {
		return b.Start[:len(time.DateOnly)]
	}
	return strings.Replace(b.Start[:len("2026-03-02T09:00")], "T", " ", 1) + "Z"
}

func addCounts(to, counts map[string]int64) {
	for name, n := range counts {
		to[name] += n
	}
}

// largestFirst returns the names of counts, the largest count first.
func largestFirst(counts map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
}

func countsTable(head string, counts map[string]int64) answer.Table {
	names, left := answer.Cut(largestFirst(counts), answer.MostPlaces)
	t := answer.Table{Columns: answer.Columns(head, "name", "Events", "number")}
	for _, name := range names {
		t.Rows = append(t.Rows, []answer.Cell{{answer.Say(answer.Name(name))}, {answer.Say(counts[name])}})
	}
	t.Left = answer.Rest{Command: "--output json"}.Left(left, "names")
	return t
}
