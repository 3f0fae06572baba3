package report

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/forensics/facts"
)

// exploredTotals counts the events of each time, log and type, with a list for each property as [exploredEvents] has.
// Left counts the events beyond the limit of these lists.
type exploredTotals struct {
	BucketMS int64   `json:"bucket_ms"`
	StartMS  []int64 `json:"start_ms"` // since 1970
	Log      []int   `json:"log"`
	Type     []int   `json:"type"`
	Events   []int64 `json:"events"`
	Left     int64   `json:"left"`
}

// bucketGrowth makes days of hours, and so on, while there are too many buckets.
const bucketGrowth = 24

// longestBucket is 38 years: there are always few of them.
var longestBucket = (time.Hour * bucketGrowth * bucketGrowth * bucketGrowth * bucketGrowth).Milliseconds()

// eventTotals counts events in a bounded number of buckets, whatever times, logs and types they have.
type eventTotals struct {
	most     int // buckets
	counts   map[bucketOf]int64
	bucketMS int64
	left     int64
}

type bucketOf struct {
	start int64
	log   facts.Log
	kind  string
}

func newEventTotals(most int) *eventTotals {
	return &eventTotals{most: most, counts: map[bucketOf]int64{}, bucketMS: time.Hour.Milliseconds()}
}

// countEvent counts an event of a log and a type, in milliseconds since 1970.
func (t *eventTotals) countEvent(log facts.Log, kind string, at int64) {
	b := bucketOf{bucketStart(at, t.bucketMS), log, kind}
	for t.counts[b] == 0 && len(t.counts) == t.most {
		if t.bucketMS == longestBucket {
			t.left++
			return
		}
		t.bucketMS *= bucketGrowth
		wider := map[bucketOf]int64{}
		for old, n := range t.counts {
			old.start = bucketStart(old.start, t.bucketMS)
			wider[old] += n
		}
		t.counts, b.start = wider, bucketStart(at, t.bucketMS)
	}
	t.counts[b]++
}

// bucketStart returns the start of the bucket of a time, also before 1970.
func bucketStart(at, width int64) int64 { return at - (at%width+width)%width }

// addTotals adds the totals by time, log and type, if there are any.
func (x *Explorer) addTotals(t *eventTotals) {
	if t == nil {
		return
	}
	to := &exploredTotals{BucketMS: t.bucketMS, Left: t.left}
	for _, b := range slices.SortedFunc(maps.Keys(t.counts), func(a, b bucketOf) int {
		return cmp.Or(cmp.Compare(a.start, b.start), a.log.Compare(b.log), cmp.Compare(a.kind, b.kind))
	}) {
		to.StartMS, to.Log = append(to.StartMS, b.start), append(to.Log, x.logPlace(b.log))
		to.Type, to.Events = append(to.Type, x.namePlace(b.kind)), append(to.Events, t.counts[b])
	}
	x.Totals = to
}
