package examine

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

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// checked is the result of a check, which leaves nothing behind.
func checked(t *testing.T, paths []string, root *trust.Root) *verdict.Result {
	t.Helper()
	dir := t.TempDir()
	e := must.Get(ReadPaths(t.Context(), paths, root, share.Options{Dir: dir, Memory: 1 << 20}))(t)
	r, err := e.Examine(t.Context(), Options{Workers: 2})
	must.Do(t, errors.Join(err, e.Close()))
	empty(t, dir)
	return r
}

// empty wants a folder without anything in it.
func empty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	check.That(t, err == nil && len(left) == 0, "a check left %v behind, %v", left, err)
}

// kept is the result of an ingest and a walk, in a case that a key vouches for.
func kept(t *testing.T, paths []string, root *trust.Root) *verdict.Result {
	t.Helper()
	key := must.Get(store.NewKey([store.KeySize]byte{1}))(t)
	path := filepath.Join(t.TempDir(), "case.db")
	w := must.Get(store.OpenWrite(path, store.With(key)))(t)
	must.Get(ingest.Paths(t.Context(), w, paths, ingest.Options{Workers: 1}, nil))(t)
	must.Do(t, w.Close())
	return must.Get(Examine(t.Context(), path, root,
		Options{Workers: 1, Case: []store.Option{store.With(key)}}))(t)
}

// checkSame asserts that a check has the same result as a case, and returns the verdict.
func checkSame(t *testing.T, paths []string, root *trust.Root) verify.Verdict {
	t.Helper()
	r := checked(t, paths, root)
	got := must.Get(json.Marshal(r))(t)
	want := must.Get(json.Marshal(kept(t, paths, root)))(t)
	check.That(t, bytes.Equal(got, want), "a check comes to\n%s\nwant\n%s", got, want)
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
		check.That(t, !names[item.Name] && (item.Class == outcome.Verified || len(item.Problems) != 0),
			"%s is there twice, or is %s without a reason", item.Name, item.Class)
		names[item.Name] = true
	}
	problems = append(problems, report.Problems...)
	for _, p := range report.Problems {
		classes = append(classes, p.Class)
	}
	if len(report.NotExamined) > len(r.Assumed) {
		classes = append(classes, outcome.Inconclusive)
	}
	worst := outcome.Worst(classes...)
	check.That(t, worst == report.Verdict && string(worst) == string(r.Verdict),
		"the items come to %s, the run to %s, and the case is %s", worst, report.Verdict, r.Verdict)
	counting := 0
	for _, f := range r.Findings {
		if f.Effect() == finding.None {
			continue
		}
		counting++
		check.That(t, slices.ContainsFunc(problems, func(p outcome.Problem) bool {
			return p.Code == f.Code && strings.Contains(p.Message, f.Message)
		}), "%s is no problem of anything: %s", f.Code, f.Message)
	}
	check.That(t, len(problems) >= counting, "%d problems of %d findings", len(problems), counting)
}

// TestScenes: a check of every scene has the same result as a case.
func TestScenes(t *testing.T) {
	said := map[verify.Verdict]bool{}
	for i, d := range harness.Scenes() {
		if testing.Short() && i%6 != 0 {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			dir := t.TempDir()
			root := writeScene(t, d, dir)
			said[checkSame(t, []string{dir}, root)] = true
		})
	}
	check.That(t, said[verify.Verified] && said[verify.Rejected], "the scenes are only %v", said)
}

// writeScene writes the evidence of a scene, and returns its trust file.
func writeScene(t *testing.T, d harness.Description, dir string) *trust.Root {
	t.Helper()
	if d.Fleet {
		e := cases.Evidence(t, d.Name)
		must.Do(t, e.Write(dir))
		return cases.Root(t, e)
	}
	scene := must.Get(harness.Build(d.Name, 1, harness.Options{Events: 300}))(t)
	must.Do(t, scene.Write(dir))
	doc := must.Get(os.ReadFile(filepath.Join(dir, fleet.TrustFile)))(t)
	return must.Get(trust.Parse(doc))(t)
}

