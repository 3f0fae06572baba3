//go:build unix

package ingest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "journal", file(journal(berlin, 5, 1)))
	inner := filepath.Join(dir, "inner")
	must.Do(t, os.Mkdir(inner, 0o700))
	must.Do(t, os.Symlink(dir, filepath.Join(inner, "loop")))
	must.Do(t, os.Symlink(filepath.Join(dir, "journal"), filepath.Join(dir, "link")))
	must.Do(t, syscall.Mkfifo(filepath.Join(inner, "pipe"), 0o600))
	must.Do(t, errors.Join(os.Symlink(os.Args[0], filepath.Join(dir, "outside")),
		os.Symlink(filepath.Join(inner, "pipe"), filepath.Join(dir, "to a pipe")),
		os.Symlink("nothing", filepath.Join(dir, "dangling")),
		os.Symlink("link", filepath.Join(dir, "linked"))))
	other := must.Get(os.ReadFile(newCase(t, Options{}, write(t, t.TempDir(), "other", file(journal(oslo, 5, 1))))))(t)
	write(t, dir, "database", other)
	path := newCase(t, Options{}, dir, filepath.Join(dir, "absent"))
	none, symlink := string(finding.SourceNoRecord), string(finding.SourceNotEvidence)
	want := map[string]string{"loop": none, "link": none, "linked": none, "outside": symlink, "to a pipe": symlink,
		"dangling": symlink, "pipe": string(finding.SourceNotEvidence), "database": string(finding.SourceNotEvidence),
		"absent": string(finding.SourceUnreadable)}
	got := unread(t, path)
	for name, code := range want {
		check.That(t, got[name] == code, "%s: %q, want %q", name, got[name], code)
	}
	if len(got) != len(want) || len(lines(t, path, berlin)) != 5 {
		t.Errorf("not read: %v; %d events", got, len(lines(t, path, berlin)))
	}
}

// TestBadDisk: the readable part of a file stays, as an incomplete source, and the ingest
// continues with the rest.
func TestBadDisk(t *testing.T) {
	content := file(journal(berlin, 2000, 1))
	for good, complete := range map[int64]int{0: 0, 900_000: 1} {
		path := filepath.Join(t.TempDir(), "case.db")
		w := must.Get(store.OpenWrite(path))(t)
		in := &ingest{w: w, options: Options{Workers: 2, ChunkRecords: 100}, progress: func(Progress) {}}
		bad := &Source{File: failing{bytes.NewReader(content), good}, Path: "bad", Absolute: "/bad",
			Size: int64(len(content))}
		other := write(t, t.TempDir(), "other", file(journal(oslo, 5, 1)))
		must.Do(t, errors.Join(in.ingestSource(t.Context(), bad), in.ingestPath(t.Context(), other), w.Commit(),
			w.Close()))
		sources, err := openRead(t, path).Sources(t.Context())
		check.That(t, err == nil && len(sources) == 1+complete,
			"%d good bytes: sources %+v, %v", good, sources, err)
		if got := unread(t, path); got["bad"] != string(finding.SourceUnreadable) || len(lines(t, path, oslo)) != 5 {
			t.Errorf("%d good bytes: not read %v", good, got)
		}
		got := len(lines(t, path, berlin))
		check.That(t, (got > 0) == (good > 0), "%d good bytes: %d events", good, got)
	}
}

func TestEvidenceIsNotChanged(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "journal", file(journal(berlin, 500, 1)))
	must.Do(t, os.Chmod(path, 0o400))
	state := func() (fs.FileInfo, [sha256.Size]byte) {
		info := must.Get(os.Stat(path))(t)
		content := must.Get(os.ReadFile(path))(t)
		return info, sha256.Sum256(content)
	}
	before, sum := state()
	newCase(t, Options{}, dir)
	newCase(t, Options{}, dir)
	after, again := state()
	check.That(t, sum == again && before.ModTime().Equal(after.ModTime()) && before.Mode() == after.Mode(),
		"the evidence was changed")
	names, err := os.ReadDir(dir)
	check.That(t, err == nil && len(names) == 1, "beside the evidence there is now %v, %v", names, err)
}

// TestCaseAmongItsEvidence: a case that lies in the directory that is ingested
// is no evidence of itself.
func TestCaseAmongItsEvidence(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "journal", file(journal(berlin, 5, 1)))
	path := filepath.Join(dir, "case.db")
	fill(t, path, Options{}, dir)
	fill(t, path, Options{}, dir)
	got := unread(t, path)
	check.That(t, len(got) == 0, "not read: %v", got)
	sources, err := openRead(t, path).Sources(t.Context())
	check.That(t, err == nil && len(sources) == 1, "sources %+v, %v", sources, err)
}

// TestNamesOfCases: no character in the name of a case has a meaning.
func TestNamesOfCases(t *testing.T) {
	evidence := write(t, t.TempDir(), "journal", file(journal(berlin, 5, 1)))
	for _, name := range []string{"a#b.db", "a?mode=memory", "a%41.db", "file:c.db", ":memory:", "a b'c\"d.db",
		"näme\n.db", "-case"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		fill(t, path, Options{}, evidence)
		got := len(lines(t, path, berlin))
		check.That(t, got == 5, "%q: %d events", name, got)
		entries, err := os.ReadDir(dir)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		check.That(t, err == nil && slices.Equal(names, []string{name}),
			"%q: the directory holds %q, %v", name, names, err)
	}
}

// TestGrowingFile: content that is added after the file was opened is left for later, and the
// case records that the file changed.
func TestGrowingFile(t *testing.T) {
	dir := t.TempDir()
	all := journal(berlin, 300, 1)
	evidence := write(t, dir, "journal", file(all[:200]))
	path := filepath.Join(t.TempDir(), "case.db")
	whileReading(t, path, evidence, func() { write(t, dir, "journal", file(all)) })
	got := len(lines(t, path, berlin))
	check.That(t, got == 200, "%d events, want the 200 that were there at first", got)
	if codes := codesOf(t, path); !slices.Equal(codes, []string{string(finding.SourceChanged)}) {
		t.Errorf("skips %q, want %q", codes, string(finding.SourceChanged))
	}
	fill(t, path, Options{}, evidence)
	got = len(lines(t, path, berlin))
	check.That(t, got == 300, "%d events, want all 300", got)
}

// TestBrokenInput: a standard input that fails is an error, and leaves nothing.
func TestBrokenInput(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "case.db")
	w := must.Get(store.OpenWrite(path))(t)
	broken := errors.New("broken")
	_, err := Paths(t.Context(), w, []string{"-"}, Options{Stdin: iotest.ErrReader(broken)}, nil)
	check.That(t, errors.Is(err, broken), "got %v", err)
	must.Do(t, w.Close())
	names, err := os.ReadDir(dir)
	check.That(t, err == nil && len(names) == 1, "the directory holds %v, %v", names, err)
}
