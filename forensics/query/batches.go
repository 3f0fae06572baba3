package query

import (
	"context"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// Batch is an export batch: the events that were delivered under one id.
type Batch struct {
	ID          string   `json:"id"`
	Logs        []string `json:"logs"`
	Events      int64    `json:"events"`
	Deliveries  int64    `json:"deliveries"`
	Redelivered int64    `json:"redelivered"`
	Complete    bool     `json:"complete"`    // the id is the digest of the events that are here
	Conflicting bool     `json:"conflicting"` // more than one content has the id
	Shares      []Share  `json:"shares"`
}

// Share describes the events of one log that one source delivered under a batch's id.
type Share struct {
	Source     string `json:"source"`
	TenantID   string `json:"tenant_id"`
	LogID      string `json:"log_id"`
	First      uint64 `json:"first_sequence"`
	Last       uint64 `json:"last_sequence"`
	Deliveries int64  `json:"deliveries"`
}

// BatchTotals counts batches.
type BatchTotals struct {
	Distinct    int64 `json:"distinct"`
	Redelivered int64 `json:"redelivered"`
	Conflicting int64 `json:"conflicting"`
	Incomplete  int64 `json:"incomplete"`
	Absent      int64 `json:"absent"` // events of the case that were delivered without an id
}

// TotalsOf returns totals that count no batch yet.
func TotalsOf(ctx context.Context, c *store.Case) (t BatchTotals, err error) {
	t.Absent, err = c.Unbatched(ctx, string(read.Journal))
	return t, err
}

// Add counts a batch.
func (t *BatchTotals) Add(b Batch) {
	t.Distinct++
	if b.Redelivered > 0 {
		t.Redelivered++
	}
	if b.Conflicting {
		t.Conflicting++
	}
	if !b.Complete {
		t.Incomplete++
	}
}

// BatchFilter selects batches by their id, and by a log that they have events of.
// An empty member selects all.
type BatchFilter struct{ ID, LogID string }

func (f BatchFilter) selectsBatch(b Batch) bool {
	return (f.ID == "" || f.ID == b.ID) && (f.LogID == "" || slices.Contains(b.Logs, f.LogID))
}

// Batches yields the selected batches of a case, ascending by id.
func Batches(ctx context.Context, c *store.Case, f BatchFilter) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		names, err := sourceNames(ctx, c)
		if err != nil {
			yield(Batch{}, err)
			return
		}
		next, stop := iter.Pull2(c.BatchShares(ctx))
		defer stop()
		s, fault, more := next()
		for b, err := range c.Batches(ctx) {
			one := Batch{ID: b.ID, Events: b.Events, Deliveries: b.Deliveries, Redelivered: b.Redelivered,
				Complete: b.Genuine > 0, Conflicting: b.Conflicting()}
			for ; err == nil && fault == nil && more && s.ID == b.ID; s, fault, more = next() {
				one.Shares = append(one.Shares,
					Share{names[s.Source], s.TenantID, s.LogID, s.First, s.Last, s.Deliveries})
				if !slices.Contains(one.Logs, s.LogID) {
					one.Logs = append(one.Logs, s.LogID)
				}
			}
			if err == nil {
				err = fault
			}
			if (f.selectsBatch(one) || err != nil) && !yield(one, err) || err != nil {
				return
			}
		}
	}
}
