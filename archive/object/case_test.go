package object_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/outcome"
)

// TestCaseAlone: a case needs nothing else.
func TestCaseAlone(t *testing.T) {
	dir, root := scene(t, "revoked")
	whole := caseOf(t, ingest.Options{}, dir)
	must.Do(t, os.RemoveAll(dir))
	got := judge(t, root, whole)
	check.That(t, got.Kind == object.Case && got.Verdict == outcome.Verified, "it is %+v", got)
}

// TestCaseBroken judges cases that no walk can begin with.
func TestCaseBroken(t *testing.T) {
	dir, root := scene(t, "issued")
	whole := caseOf(t, ingest.Options{}, dir)
	zeros := bytes.Clone(whole)
	clear(zeros[4096*3 : 4096*5])
	for name, c := range map[string]struct {
		octets  []byte
		verdict outcome.Class
		code    finding.Code
	}{
		"cut":              {whole[:len(whole)/2], outcome.Rejected, object.CaseDamaged},
		"its header alone": {whole[:100], outcome.Rejected, object.CaseDamaged},
		"pages of zeros":   {zeros, outcome.Rejected, object.CaseDamaged},
		"another trigger": {run(t, whole, "CREATE TRIGGER t AFTER INSERT ON paths BEGIN DELETE FROM paths; END"),
			outcome.Rejected, object.CaseDamaged},
		"an altered event": {run(t, whole, "UPDATE bodies SET octets = zeroblob(length(octets))"),
			outcome.Rejected, object.CaseDamaged},
		"of an earlier schema": {run(t, whole, "PRAGMA user_version = 5"), outcome.Inconclusive, object.CaseUnread},
		"of a later schema":    {run(t, whole, "PRAGMA user_version = 9000"), outcome.Inconclusive, object.CaseUnread},
	} {
		t.Run(name, func(t *testing.T) {
			got := judge(t, root, c.octets)
			check.That(t, got.Kind == object.Case && got.Verdict == c.verdict && got.Code == c.code, "it is %+v", got)
		})
	}
}

// run returns a case after a statement.
func run(t testing.TB, octets []byte, statement string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.db")
	must.Do(t, os.WriteFile(path, octets, 0o600))
	c := must.Get(sqlite.Open(path, sqlite.ReadWrite))(t)
	must.Do(t, errors.Join(c.Exec(statement), c.Close()))
	return octetsOf(t, path)
}

// TestChanged: the judged bytes are the hashed bytes.
func TestChanged(t *testing.T) {
	dir, root := scene(t, "issued")
	journal := octetsOf(t, dir, "journals", "mesh-oslo-1.ndjson")
	for name, octets := range map[string][]byte{"logs": journal, "a case": caseOf(t, ingest.Options{}, dir)} {
		j := object.NewJudge(object.Options{Root: root, TempDir: t.TempDir(), Workers: 1})
		f := object.File{Octets: bytes.NewReader(octets), Size: int64(len(octets)), SHA256: sha256.Sum256(octets)}
		check.OK(t, check.Err(j.File(t.Context(), f)), "%s", name)
		f.SHA256[0]++
		got, err := j.File(t.Context(), f)
		check.That(t, errors.Is(err, object.ErrChanged), "%s of another digest: %+v, %v", name, got, err)
		f.SHA256[0]--
		f.Size-- // its end was cut off since
		got, err = j.File(t.Context(), f)
		check.That(t, errors.Is(err, object.ErrChanged), "%s that was cut: %+v, %v", name, got, err)
	}
}

// TestCalledOff: a judgement that was called off is none.
func TestCalledOff(t *testing.T) {
	dir, root := scene(t, "issued")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	temp := t.TempDir()
	for _, octets := range [][]byte{octetsOf(t, dir, "tenant.ndjson"), caseOf(t, ingest.Options{}, dir)} {
		j := object.NewJudge(object.Options{Root: root, TempDir: temp, Workers: 1})
		got, err := j.Octets(ctx, octets)
		check.That(t, err != nil, "%+v", got)
	}
	left, err := os.ReadDir(temp)
	check.That(t, err == nil && len(left) == 0, "%v is left, %v", left, err)
}

// TestNothingBeside: a case in a folder that no one may write to is judged, and the folder is
// as it was, bytes and times.
func TestNothingBeside(t *testing.T) {
	dir, root := scene(t, "issued")
	folder := t.TempDir()
	path := filepath.Join(folder, "case.db")
	must.Do(t, os.WriteFile(path, caseOf(t, ingest.Options{}, dir), 0o400))
	must.Do(t, os.Chmod(folder, 0o500))
	defer func() { _ = os.Chmod(folder, 0o700) }() // so that it can be removed
	before, octets := stat(t, folder, path), octetsOf(t, path)
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	j := object.NewJudge(object.Options{Root: root, TempDir: t.TempDir(), Workers: 1})
	got, err := j.File(t.Context(), object.File{Octets: f, Size: int64(len(octets)), SHA256: sha256.Sum256(octets)})
	check.That(t, err == nil && got.Verdict == outcome.Verified, "%+v, %v", got, err)
	after := stat(t, folder, path)
	check.That(t, after == before && bytes.Equal(octetsOf(t, path), octets), "it was %s, and is %s", before, after)
	if isCase, err := store.IsCase(f); !isCase || err != nil {
		t.Error("the case is none any more")
	}
}

// stat returns sizes, modes and times of files.
func stat(t testing.TB, paths ...string) (all string) {
	t.Helper()
	for _, path := range paths {
		info := must.Get(os.Stat(path))(t)
		all += info.Mode().String() + " " + info.ModTime().String() + "\n"
	}
	inside, err := os.ReadDir(paths[0])
	check.That(t, err == nil && len(inside) == 1, "%v, %v", inside, err)
	return all
}
