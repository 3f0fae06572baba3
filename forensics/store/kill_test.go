package store_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// childEnv makes the test binary fill a store: its path and the evidence, one a line.
const childEnv = "SVC_VERIFY_TEST_STORE"

func TestMain(m *testing.M) {
	if order := os.Getenv(childEnv); order != "" {
		if err := fill(strings.Split(order, "\n")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	if testing.Short() {
		chance.Checks(8)
	}
	os.Exit(m.Run())
}

// fill fills a store in small runs, and reports on stdout when each step is done.
func fill(order []string) error {
	w, err := store.OpenWrite(order[0])
	if err != nil {
		return err
	}
	w.Bounded(30 << 10)
	step := func(ingest.Progress) { fmt.Println("step") }
	options := ingest.Options{Workers: 1, Read: limits, ChunkRecords: 20}
	_, err = ingest.Paths(context.Background(), w, order[1:], options, step)
	fmt.Println("step")
	return errors.Join(err, w.Close())
}

// live runs a child and kills it after some steps. It reports whether the child came to its
// end first. A child that ends in another way fails the test.
func live(t *testing.T, steps int, order ...string) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0]) // #nosec G204 G702 -- this very program
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join(order, "\n"))
	cmd.Stderr = os.Stderr
	out := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for n := 0; n < steps && lines.Scan(); n++ {
	}
	_ = cmd.Process.Kill() // which may have ended
	for lines.Scan() {
	}
	err := cmd.Wait()
	code := cmd.ProcessState.ExitCode()
	must.That(t, code <= 0, "the child failed: %v", err)
	return err == nil
}

// listing is all that a store has, in words that hold for any store of the same evidence.
func listing(t *testing.T, path string) string {
	t.Helper()
	f := must.Get(store.OpenRead(path))(t)
	defer f.Close()
	return must.Get(listingOf(t.Context(), f))(t)
}

func listingOf(ctx context.Context, f *store.File) (string, error) {
	var b strings.Builder
	var faults []error
	c := f.Content
	fmt.Fprintf(&b, "%+v\n%+v\n", c.Shares(), c.Unread())
	joinNames(&b, &faults, c.Skips(ctx))
	joinNames(&b, &faults, c.Documents(ctx))
	for _, log := range c.Logs() {
		fmt.Fprintln(&b, log)
		for one, err := range c.Copies(ctx, log, 0) {
			if err != nil {
				return "", err
			}
			line, err := f.CopyLine(ctx, log, one)
			faults = append(faults, err)
			one.Body.Row, one.Body.Start = 0, 0
			fmt.Fprintf(&b, "%+v %s\n", one, line)
		}
		joinNames(&b, &faults, c.Statements(ctx, log, 0))
	}
	joinNames(&b, &faults, c.Batches(ctx))
	return b.String(), errors.Join(faults...)
}

func joinNames[T any](b *strings.Builder, faults *[]error, all iter.Seq2[*T, error]) {
	for one, err := range all {
		fmt.Fprintf(b, "%+v\n", one)
		*faults = append(*faults, err)
	}
}

// TestKills: an ingest that is killed again and again comes to the same store in the end. The
// store that a kill leaves is read.
func TestKills(t *testing.T) {
	given := laid(t, cases.Evidence(t, fleet.Scene), some...)
	want := listing(t, pour(t, given, 0))
	rounds := chance.Sized(6, 1)
	for round := range rounds {
		chance := rand.New(rand.NewPCG(uint64(round), 1))
		path := filepath.Join(t.TempDir(), "killed.db")
		kills := 0
		for steps := 1 + chance.IntN(20); !live(t, steps, path, given); steps = 1 + chance.IntN(20*(kills+1)) {
			if _, err := os.Stat(path); err == nil && kills%2 == 0 {
				f := must.Get(store.OpenRead(path))(t)
				must.Do(t, f.Close())
			}
			kills++
		}
		if got := listing(t, path); got != want {
			t.Fatalf("round %d, after %d kills: %s", round, kills, difference(want, got))
		}
		t.Log(kills, "kills")
	}
}

// difference returns where two texts part.
func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			n := 0 // where the lines part
			for n < min(len(a[i]), len(b[i])) && a[i][n] == b[i][n] {
				n++
			}
			n = max(0, n-200)
			return fmt.Sprintf("line %d, octet %d\nwant %.400s\ngot  %.400s", i, n, a[i][n:], b[i][n:])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(b), len(a))
}

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

// said returns a store's records of events, without where and how they arrived.
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

// edit edits a store, and returns a description of the change.
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
	query := "SELECT typeof(" + e.column + "), " + e.column + " FROM " + e.table + where
	must.Do(t, c.Each(query, []any{row}, func(s *sqlite.Stmt) error {
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

// TestEdits: a check refuses an edited store, or the store contains nothing new.
func TestEdits(t *testing.T) {
	path := pour(t, laid(t, cases.Evidence(t, fleet.Scene), some...), 40<<10)
	octets := must.Get(os.ReadFile(path))(t)
	before := said(t, path)
	tries, refused := chance.Sized(200, 10), 0
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
