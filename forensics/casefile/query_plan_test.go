package casefile

import (
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// TestTransactionsAreFoundByIndex: a query for a transaction, and one for a range
// of a log, never read the whole table.
func TestTransactionsAreFoundByIndex(t *testing.T) {
	w, _ := newWriter(t)
	defer w.Close()
	must.Do(t, w.Index())
	must.Do(t, w.Commit())
	condition, args := Filter{TransactionID: "tx", From: time.UnixMilli(1), To: time.UnixMilli(2)}.condition()
	const byTransaction = "events_by_transaction (transaction_id=? AND rowid>? AND rowid<?)"
	for query, want := range map[string]string{
		"SELECT event & ? FROM events WHERE " + inEvents + condition: byTransaction,
		"SELECT event & ? FROM events WHERE " + inEvents:             "rowid>? AND rowid<?",
	} {
		var plan []string
		bound := []any{int64(maxSequence), int64(1), int64(2)}
		if strings.Contains(query, "transaction_id") {
			bound = append(bound, args...)
		}
		err := w.conn.Each("EXPLAIN QUERY PLAN "+query+" ORDER BY event", bound, func(s *sqlite.Stmt) error {
			plan = append(plan, s.Text(3))
			return nil
		})
		if err != nil || len(plan) != 1 || !strings.Contains(plan[0], want) {
			t.Errorf("%s: %q, %v, want one step by %s", query, plan, err, want)
		}
	}
}

// TestSourcesAreFoundByIndex: an ingest of very many files asks both for each of
// them, and never looks at all the others.
func TestSourcesAreFoundByIndex(t *testing.T) {
	w, _ := newWriter(t)
	defer w.Close()
	for query, want := range map[string]string{sizeQuery: "sources_by_size", unfinishedQuery: "sources_unfinished"} {
		must.Do(t, w.conn.Each("EXPLAIN QUERY PLAN "+query, nil, func(s *sqlite.Stmt) error {
			if step := s.Text(3); strings.Contains(step, "sources") && !strings.Contains(step, want) {
				t.Errorf("%s: %q, want %s", query, step, want)
			}
			return nil
		}))
	}
}
