package examine

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

var rotated = sync.OnceValues(func() (*harness.Scene, error) {
	return harness.Build("rotated-keys", 1, harness.Options{})
})

// fill writes a scene into a folder, ingests some of its files into a case and
// returns the case and the trust file.
func fill(t *testing.T, dir string, files ...string) (string, *trust.Root) {
	t.Helper()
	scene := must.Get(rotated())(t)
	must.Do(t, scene.Write(dir))
	path := filepath.Join(dir, "case.db")
	add(t, path, dir, files...)
	doc := must.Get(os.ReadFile(filepath.Join(dir, "trust.json")))(t)
	root := must.Get(trust.Parse(doc))(t)
	return path, root
}

func add(t *testing.T, path, dir string, files ...string) {
	t.Helper()
	w := must.Get(store.OpenWrite(path, cases.As(1)))(t)
	for i := range files {
		files[i] = filepath.Join(dir, files[i])
	}
	must.Get(ingest.Paths(t.Context(), w, files, ingest.Options{}, nil))(t)
	must.Do(t, w.Close())
}

func run(t *testing.T, path string, root *trust.Root, extent Extent) *verdict.Result {
	t.Helper()
	return must.Get(Examine(t.Context(), path, root, Options{Case: []store.Option{cases.As(1)}, Workers: 2,
		Extent: extent}))(t)
}

// TestWalkAcrossKeyRotation walks a case whole and then from where that ended,
// which must say the same of every log.
func TestWalkAcrossKeyRotation(t *testing.T) {
	path, root := fill(t, t.TempDir(), "journals", "tenant.ndjson")
	whole := run(t, path, root, Whole)
	must.That(t, whole.Verdict == verify.Verified && len(whole.Logs) == 4,
		"%s with %d logs: %v", whole.Verdict, len(whole.Logs), whole.Findings)
	since := run(t, path, root, SinceLast)
	for i, l := range since.Logs {
		want := whole.Logs[i]
		if want.SinceSequence = l.SinceSequence; l.SinceSequence != l.LastSequence {
			t.Errorf("%s was walked from %d, and ends at %d", l.LogID, l.SinceSequence, l.LastSequence)
		}
		if l.Events != want.Events || l.SignatureValid != want.SignatureValid || l.AnchoredSequence != want.AnchoredSequence {
			t.Errorf("since the last walk %+v, want %+v", l, want)
		}
	}
}

// TestFindingsAreKept: the findings that are read back are the walk's.
func TestFindingsAreKept(t *testing.T) {
	path, root := fill(t, t.TempDir(), "tenant.ndjson")
	r := run(t, path, root, Whole)
	c := must.Get(store.OpenCase(path, cases.As(1)))(t)
	defer c.Close()
	for _, digest := range []chain.Hash{chain.Hash(root.SHA256()), {}} {
		kept, err := verdict.Last(t.Context(), c, digest)
		check.That(t, err == nil && kept != nil && len(kept.Findings) != 0 && reflect.DeepEqual(kept, r),
			"%v, %v; the walk said %v", kept, err, r)
	}
	kept, err := verdict.Last(t.Context(), c, chain.Hash{1})
	check.That(t, kept == nil && err == nil, "a walk under another trust file: %v, %v", kept, err)
}

// TestDamageIsAFinding: a span and a path that could not be read leave the
// verdict open although every event that is there holds.
func TestDamageIsAFinding(t *testing.T) {
	dir := t.TempDir()
	path, root := fill(t, dir, "journals", "tenant.ndjson")
	must.Do(t, os.WriteFile(filepath.Join(dir, "junk.ndjson"), []byte("{\"body\":\n{\"body\":\n"), 0o644))
	add(t, path, dir, "junk.ndjson", "absent.ndjson")
	r := run(t, path, root, Whole)
	check.That(t, r.Verdict == verify.Inconclusive, "verdict %s", r.Verdict)
	var codes []finding.Code
	for _, f := range r.Findings {
		if f.Effect() == finding.LeavesOpen {
			codes = append(codes, f.Code)
		}
	}
	check.That(t, len(codes) >= 2 && codes[len(codes)-1] == finding.SourceUnreadable, "codes %v", codes)
}

// TestSignatures: only kept claims are known.
func TestSignatures(t *testing.T) {
	path, _ := fill(t, t.TempDir())
	w := must.Get(store.OpenWrite(path, cases.As(1)))(t)
	defer w.Close()
	s := NewSignatures(w)
	held := walk.Claims{SHA256: chain.Hash{1}, Count: 7}
	must.Do(t, errors.Join(s.Keep(t.Context(), held), w.Commit()))
	for c, want := range map[walk.Claims]bool{held: true, {SHA256: chain.Hash{2}, Count: 7}: false} {
		known, err := s.Known(t.Context(), c)
		check.That(t, err == nil && known == want, "%v is known: %t, %v", c, known, err)
	}
}

// TestSignaturesSurvive: of a walk that is killed, all but the newest
// signatures are kept.
func TestSignaturesSurvive(t *testing.T) {
	path, _ := fill(t, t.TempDir())
	w := must.Get(store.OpenWrite(path, cases.As(1)))(t)
	s := NewSignatures(w)
	const sets = 10
	claims := make([]walk.Claims, sets)
	for i := range claims {
		claims[i] = walk.Claims{SHA256: chain.Hash{byte(i + 1)}, Count: mostPending / 4}
		must.Do(t, s.Keep(t.Context(), claims[i]))
	}
	if err := w.Close(); err != nil { // without a commit, as a kill leaves it
		t.Fatal(err)
	}
	w = must.Get(store.OpenWrite(path, cases.As(1)))(t)
	defer w.Close()
	for i, c := range claims {
		known, err := NewSignatures(w).Known(t.Context(), c)
		want := i < sets/4*4
		check.That(t, err == nil && known == want, "set %d is known: %t, %v", i, known, err)
	}
}

// TestMain does fewer checks of each property than usual: every one of them fills cases
// from files. With -short they are fewer still.
func TestMain(m *testing.M) {
	flag.Parse()
	chance.Checks(chance.Sized(40, 5))
	os.Exit(m.Run())
}
