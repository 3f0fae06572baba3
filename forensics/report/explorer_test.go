package report

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// exploredWithin returns the content of a page of the damaged case within bounds.
func exploredWithin(t *testing.T, most explorerBounds) *Explorer {
	t.Helper()
	t.Chdir(t.TempDir())
	c, w := open(t, damaged(t), sources...)
	r := must.Get(Gather(t.Context(), c, w))(t)
	return must.Get(exploreWithin(t.Context(), c, r, most))(t)
}

// exploredPlaces are the logs and sequences of the events that a page has a line of.
func exploredPlaces(x *Explorer) []eventPlace {
	var all []eventPlace
	for i, log := range x.Events.Log {
		l := x.Logs[log]
		all = append(all, eventPlace{facts.Log{TenantID: l.TenantID, LogID: l.LogID}, x.Events.Sequence[i]})
	}
	return all
}

// TestExplorerBounds: a page has all events up to its limit. Of one event more it has the events near findings and
// totals, which count every event once.
func TestExplorerBounds(t *testing.T) {
	most := usualBounds
	whole := exploredWithin(t, most)
	most.events = int(whole.Total)
	exact := exploredWithin(t, most)
	check.Equal(t, len(exact.Events.Log), int(whole.Total), "events at the limit")
	check.That(t, exact.Totals == nil, "totals at the limit")

	most.events--
	part := exploredWithin(t, most)
	var sum int64
	for _, n := range part.Totals.Events {
		sum += n
	}
	check.Equal(t, sum, whole.Total, "events in totals")
	check.Equal(t, part.Total, whole.Total, "events of the case")
	all := exploredPlaces(whole)
	check.That(t, len(part.Events.Log) > 0 && len(part.Events.Log) < len(all), "%d events", len(part.Events.Log))
	for _, p := range exploredPlaces(part) {
		near := slices.ContainsFunc(part.Findings, func(f exploredFinding) bool {
			return f.LogID == p.LogID && f.Sequence > 0 && p.sequence+farther >= f.Sequence &&
				p.sequence <= f.LastSequence+farther
		})
		check.That(t, near && slices.Contains(all, p), "%+v is near no finding", p)
	}

	most.events, most.copies, most.octets = 0, 10, usualBounds.octets
	none := exploredWithin(t, most)
	check.Equal(t, len(none.Events.Log), 0, "events of none")
	check.That(t, len(none.Shown) > 0 && len(none.Shown) <= 10, "%d events with copies", len(none.Shown))
	most.octets = 1
	check.Equal(t, len(exploredWithin(t, most).Shown), 0, "events in one octet")
}

// TestExplorerShown: around a finding everything is there: the copies, their places and their differences.
func TestExplorerShown(t *testing.T) {
	x := exploredWithin(t, usualBounds)
	shown := map[uint64]int{}
	for _, e := range x.Shown {
		if e.LogID == "node/mesh-berlin-1" {
			shown[e.Sequence] = len(e.Copies)
			check.Equal(t, len(e.Differences) > 0, len(e.Copies) > 1, "differences of %d", e.Sequence)
			for i, c := range e.Copies {
				check.That(t, len(c.Deliveries) > 0 && (len(c.Event) > 0) == (i == 0), "copy %d of %d", i, e.Sequence)
			}
		}
	}
	// Altered is 7, missing are 10 to 12, and 18 to 25 exist twice.
	for sequence, copies := range map[uint64]int{3: 0, 4: 1, 7: 1, 9: 1, 10: 0, 12: 0, 13: 1, 15: 1, 18: 2, 21: 2, 25: 2} {
		check.Equal(t, shown[sequence], copies, "copies of event %d", sequence)
	}
	gaps := slices.ContainsFunc(x.Gaps, func(g exploredGap) bool {
		return x.Logs[g.Log].LogID == "node/mesh-berlin-1" && g.First == 10 && g.Last == 12
	})
	check.That(t, gaps, "gaps %+v", x.Gaps)
	check.That(t, slices.ContainsFunc(x.Incidents, func(i exploredIncident) bool { return len(i.Transactions) > 0 }),
		"no incident touches a transaction")
}

// TestEventsNear: the events around the first findings, never below the first of a log, and no more than asked for.
func TestEventsNear(t *testing.T) {
	found := []finding.Finding{{LogID: "a", Sequence: 2, LastSequence: 2}, {LogID: "a"},
		{LogID: "b", Sequence: 100, LastSequence: 1 << 52}}
	for most, want := range map[int]int{0: 0, 1: 1, 5: 5, 12: 12, 19: 19, 100: 19} { // 1 to 5, and 7 at each end
		check.Equal(t, len(eventsNear(found, 3, most)), want, "near, of %d", most)
	}
	near, log := eventsNear(found, 3, 5), facts.Log{LogID: "a"}
	check.That(t, near[eventPlace{log, 1}] && near[eventPlace{log, 5}], "near %v", near)
}

// TestEventTotals: whatever comes in whatever order, the totals are within their bound and count every event at its
// time, log and type.
func TestEventTotals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 20).Draw(t, "most")
		times := rapid.SliceOf(rapid.Int64Range(-1<<47, 1<<47)).Draw(t, "times")
		totals := newEventTotals(most)
		logs := []facts.Log{{LogID: "a"}, {LogID: "b"}}
		for i, at := range times {
			totals.countEvent(logs[i%2], []string{"x", "y"}[i/2%2], at)
		}
		sum := totals.left
		check.That(t, len(totals.counts) <= most, "%d buckets", len(totals.counts))
		for b, n := range totals.counts {
			sum += n
			within := int64(0)
			for i, at := range times {
				if bucketStart(at, totals.bucketMS) == b.start && logs[i%2] == b.log && b.kind == []string{"x", "y"}[i/2%2] {
					within++
				}
			}
			check.That(t, n <= within && (n == within || totals.left > 0) && b.start%totals.bucketMS == 0, "%+v: %d of %d", b, n,
				within)
		}
		check.Equal(t, sum, int64(len(times)), "events")
	})
	hours := newEventTotals(2)
	for range 100 {
		hours.countEvent(facts.Log{}, "x", rand.Int64N(7_200_000)) // two hours
	}
	check.Equal(t, hours.bucketMS, 3_600_000, "a bucket")
	hours.countEvent(facts.Log{}, "x", 7_200_000) // a third one
	check.Equal(t, hours.bucketMS, 24*3_600_000, "a wider bucket")
}
