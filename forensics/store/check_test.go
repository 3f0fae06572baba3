package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// checked opens and checks a store.
func checked(t *testing.T, path string) error {
	t.Helper()
	f, err := store.OpenRead(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Check(t.Context())
}

// said is what a store says of events, without where and how they arrived.
func said(t *testing.T, path string) map[string]bool {
	t.Helper()
	f := must.Get(store.OpenRead(path))(t)
	defer f.Close()
	all := map[string]bool{}
	for _, log := range f.Content.Logs() {
		for c, err := range f.Content.Copies(t.Context(), log, 0) {
			must.Do(t, err)
			line, err := f.CopyLine(t.Context(), log, c)
			all[fmt.Sprintf("%v %+v %x %s %v", log, c.Header, c.Digest, line, err)] = true
		}
		for s, err := range f.Content.Statements(t.Context(), log, 0) {
			all[fmt.Sprintf("%v %+v %v", log, s, err)] = true
		}
	}
	return all
}

// edits change a row of a table, which is drawn.
var edits = []struct{ table, key, column string }{
	{"blocks", "block", "copies"}, {"blocks", "block", "kept"}, {"blocks", "block", "first"},
	{"blocks", "block", "last"}, {"blocks", "block", "log"}, {"blocks", "block", "run"},
	{"bodies", "body", "octets"}, {"statements", "statement", "octets"}, {"statements", "statement", "first"},
	{"statements", "statement", "log"}, {"logs", "log", "log_id"}, {"logs", "log", "tenant_id"},
	{"documents", "document", "bytes"}, {"documents", "document", "sha256"},
	{"sources", "source", "numbers"}, {"blocks", "block", ""}, {"bodies", "body", ""}, {"statements", "statement", ""},
}

// edit edits a store, and says how.
func edit(t *testing.T, path string, r *rand.Rand) string {
	t.Helper()
	c := must.Get(sqlite.Open(path, sqlite.ReadWrite))(t)
	defer c.Close()
	e := edits[r.IntN(len(edits))]
	rows := must.Get(c.Number("SELECT max(" + e.key + ") FROM " + e.table))(t)
	row := 1 + r.Int64N(max(1, rows))
	how := fmt.Sprint(e.table, " ", row, " ", e.column)
	where := " WHERE " + e.key + " = ?"
	if e.column == "" {
		if err := c.Run("DELETE FROM "+e.table+where, row); err != nil {
			t.Log(how, err)
		}
		return how + "deleted"
	}
	kind := ""
	var value []byte
	number := int64(0)
	must.Do(t, c.Each("SELECT typeof("+e.column+"), "+e.column+" FROM "+e.table+where, []any{row}, func(s *sqlite.Stmt) error {
		if kind = s.Text(0); kind == "integer" {
			number = s.Int(1)
		} else {
			value = append(value, s.Blob(1)...)
		}
		return nil
	}))
	var changed any
	switch {
	case kind == "integer":
		changed = number + []int64{-1, 1, 2, 1 << 40}[r.IntN(4)]
	case len(value) == 0:
		return how + " empty"
	case kind == "text":
		value[r.IntN(len(value))] = 'x'
		changed = string(value)
	case r.IntN(4) == 0:
		changed = value[:r.IntN(len(value))]
	default:
		value[r.IntN(len(value))] ^= 1 << r.IntN(8)
		changed = value
	}
	if err := c.Run("UPDATE "+e.table+" SET "+e.column+" = ?"+where, changed, row); err != nil {
		t.Log(how, err)
	}
	return how
}

// TestEdits: of a store that somebody edited, a check refuses what is not so, or there is
// nothing in it that was not there before.
func TestEdits(t *testing.T) {
	path := pour(t, laid(t, fleettest.Evidence(t, fleet.Scene), some...), 40<<10)
	octets := must.Get(os.ReadFile(path))(t)
	before := said(t, path)
	tries, refused := 200, 0
	if testing.Short() {
		tries = 10
	}
	for seed := range tries {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		edited := filepath.Join(t.TempDir(), "edited.db")
		must.Do(t, os.WriteFile(edited, octets, 0o600))
		how := edit(t, edited, r)
		err := checked(t, edited)
		if err != nil {
			refused++
			continue
		}
		for s := range said(t, edited) {
			must.That(t, before[s], "seed %d, %s: %s", seed, how, strings.ToValidUTF8(s, "?"))
		}
	}
	t.Log(refused, "of", tries, "were refused")
}
