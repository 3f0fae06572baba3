package handover_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/archive/handover"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

var ours = ledger.Secret{1}

// archive makes an archive of files with a ledger, and the options of an export.
func archive(t testing.TB, content map[string]string) handover.Options {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "archive")
	must.Do(t, os.Mkdir(dir, 0o755))
	must.WriteFiles(t, dir, content)
	o := handover.Options{Dir: dir, Ledger: filepath.Join(t.TempDir(), "archive.ledger"), Secret: ours,
		Trust: []string{filepath.Join(t.TempDir(), "trust.json")}, Out: filepath.Join(t.TempDir(), "bag"),
		At: time.Unix(1_700_000_000, 0), Tool: "svc-verify test"}
	must.Do(t, os.WriteFile(o.Trust[0], []byte("{}"), 0o600))
	record(t, o)
	return o
}

// record enters all objects into the ledger, as a run.
func record(t testing.TB, o handover.Options) {
	t.Helper()
	w := must.Get(ledger.OpenWrite(t.Context(), o.Ledger, ours))(t)
	root := must.Get(listing.Open(o.Dir))(t)
	defer root.Close()
	must.Do(t, w.Begin(1_700_000_000_000))
	for e, err := range root.All(t.Context()) {
		must.Do(t, err)
		content := must.Get(os.ReadFile(filepath.Join(o.Dir, e.Path)))(t)
		row := ledger.Object{Path: e.Path, Size: e.Size, SHA256: sha256.Sum256(content), ReadIn: 1, AddedIn: 1,
			ReadAt: 1_700_000_000_000, Judgement: object.Judgement{Kind: object.Other}}
		must.Do(t, w.Put(&row))
		must.Do(t, w.Note(&run.Change{Path: e.Path, Class: "added", After: row.State()}))
	}
	trust := must.Get(os.ReadFile(o.Trust[0]))(t)
	must.Get(w.AppendRun(t.Context(), run.Record{Began: 1_700_000_000_000, Ended: 1_700_000_000_000,
		Tool:  "svc-verify test",
		Rules: "1", Trust: sha256.Sum256(trust)}))(t)
	must.Do(t, w.Close())
}

func export(t testing.TB, o handover.Options) *handover.Result {
	t.Helper()
	return must.Get(handover.Export(context.Background(), o))(t)
}

var some = map[string]string{"2026/a.json": "{}", "2026/b.json": "[]", "note": ""}

// TestExport exports an archive twice: both bags verify, and have the same bytes.
func TestExport(t *testing.T) {
	o := archive(t, some)
	var archives [2][]byte
	for i := range archives {
		parent := t.TempDir()
		o.Out, o.Tar = filepath.Join(parent, "bag"), filepath.Join(parent, "bag.tar")
		r := export(t, o)
		must.That(t, r.Verdict == outcome.Verified && r.Payload == (handover.Payload{Files: 3, Octets: 4}) &&
			r.Bag == o.Out && len(r.NotExamined) == 0 && len(r.Archive) == 64, "%+v", r)
		checked := must.Get(bag.CheckFolder(t.Context(), o.Out, bag.Options{}))(t)
		check.That(t, checked.Verdict == outcome.Verified && checked.Payload.Intact == 3 && checked.TagFiles == 8, "%+v",
			checked)
		archives[i] = must.Get(os.ReadFile(o.Tar))(t)
		entries := must.Get(os.ReadDir(parent))(t)
		check.That(t, len(entries) == 2, "left over: %v", entries)
	}
	check.That(t, bytes.Equal(archives[0], archives[1]), "two exports of one archive differ")
	want := []string{"bag/bag-info.txt", "bag/bagit.txt", "bag/data/2026/a.json", "bag/data/2026/b.json", "bag/data/note",
		"bag/manifest-sha512.txt", "bag/svc-verify/changes.jsonl", "bag/svc-verify/objects.jsonl",
		"bag/svc-verify/premis.xml", "bag/svc-verify/runs.jsonl",
		"bag/svc-verify/trust/trust.json", "bag/tagmanifest-sha512.txt"}
	diff := cmp.Diff(want, members(t, archives[0]))
	check.That(t, diff == "", "%v", diff)
}

func members(t testing.TB, archive []byte) (names []string) {
	t.Helper()
	r := tar.NewReader(bytes.NewReader(archive))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return names
		}
		must.Do(t, err)
		names = append(names, h.Name)
	}
}