// TestNothing: without evidence nothing is verified, and nothing fails either.
func TestNothing(t *testing.T) {
	dir := t.TempDir()
	root := writeScene(t, harness.Description{Name: "issued"}, dir)
	for name, paths := range map[string][]string{
		"no path": nil, "an empty folder": {t.TempDir()}, "none there": {filepath.Join(dir, "none")},
		"only a trust file": {filepath.Join(dir, fleet.TrustFile)},
	} {
		got := checkSame(t, paths, root)
		check.That(t, got == verify.Inconclusive, "%s is %s", name, got)
	}
}

// TestInsideTheEvidence: temporary files in a folder that is checked are no evidence.
func TestInsideTheEvidence(t *testing.T) {
	dir := t.TempDir()
	root := writeScene(t, harness.Description{Name: "issued"}, dir)
	want := checkSame(t, []string{dir}, root)
	o := share.Options{Dir: dir, Memory: 1, Options: ingest.Options{Stdin: strings.NewReader("no evidence\n")}}
	e := must.Get(ReadPaths(t.Context(), []string{"-", dir}, root, o))(t)
	r, err := e.Examine(t.Context(), Options{})
	must.Do(t, errors.Join(err, e.Close()))
	check.That(t, r.Verdict == want, "the verdict is %s, want %s", r.Verdict, want)
	for _, s := range r.Sources {
		check.That(t, !strings.Contains(s.Path, "svc-verify-"), "%s is evidence", s.Path)
	}
}

// TestInterrupted: a check that is cancelled while it reads has no verdict; one that is
// cancelled while it examines reports its omissions.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	root := writeScene(t, harness.Description{Name: "issued"}, dir)
	ctx, cancel := context.WithCancel(t.Context())
	var stopped *Interrupted
	_, err := ReadPaths(ctx, []string{dir}, root, share.Options{Progress: func(ingest.Progress) { cancel() }})
	must.That(t, errors.As(err, &stopped), "%v", err)
	e := must.Get(ReadPaths(t.Context(), []string{dir}, root, share.Options{}))(t)
	defer e.Close()
	r := must.Get(e.Examine(ctx, Options{}))(t)
	check.That(t, r.Verdict == verify.Inconclusive && len(r.LeftOut) != 0, "%s, %v", r.Verdict, r.LeftOut)
}

// TestNoPlace: there is no check where no temporary file can be made.
func TestNoPlace(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	var place *NoPlace
	_, err := ReadPaths(t.Context(), nil, nil, share.Options{Dir: none})
	check.That(t, errors.As(err, &place) &&
		errors.Is(err, fs.ErrNotExist), "%v", err)
	_, err = NewCopy(none)
	check.That(t, errors.Is(err, fs.ErrNotExist), "%v", err)
}

// TestCopy: the copy of a case has the verdict of the case's evidence, and the case does not
// change.
func TestCopy(t *testing.T) {
	dir := t.TempDir()
	root := writeScene(t, harness.Description{Name: "revoked"}, dir)
	path := filepath.Join(t.TempDir(), "case.db")
	w := must.Get(store.OpenWrite(path))(t)
	must.Get(ingest.Paths(t.Context(), w, []string{dir}, ingest.Options{}, nil))(t)
	must.Do(t, w.Close())
	octets := must.Get(os.ReadFile(path))(t)
	below := t.TempDir()
	taken := must.Get(NewCopy(below))(t)
	must.Do(t, taken.Fill(t.Context(), bytes.NewReader(octets)))
	r, err := taken.Examine(t.Context(), root, Options{})
	must.Do(t, taken.Remove())
	empty(t, below)
	want := checked(t, []string{dir}, root).Verdict
	check.That(t, err == nil && r.Verdict == want && want != verify.Rejected, "it comes to %+v, %v, want %s", r, err, want)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	c := must.Get(NewCopy(t.TempDir()))(t)
	check.Is(t, c.Fill(ended, bytes.NewReader(nil)), context.Canceled, "called off")
	check.Do(t, c.Remove())
}
