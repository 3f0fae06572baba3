package examine

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// compareAs opens a case as a user who adopts it, and compares its sources.
func compareAs(t *testing.T, path string, user byte, root *trust.Root,
	options crosscheck.Options) (doc []byte, kept bool) {
	t.Helper()
	w := must.Get(store.OpenWrite(path, cases.As(user)))(t)
	w.Adopt()
	r, kept, err := compareSources(t.Context(), w, must.Get(w.Case(t.Context(), store.Judging{}))(t), root, options,
		false)
	must.Do(t, errors.Join(err, w.Close()))
	doc = must.Get(json.Marshal(r))(t)
	return doc, kept
}

// alter changes a case by another program.
func alter(t *testing.T, path, statement string) {
	t.Helper()
	db := must.Get(sql.Open("sqlite", path))(t)
	done, err := db.Exec(statement)
	if err == nil {
		if n, _ := done.RowsAffected(); n == 0 {
			err = errors.New("nothing was altered")
		}
	}
	must.Do(t, errors.Join(err, db.Close()))
}

// pinnedOtherwise is a trust file with one key less.
func pinnedOtherwise(t *testing.T, dir string) *trust.Root {
	t.Helper()
	doc := must.Get(os.ReadFile(filepath.Join(dir, "trust.json")))(t)
	var all map[string]any
	must.Do(t, json.Unmarshal(doc, &all))
	audit := all["audit_keys"].(map[string]any)
	must.That(t, len(audit) >= 2, "the scene has one audit key only")
	delete(audit, slices.Max(slices.Collect(maps.Keys(audit))))
	doc = must.Get(json.Marshal(all))(t)
	return must.Get(trust.Parse(doc))(t)
}

// TestComparisonIsKept: the comparison of the same evidence is made once, and again once
// anything that decides it changes: a source, a row, the trust file, the stores, a bundle in
// addition to the case, the user. Its result then equals the result of a comparison that was
// never cached.
func TestComparisonIsKept(t *testing.T) {
	dir := t.TempDir()
	path, root := fill(t, dir, "journals", "tenant.ndjson")
	stores := crosscheck.Options{Stores: []crosscheck.Prefix{{Name: "nodes", Path: filepath.Join(dir, "journals")}}}
	proofs, err := filepath.Glob(filepath.Join(dir, "svc-evidence-*.json"))
	must.That(t, err == nil && len(proofs) != 0, "%v %v", proofs, err)
	proof := must.Get(os.ReadFile(proofs[0]))(t)
	beside := crosscheck.Options{Evidence: []crosscheck.Evidence{{Name: "proof", Bytes: proof}}}
	nothing := func() {}
	for _, step := range []struct {
		name    string
		change  func()
		user    byte
		root    *trust.Root
		options crosscheck.Options
		kept    bool
	}{
		{"the first", nothing, 1, root, crosscheck.Options{}, false},
		{"the second", nothing, 1, root, crosscheck.Options{}, true},
		{"another trust file", nothing, 1, pinnedOtherwise(t, dir), crosscheck.Options{}, false},
		{"the first trust file again", nothing, 1, root, crosscheck.Options{}, true},
		{"stores that are given", nothing, 1, root, stores, false},
		{"the same stores", nothing, 1, root, stores, true},
		{"a bundle beside the case", nothing, 1, root, beside, false},
		{"the same bundle", nothing, 1, root, beside, true},
		{"after an examination, which keeps it", func() { run(t, path, root, Whole) }, 1, root, crosscheck.Options{}, true},
		{"a source more", func() { add(t, path, dir, filepath.Base(proofs[0])) }, 1, root, crosscheck.Options{}, false},
		{"the same source", nothing, 1, root, crosscheck.Options{}, true},
		{"a path that another program altered", func() { alter(t, path, "UPDATE paths SET path = 'elsewhere/' || path") },
			1, root, crosscheck.Options{}, false},
		{"the same path", nothing, 1, root, crosscheck.Options{}, true},
		{"a row that another program altered", func() { alter(t, path, "UPDATE containers SET why = why || ' and more'") },
			1, root, crosscheck.Options{}, false},
		{"the same row", nothing, 1, root, crosscheck.Options{}, true},
		{"a result that another program altered", func() {
			alter(t, path, "UPDATE vouched SET value = CAST(replace(CAST(value AS TEXT), 'compared', 'Compared') AS BLOB)")
		}, 1, root, crosscheck.Options{}, false},
		{"another user", nothing, 2, root, crosscheck.Options{}, false},
		{"the other user again", nothing, 2, root, crosscheck.Options{}, true},
	} {
		step.change()
		step.options.Walked = func(facts.Log) (whole, beyond uint64) { return math.MaxInt64, 0 } // as of whole logs
		doc, kept := compareAs(t, path, step.user, step.root, step.options)
		check.That(t, kept == step.kept, "%s: kept %t", step.name, kept)
		if kept && testing.Short() {
			continue
		}
		c := must.Get(store.OpenCase(path))(t)
		r, err := crosscheck.Run(t.Context(), c, step.root, step.options)
		must.Do(t, errors.Join(err, c.Close()))
		if want, err := json.Marshal(r); err != nil || !bytes.Equal(doc, want) {
			t.Errorf("%s: %s, %v\nwant %s", step.name, doc, err, want)
		}
	}
}

// TestComparisonWithoutKey: without a key nothing is kept.
func TestComparisonWithoutKey(t *testing.T) {
	path, root := fill(t, t.TempDir(), "tenant.ndjson")
	for range 2 {
		w := must.Get(store.OpenWrite(path))(t)
		w.Adopt()
		c := must.Get(w.Case(t.Context(), store.Judging{}))(t)
		_, kept, err := compareSources(t.Context(), w, c, root, crosscheck.Options{}, false)
		if err := errors.Join(err, w.Close()); err != nil || kept {
			t.Errorf("kept %t, %v", kept, err)
		}
	}
}

// TestKeptByExamination: the second examination uses the cached comparison and returns the
// same as the first.
func TestKeptByExamination(t *testing.T) {
	path, root := fill(t, t.TempDir(), "journals", "tenant.ndjson")
	examine := func() (doc []byte, kept bool) {
		options := Options{Case: []store.Option{cases.As(1)}, Kept: func() { kept = true }}
		r := must.Get(Examine(t.Context(), path, root, options))(t)
		doc = must.Get(json.Marshal(r))(t)
		return doc, kept
	}
	first, kept1 := examine()
	second, kept2 := examine()
	check.That(t, !kept1 && kept2 && bytes.Equal(first, second),
		"kept %t, %t: %s\nwant %s", kept1, kept2, second, first)
}
