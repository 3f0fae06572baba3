package forensics

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// fill writes a scene into a folder, ingests some of its files into a case and
// returns the case and the trust file.
func fill(t *testing.T, dir string, files ...string) (string, *trust.Root) {
	t.Helper()
	scene, err := harness.Build("rotated-keys", 1, harness.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := scene.Write(dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "case.db")
	add(t, path, dir, files...)
	doc, err := os.ReadFile(filepath.Join(dir, "trust.json"))
	if err != nil {
		t.Fatal(err)
	}
	root, err := trust.Parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	return path, root
}

func add(t *testing.T, path, dir string, files ...string) {
	t.Helper()
	w, err := store.OpenWrite(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		files[i] = filepath.Join(dir, files[i])
	}
	if _, err := ingest.Paths(t.Context(), w, files, ingest.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, path string, root *trust.Root, extent Extent) *walk.Result {
	t.Helper()
	r, err := Walk(t.Context(), path, root, Options{Workers: 2, Extent: extent})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWalkAcrossKeyRotation walks a case whole and then from where that ended,
// which must say the same of every log.
func TestWalkAcrossKeyRotation(t *testing.T) {
	path, root := fill(t, t.TempDir(), "journals", "tenant.ndjson")
	whole := run(t, path, root, Whole)
	if whole.Verdict != verify.Verified || len(whole.Logs) != 4 {
		t.Fatalf("%s with %d logs: %v", whole.Verdict, len(whole.Logs), whole.Findings)
	}
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

// TestFindingsAreKept: what is read back is what the walk said.
func TestFindingsAreKept(t *testing.T) {
	path, root := fill(t, t.TempDir(), "tenant.ndjson")
	r := run(t, path, root, Whole)
	c, err := store.OpenRead(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	kept, ok, err := Findings(t.Context(), c, chain.Hash(root.SHA256()))
	if err != nil || !ok || len(kept) != len(r.Findings) || len(kept) == 0 {
		t.Fatalf("%d findings, %v, %v; the walk had %d", len(kept), ok, err, len(r.Findings))
	}
	for i := range kept {
		if finding.Compare(kept[i], r.Findings[i]) != 0 || kept[i].Message != r.Findings[i].Message {
			t.Errorf("%v, want %v", kept[i], r.Findings[i])
		}
	}
	if _, ok, err := Findings(t.Context(), c, chain.Hash{1}); ok || err != nil {
		t.Errorf("findings under another trust file: %v, %v", ok, err)
	}
}

// TestDamageIsAFinding: a span and a path that could not be read leave the
// verdict open although every event that is there holds.
func TestDamageIsAFinding(t *testing.T) {
	dir := t.TempDir()
	path, root := fill(t, dir, "journals", "tenant.ndjson")
	if err := os.WriteFile(filepath.Join(dir, "junk.ndjson"), []byte("{\"body\":\n{\"body\":\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	add(t, path, dir, "junk.ndjson", "absent.ndjson")
	r := run(t, path, root, Whole)
	if r.Verdict != verify.Inconclusive {
		t.Errorf("verdict %s", r.Verdict)
	}
	var codes []finding.Code
	for _, f := range r.Findings {
		if f.Effect() == finding.LeavesOpen {
			codes = append(codes, f.Code)
		}
	}
	if len(codes) < 2 || codes[len(codes)-1] != finding.SourceUnreadable {
		t.Errorf("codes %v", codes)
	}
}

// TestSignatures: only what was kept is known, and each part of a claim counts.
func TestSignatures(t *testing.T) {
	path, _ := fill(t, t.TempDir())
	w, err := store.OpenWrite(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	s := NewSignatures(w)
	held := walk.Claim{Hash: chain.Hash{1}}
	if err := s.Keep(t.Context(), []walk.Claim{held}); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	claims := []walk.Claim{held, held, held, held}
	claims[1].Hash[31]++
	claims[2].Key[0]++
	claims[3].Signature[63]++
	known := make([]bool, len(claims))
	if err := s.Known(t.Context(), claims, known); err != nil {
		t.Fatal(err)
	}
	if !known[0] || known[1] || known[2] || known[3] {
		t.Errorf("known %v", known)
	}
}

// TestExport writes a part of a journal back.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	path, _ := fill(t, dir, "tenant.ndjson")
	c, err := store.OpenRead(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	logs, err := c.Logs(t.Context())
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	journal, err := os.ReadFile(filepath.Join(dir, "tenant.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(journal, []byte("\n"))
	var part, all bytes.Buffer
	if n, other, err := Export(t.Context(), c, logs[0], Range{3, 5}, &part); n != 3 || other != 0 || err != nil {
		t.Fatal(n, other, err)
	}
	if !bytes.Equal(part.Bytes(), bytes.Join(lines[2:5], nil)) {
		t.Error("a part differs from the journal")
	}
	if _, _, err := Export(context.Background(), c, logs[0], Range{1, math.MaxInt64}, &all); err != nil || !bytes.Equal(all.Bytes(), journal) {
		t.Errorf("the export differs from the journal: %v", err)
	}
}