// TestNothingDiffers: whatever is not as the ledger has it is said, and there is no bag.
func TestNothingDiffers(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(dir string) error
		want []finding.Code
	}{
		"altered": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "2026/a.json"), []byte("{ "), 0o600) },
			[]finding.Code{bag.Altered}},
		"missing": {func(dir string) error { return os.Remove(filepath.Join(dir, "2026/a.json")) },
			[]finding.Code{bag.Missing}},
		"added": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "new"), nil, 0o600) },
			[]finding.Code{bag.Unlisted}},
		"moved": {func(dir string) error { return os.Rename(filepath.Join(dir, "note"), filepath.Join(dir, "n")) },
			[]finding.Code{bag.Missing, bag.Unlisted}},
		"link": {func(dir string) error { return os.Symlink("note", filepath.Join(dir, "2027")) },
			[]finding.Code{bag.Unreadable}},
		"all": {os.RemoveAll, []finding.Code{bag.Missing, bag.Missing, bag.Missing}},
	} {
		t.Run(name, func(t *testing.T) {
			o := archive(t, some)
			must.Do(t, c.do(o.Dir))
			must.Do(t, os.MkdirAll(o.Dir, 0o755))
			r := export(t, o)
			var got []finding.Code
			for _, f := range r.Findings {
				got = append(got, f.Code)
			}
			slices.Sort(got)
			check.That(t, slices.Equal(got, c.want) && r.Bag == "" && r.Verdict != outcome.Verified, "%+v", r)
			entries, err := os.ReadDir(filepath.Dir(o.Out))
			check.That(t, err == nil && len(entries) == 0, "there is %v: %v", entries, err)
		})
	}
}

// TestNames: names that cannot be in a bag are refused before anything is written.
func TestNames(t *testing.T) {
	o := archive(t, map[string]string{"a": "", "A": "", "100%": "", "new\nline": "", "latin-\xe9": "", "fine ü": ""})
	r := export(t, o)
	var got []string
	for _, f := range r.Findings {
		check.That(t, f.Code == bag.Name, "%+v", f)
		got = append(got, f.Path)
	}
	slices.Sort(got)
	want := []string{"100%25", "a", "latin-%E9", "new%0Aline"}
	diff := cmp.Diff(want, got)
	check.That(t, diff == "" && r.Verdict == outcome.Rejected, "%v", diff)
}

// TestPlaces: nothing is written into the archive, and nothing is replaced.
func TestPlaces(t *testing.T) {
	o := archive(t, some)
	for name, change := range map[string]func(*handover.Options){
		"inside":         func(o *handover.Options) { o.Out = filepath.Join(o.Dir, "bag") },
		"archive inside": func(o *handover.Options) { o.Tar = filepath.Join(o.Dir, "2026", "bag.tar") },
		"there":          func(o *handover.Options) { o.Out = filepath.Dir(o.Dir) },
		"archive there":  func(o *handover.Options) { o.Tar = o.Trust[0] },
		"one name":       func(o *handover.Options) { o.Tar = o.Out },
		"no ledger":      func(o *handover.Options) { o.Ledger += "x" },
		"no trust file":  func(o *handover.Options) { o.Trust = []string{o.Dir + "x"} },
		"the ledger":     func(o *handover.Options) { o.Seals = []string{o.Ledger} },
		"trust twice":    func(o *handover.Options) { o.Trust = append(o.Trust, o.Trust[0]) },
	} {
		changed := o
		change(&changed)
		r, err := handover.Export(t.Context(), changed)
		check.That(t, err != nil, "%s: %+v", name, r)
		must.That(t, check.Err(os.Lstat(o.Out)) != nil, "%s: there is a bag", name)
	}
}

// TestForeign: a ledger of another person is copied and reported as such; one that was edited
// is refused.
func TestForeign(t *testing.T) {
	o := archive(t, some)
	o.Secret = ledger.Secret{2}
	r := export(t, o)
	check.That(t, r.Verdict == outcome.Inconclusive && r.Foreign && r.Bag != "", "%+v", r)
	o = archive(t, some)
	content := must.Get(os.ReadFile(o.Ledger))(t)
	digest := sha256.Sum256([]byte("{}"))
	other := sha256.Sum256([]byte("[]"))
	must.That(t, bytes.Contains(content, digest[:]), "the ledger has no such digest")
	must.Do(t, os.WriteFile(o.Ledger, bytes.Replace(content, digest[:], other[:], 1), 0o600))
	check.Fails(t, check.Err(handover.Export(t.Context(), o)), "altered", "a ledger that was edited")
}

