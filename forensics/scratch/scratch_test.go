package scratch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/shapes"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// checked is the result of a check, which leaves nothing behind.
func checked(t *testing.T, paths []string, root *trust.Root) *verdict.Result {
	t.Helper()
	dir := t.TempDir()
	e, err := Read(t.Context(), paths, root, share.Options{Dir: dir, Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Examine(t.Context(), examine.Options{Workers: 2})
	if err := errors.Join(err, e.Close()); err != nil {
		t.Fatal(err)
	}
	empty(t, dir)
	return r
}

// empty wants a folder without anything in it.
func empty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("a check left %v behind, %v", left, err)
	}
}

// kept is the result of an ingest and a walk, in a case that a key vouches for.
func kept(t *testing.T, paths []string, root *trust.Root) *verdict.Result {
	t.Helper()
	key, err := store.NewKey([store.KeySize]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "case.db")
	w, err := store.OpenWrite(path, store.With(key))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ingest.Paths(t.Context(), w, paths, ingest.Options{Workers: 1}, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := examine.Examine(t.Context(), path, root,
		examine.Options{Workers: 1, Case: []store.Option{store.With(key)}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// same wants that a check comes to what a case comes to, and returns the verdict.
func same(t *testing.T, paths []string, root *trust.Root) verify.Verdict {
	t.Helper()
	r := checked(t, paths, root)
	got, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(kept(t, paths, root))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("a check comes to\n%s\nwant\n%s", got, want)
	}
	reported(t, r)
	return r.Verdict
}

// reported wants that the outcome of a result has every finding that counts once, and
// comes to the verdict.
func reported(t *testing.T, r *verdict.Result) {
	t.Helper()
	report := r.Outcome("svc-verify check")
	var problems []outcome.Problem
	classes, names := []outcome.Class{outcome.Verified}, map[string]bool{}
	for item := range report.Items() {
		classes = append(classes, item.Verdict())
		problems = append(problems, item.Problems...)
		if names[item.Name] || item.Class != outcome.Verified && len(item.Problems) == 0 {
			t.Errorf("%s is there twice, or is %s without a reason", item.Name, item.Class)
		}
		names[item.Name] = true
	}
	problems = append(problems, report.Problems...)
	for _, p := range report.Problems {
		classes = append(classes, p.Class)
	}
	if len(report.NotExamined) > len(r.Assumed) {
		classes = append(classes, outcome.Inconclusive)
	}
	if worst := outcome.Worst(classes...); worst != report.Verdict || string(worst) != string(r.Verdict) {
		t.Errorf("the items come to %s, the run to %s, and the case is %s", worst, report.Verdict, r.Verdict)
	}
	counting := 0
	for _, f := range r.Findings {
		if f.Effect() == finding.None {
			continue
		}
		counting++
		if !slices.ContainsFunc(problems, func(p outcome.Problem) bool {
			return p.Code == f.Code && strings.HasPrefix(p.Message, f.Message)
		}) {
			t.Errorf("%s is no problem of anything: %s", f.Code, f.Message)
		}
	}
	if len(problems) < counting {
		t.Errorf("%d problems of %d findings", len(problems), counting)
	}
}

// TestScenes: of every scene a check comes to what a case comes to.
func TestScenes(t *testing.T) {
	said := map[verify.Verdict]bool{}
	for i, d := range harness.Scenes() {
		if testing.Short() && i%3 != 0 {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			dir := t.TempDir()
			root := written(t, d, dir)
			said[same(t, []string{dir}, root)] = true
		})
	}
	if !said[verify.Verified] || !said[verify.Rejected] {
		t.Errorf("the scenes are only %v", said)
	}
}

// written writes the evidence of a scene, and returns its trust file.
func written(t *testing.T, d harness.Description, dir string) *trust.Root {
	t.Helper()
	if d.Fleet {
		e := fleettest.Evidence(t, d.Name)
		if err := e.Write(dir); err != nil {
			t.Fatal(err)
		}
		return fleettest.Root(t, e)
	}
	scene, err := harness.Build(d.Name, 1, harness.Options{Events: 300})
	if err != nil {
		t.Fatal(err)
	}
	if err := scene.Write(dir); err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(filepath.Join(dir, fleet.TrustFile))
	if err != nil {
		t.Fatal(err)
	}
	root, err := trust.Parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestShapes: the same of a journal in the forms in which products hand it out.
func TestShapes(t *testing.T) {
	dir := t.TempDir()
	root := written(t, harness.Description{Name: "denied"}, dir)
	doc, err := os.ReadFile(filepath.Join(dir, "journals", "mesh-oslo-1.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	log := shapes.Log{Lines: bytes.Split(bytes.TrimSuffix(doc, []byte("\n")), []byte("\n")), Batch: "b-1",
		Time: time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)}
	for i, s := range shapes.All() {
		if testing.Short() && i%16 != 0 {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, content := range s.Write(log) {
				path := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			same(t, []string{dir}, root)
		})
	}
}

// TestNothing: without evidence nothing is verified, and nothing fails either.
func TestNothing(t *testing.T) {
	dir := t.TempDir()
	root := written(t, harness.Description{Name: "issued"}, dir)
	for name, paths := range map[string][]string{
		"no path": nil, "an empty folder": {t.TempDir()}, "none there": {filepath.Join(dir, "none")},
		"only a trust file": {filepath.Join(dir, fleet.TrustFile)},
	} {
		if got := same(t, paths, root); got != verify.Inconclusive {
			t.Errorf("%s is %s", name, got)
		}
	}
}

// TestInsideTheEvidence: temporary files in a folder that is checked are no evidence.
func TestInsideTheEvidence(t *testing.T) {
	dir := t.TempDir()
	root := written(t, harness.Description{Name: "issued"}, dir)
	want := same(t, []string{dir}, root)
	o := share.Options{Dir: dir, Memory: 1, Options: ingest.Options{Stdin: strings.NewReader("no evidence\n")}}
	e, err := Read(t.Context(), []string{"-", dir}, root, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Examine(t.Context(), examine.Options{})
	if err := errors.Join(err, e.Close()); err != nil {
		t.Fatal(err)
	}
	if r.Verdict != want {
		t.Errorf("the verdict is %s, want %s", r.Verdict, want)
	}
	for _, s := range r.Sources {
		if strings.Contains(s.Path, "svc-verify-") {
			t.Errorf("%s is evidence", s.Path)
		}
	}
}

// TestInterrupted: a check that is called off while it reads has no verdict; one that
// is called off while it examines says what it left out.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	root := written(t, harness.Description{Name: "issued"}, dir)
	ctx, cancel := context.WithCancel(t.Context())
	var stopped *Interrupted
	_, err := Read(ctx, []string{dir}, root, share.Options{Progress: func(ingest.Progress) { cancel() }})
	if !errors.As(err, &stopped) {
		t.Fatalf("%v", err)
	}
	e, err := Read(t.Context(), []string{dir}, root, share.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r, err := e.Examine(ctx, examine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != verify.Inconclusive || len(r.LeftOut) == 0 {
		t.Errorf("%s, %v", r.Verdict, r.LeftOut)
	}
}

// TestNoPlace: there is no check where no temporary file can be made.
func TestNoPlace(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	var place *NoPlace
	if _, err := Read(t.Context(), nil, nil, share.Options{Dir: none}); !errors.As(err, &place) ||
		!errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := New(none); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
