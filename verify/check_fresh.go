package verify

import (
	"slices"
	"sort"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/trust"
)

// MostAge is the largest age that a caller can ask for (SPEC 2.4).
const MostAge = 36500 * 24 * time.Hour

// asksFresh reports whether the caller demands freshness. Half a demand is one
// too: it demands more than both halves would.
func (p Policy) asksFresh() bool { return !p.At.IsZero() || p.MaxAge != 0 }

// maxAge is in whole seconds, and never negative.
func (p Policy) maxAge() time.Duration { return max(p.MaxAge, 0).Truncate(time.Second) }

// earliestFresh is the time at or after which a status is fresh. No time of a bundle
// is before the year 0.
func (p Policy) earliestFresh() time.Time {
	limit, first := p.At.Add(-p.maxAge()), time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	if limit.Before(first) {
		return first
	}
	return limit
}

// statusFresh is SPEC 8.23. It never fails: a status that is not fresh is
// genuine, and shows nothing about the time that the caller asks about.
func statusFresh(r *run, b *bundle.Bundle) {
	created, latest := b.Checkpoint.Unverified().CreatedAt, r.policy.At.Add(Tolerance)
	// 8.23.1
	later := created.After(latest)
	if later {
		r.noteAbsent(StatusLater, createdAt, form.FormatTime(latest)+" or earlier", form.FormatTime(created))
	}
	// 8.23.2
	if checkRecent(r, b) && !later {
		r.noteHeld(1)
	}
}

const createdAt = "/checkpoint/statement/created_at"

// checkRecent is SPEC 8.23.2.
func checkRecent(r *run, b *bundle.Bundle) bool {
	checkpoint, earliest := b.Checkpoint.Unverified(), r.policy.earliestFresh()
	if b.Status.Unverified().Status == bundle.Revoked {
		return true
	}
	if checkpoint.Legacy() {
		r.noteAbsent(StatusStale, "/checkpoint/statement/protocol", "a witnessed checkpoint", checkpoint.Protocol)
		return false
	}
	since := form.FormatTime(earliest) + " or later"
	made := !checkpoint.CreatedAt.Before(earliest)
	if !made {
		r.noteAbsent(StatusStale, createdAt, since, form.FormatTime(checkpoint.CreatedAt))
	}
	need, found := r.neededWitnesses(b), "no quorum"
	at, witnessed := quorumTime(r.witnesses, need)
	if witnessed {
		found = form.FormatTime(at)
	}
	if !witnessed || at.Before(earliest) {
		r.noteAbsent(StatusStale, "/witness_receipts", atLeast(need, "distinct witness")+" at "+since, found)
		return false
	}
	return made
}

type receipt = trust.Opened[bundle.WitnessReceipt]

func newestFirst(receipts []receipt) []receipt {
	return slices.SortedFunc(slices.Values(receipts), func(a, b receipt) int {
		return b.Statement.WitnessedAt.Compare(a.Statement.WitnessedAt)
	})
}

// quorumTime returns the latest time such that the receipts of that time or
// later are a quorum, and whether there is one.
func quorumTime(receipts []receipt, quorum int64) (at time.Time, ok bool) {
	newest := newestFirst(receipts)
	keys := keysOf(newest)
	n := sort.Search(len(keys), func(i int) bool { return int64(trust.Distinct(keys[:i+1])) >= quorum })
	if n == len(keys) {
		return time.Time{}, false
	}
	return newest[n].Statement.WitnessedAt, true
}

// statusAsOf describes the checkpoint of a proven bundle.
func (r *run) statusAsOf(b *bundle.Bundle) *StatusAsOf {
	checkpoint := b.Checkpoint.Unverified()
	as := &StatusAsOf{Sequence: checkpoint.Sequence, CreatedAt: form.FormatTime(checkpoint.CreatedAt)}
	if newest := newestFirst(r.witnesses); len(newest) > 0 {
		as.EarliestWitnessedAt = form.FormatTime(newest[len(newest)-1].Statement.WitnessedAt)
	}
	if at, ok := quorumTime(r.witnesses, r.neededWitnesses(b)); ok {
		as.QuorumWitnessedAt = form.FormatTime(at)
	}
	return as
}