// state is everything of a folder that a write would change.
func state(t testing.TB, dir string) (all []string) {
	t.Helper()
	must.Do(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			all = append(all, fmt.Sprint(name, info.Mode(), info.Size(), info.ModTime().UnixNano()))
		}
		return err
	}))
	return all
}

// TestReadOnly exports an archive that cannot be written to, and writes nothing to it
// or to its ledger.
func TestReadOnly(t *testing.T) {
	o := archive(t, some)
	below := filepath.Join(o.Dir, "2026")
	must.Do(t, os.Chmod(below, 0o555))
	must.Do(t, os.Chmod(o.Dir, 0o555))
	t.Cleanup(func() { must.Do(t, os.Chmod(o.Dir, 0o755)); must.Do(t, os.Chmod(below, 0o755)) })
	before := append(state(t, o.Dir), state(t, filepath.Dir(o.Ledger))...)
	r := export(t, o)
	check.That(t, r.Verdict == outcome.Verified, "%+v", r)
	after := append(state(t, o.Dir), state(t, filepath.Dir(o.Ledger))...)
	diff := cmp.Diff(before, after)
	check.That(t, diff == "", "%v", diff)
}

// TestWhileChecking: a ledger whose objects no run commits to is not exported.
func TestWhileChecking(t *testing.T) {
	o := archive(t, some)
	w := must.Get(ledger.OpenWrite(t.Context(), o.Ledger, ours))(t)
	must.Do(t, w.Begin(1_700_000_001_000))
	row := ledger.Object{Path: "note", SHA256: sha256.Sum256(nil), ReadIn: 2, ReadAt: 1_700_000_001_000,
		Judgement: object.Judgement{Kind: object.Other}}
	must.Do(t, w.Put(&row))
	must.Do(t, w.Commit())
	check.Fails(t, check.Err(handover.Export(t.Context(), o)), "no finished run", "while a check goes on")
	entries, err := os.ReadDir(filepath.Dir(o.Out))
	check.That(t, err == nil && len(entries) == 0, "there is %v: %v", entries, err)
	must.Get(w.AppendRun(t.Context(), run.Record{Began: 1, Ended: 1, Tool: "t", Rules: "1",
		Trust: sha256.Sum256([]byte("{}"))}))(t)
	must.Do(t, w.Close())
	r := export(t, o)
	check.That(t, r.Verdict == outcome.Verified && len(r.NotExamined) == 0, "%+v", r)
}

// TestOtherTrustFile: a trust file that is not the newest run's is exported, and this is
// reported.
func TestOtherTrustFile(t *testing.T) {
	o := archive(t, some)
	must.Do(t, os.WriteFile(o.Trust[0], []byte("[]"), 0o600))
	r := export(t, o)
	check.That(t, r.Bag != "" && len(r.NotExamined) == 2 &&
		strings.Contains(r.NotExamined[0], "the trust file of run 1") &&
		strings.Contains(r.NotExamined[1], "svc-verify/trust/trust.json"), "%+v", r)
}

// TestStrayFiles: there is no bag with a file that is no seal, and belongs to none.
func TestStrayFiles(t *testing.T) {
	for _, name := range []string{"seal.json", "1.seal.er", "1.seal.leaves", "1.seal.leaves-2"} {
		o := archive(t, some)
		o.Seals, o.Tar = []string{filepath.Join(t.TempDir(), name)}, o.Out+".tar"
		must.Do(t, os.WriteFile(o.Seals[0], []byte("a token"), 0o600))
		r := export(t, o)
		check.That(t, r.Verdict == outcome.Rejected && r.Bag == "" && r.Findings[0].Path == bag.SealsFolder+name, "%+v", r)
		entries, err := os.ReadDir(filepath.Dir(o.Out))
		check.That(t, err == nil && len(entries) == 0, "there is %v: %v", entries, err)
	}
}

// TestEmpty: an archive without objects hands nothing over.
func TestEmpty(t *testing.T) {
	r := export(t, archive(t, nil))
	check.That(t, r.Verdict == outcome.Inconclusive, "%+v", r)
}
