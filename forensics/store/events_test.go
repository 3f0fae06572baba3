package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// indexed makes a store of a fleet's evidence with an index of events.
func indexed(t *testing.T) string {
	t.Helper()
	path := pour(t, laid(t, cases.Evidence(t, fleet.Scene), some...), 0)
	w := must.Get(store.OpenWrite(path))(t)
	must.Do(t, store.IndexEvents(t.Context(), w), w.Close())
	return path
}

// rows counts the rows of the index that fulfil a condition.
func rows(t *testing.T, path, condition string) int64 {
	t.Helper()
	c := must.Get(sqlite.Open(path, sqlite.ReadOnly))(t)
	defer c.Close()
	return must.Get(c.Number("SELECT count(*) FROM events WHERE " + condition))(t)
}

// TestEventsIndexIsChecked: a stranger's changes to the index are noticed.
func TestEventsIndexIsChecked(t *testing.T) {
	const first = " WHERE (log, sequence) = (SELECT log, sequence FROM events WHERE transaction_id IS NOT NULL LIMIT 1)"
	good := must.Get(os.ReadFile(indexed(t)))(t)
	for edit, noticed := range map[string]bool{
		"SELECT 1":                   false,
		"DELETE FROM events" + first: true,
		"UPDATE events SET transaction_id = 'tx-other'" + first:   true,
		"UPDATE events SET transaction_id = NULL" + first:         true,
		"UPDATE events SET occurred_at = occurred_at + 1" + first: true,
		"UPDATE events SET type = 'policy.other'" + first:         true,
		"UPDATE events SET copy = copy + 1" + first:               true,
		"UPDATE events SET offset = offset + 1" + first:           true,
		"UPDATE events SET length = length + 1" + first:           true,
		"UPDATE events SET container = container + 1" + first:     true,
		"UPDATE events SET record = record + 1000000" + first:     true,
		"UPDATE events SET sequence = sequence + 1000000" + first: true,
		"INSERT INTO events SELECT log, sequence, source, record + 1000000, container, offset, length, copy, occurred_at, " +
			"type, transaction_id FROM events" + first: true,
		"DROP VIEW timeline; DROP VIEW gaps; DROP TABLE events": false,
	} {
		path := filepath.Join(t.TempDir(), "store.db")
		must.Do(t, os.WriteFile(path, good, 0o600))
		c := must.Get(sqlite.Open(path, sqlite.ReadWrite))(t)
		must.Do(t, c.Exec(edit), c.Close())
		f, err := store.OpenRead(path)
		if err == nil {
			must.Do(t, f.Close())
		}
		check.That(t, errors.Is(err, store.ErrAltered) == noticed && (noticed || err == nil), "%s: %v", edit, err)
	}
}

// TestEventsIndexIsKeptUp: the index follows additions and replacements.
func TestEventsIndexIsKeptUp(t *testing.T) {
	journal := fleet.Journal("mesh-berlin-1")
	journal = filepath.Join(laid(t, cases.Evidence(t, fleet.Scene), journal), journal)
	whole := must.Get(os.ReadFile(journal))(t)
	path := filepath.Join(t.TempDir(), "store.db")
	before := int64(0)
	for i, octets := range [][]byte{whole[:len(whole)/2], whole} { // the second one replaces the first
		must.Do(t, os.WriteFile(journal, octets, 0o600))
		w := must.Get(store.OpenWrite(path))(t)
		must.Get(ingest.Paths(t.Context(), w, []string{journal}, ingest.Options{Workers: 1, Read: limits}, nil))(t)
		must.Do(t, store.IndexEvents(t.Context(), w), w.Close())
		f := must.Get(store.OpenRead(path))(t) // which checks the index
		must.Do(t, f.Close())
		n := rows(t, path, "true")
		must.That(t, n > before, "%d events after the ingest %d, and %d before", n, i, before)
		before = n
	}
	must.Equal(t, rows(t, path, "source <> (SELECT max(source) FROM sources)"), 0, "events of the source that is gone")
}
