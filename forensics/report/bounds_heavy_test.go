//go:build heavy

package report

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestLongLog: for a log of 100,000 events with every third missing, the report stays within
// its bounds.
func TestLongLog(t *testing.T) {
	const events = 100_000
	path := filepath.Join(t.TempDir(), "case.db")
	fillLong(t, path, events)
	c := must.Get(store.OpenCase(path, cases.As(1)))(t)
	defer c.Close()
	result := &verdict.Result{Verdict: "rejected", Logs: []walk.LogResult{{LogID: "node/n", TenantID: "t",
		FirstSequence: 1, LastSequence: events, Events: events - events/3, Missing: events / 3}}}
	r := must.Get(Gather(t.Context(), c, result))(t)
	l := r.Logs[0]
	n := len(l.Times.Buckets)
	check.That(t, n <= mostTimes && n >= mostTimes/2, "%d buckets", n)
	check.That(t, len(l.Presence.Stretches) == mostStretches && l.Presence.More == (events+1)/3+1-mostStretches &&
		len(l.Gaps) <= mostGaps, "%d stretches and %d more, %d gaps", len(l.Presence.Stretches), l.Presence.More, len(l.Gaps))
	check.That(t, len(l.Gaps)+l.MoreGaps == events/3, "%d gaps and %d more", len(l.Gaps), l.MoreGaps)
	if n := len(r.Deliveries.Buckets); n > mostBars || r.Deliveries.Events != events-events/3 {
		t.Errorf("%d bars of %d events", n, r.Deliveries.Events)
	}
	var page bytes.Buffer
	if err := HTML(&page, r); err != nil || page.Len() > 200_000 {
		t.Errorf("%d bytes, %v", page.Len(), err)
	}
}
