package incident

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/form"
)

// readClocks reads the times that a log's own clock gives to the first and the last event of each
// incident.
func (x *finder) readClocks(ctx context.Context, all []Incident) error {
	for i := range all {
		if len(all[i].Ranges) == 0 {
			continue
		}
		r := all[i].Ranges[0]
		first, last, err := x.readTimes(ctx, r, r.First)
		if err == nil && r.Last > r.First {
			_, last, err = x.readTimes(ctx, r, r.Last)
		}
		if err != nil {
			return err
		}
		all[i].When.ClaimedFirst, all[i].When.ClaimedLast = first, last
	}
	return nil
}

// readTimes returns the earliest and the latest time in the copies of one event, "" if there is
// no copy.
func (x *finder) readTimes(ctx context.Context, r Range, at uint64) (earliest, latest string, err error) {
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	for e, err := range x.Reader.Events(ctx, r.Log(), at, at) {
		if err != nil {
			return "", "", err
		}
		low, high = min(low, e.OccurredAt), max(high, e.OccurredAt)
	}
	if low > high {
		return "", "", nil
	}
	return form.FormatMillis(low), form.FormatMillis(high), nil
}

// countTransactions counts the transactions that have a statement among the events of each incident.
// Each log is read once.
func (x *finder) countTransactions(ctx context.Context, all []Incident) error {
	of := map[facts.Log][]*touched{}
	ids := make([]map[string]bool, len(all))
	for i := range all {
		ids[i] = map[string]bool{}
		all[i].Transactions.AtLeast = all[i].More > 0
		for _, r := range all[i].Ranges {
			of[r.Log()] = append(of[r.Log()], &touched{r, &all[i].Transactions, ids[i]})
		}
	}
	for log, ranges := range of {
		if err := x.readTransactions(ctx, log, ranges); err != nil {
			return err
		}
	}
	for i := range all {
		named := slices.Sorted(maps.Keys(ids[i]))
		all[i].Transactions.IDs = append([]string{}, named[:min(len(named), mostIDs)]...)
	}
	return nil
}

// touched is the transactions of one incident, in one range of events.
type touched struct {
	Range
	of *Transactions
	// ids are the transactions of all ranges of the incident.
	ids map[string]bool
}

// addTransaction adds a transaction.
func (t *touched) addTransaction(id string) {
	switch {
	case id == "", t.ids[id]:
	case len(t.ids) >= mostTransactions:
		t.of.AtLeast = true
	default:
		t.ids[id] = true
		t.of.Count++
	}
}

// readTransactions reads the statements of a log once, in ascending order, and matches them with its ranges.
func (x *finder) readTransactions(ctx context.Context, log facts.Log, ranges []*touched) error {
	slices.SortFunc(ranges, func(a, b *touched) int { return cmp.Compare(a.First, b.First) })
	var open []*touched
	for e, err := range x.Reader.Chosen(ctx, log, evidence.Choice{Types: evidence.StatementTypes(log.LogID)}) {
		if err != nil {
			return err
		}
		for len(ranges) > 0 && ranges[0].First <= e.Sequence {
			open, ranges = append(open, ranges[0]), ranges[1:]
		}
		open = slices.DeleteFunc(open, func(t *touched) bool { return t.Last < e.Sequence })
		for _, t := range open {
			t.addTransaction(e.TransactionID)
		}
	}
	return nil
}
