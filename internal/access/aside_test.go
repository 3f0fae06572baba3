package access

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// folder makes a folder with an old file, and a link to it.
func folder(t *testing.T) func(string) string {
	t.Helper()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must.Do(t, os.WriteFile(in("old"), []byte("old"), 0o640))
	must.Do(t, os.Symlink("old", in("link")))
	return in
}

func read(t *testing.T, name string) string {
	t.Helper()
	content := must.Get(os.ReadFile(name))(t)
	return string(content)
}

// names are the files of the folder.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func openAside(t *testing.T, name, content string) *AsideFile {
	t.Helper()
	f := must.Get(OpenAside(name))(t)
	t.Cleanup(f.Discard)
	must.Get(f.Write([]byte(content)))(t)
	return f
}

// TestCommit: the old content stays until the new one is whole, and nothing else is
// left, neither after Commit nor after Discard.
func TestCommit(t *testing.T) {
	in := folder(t)
	for _, name := range []string{"new", "old"} {
		f := openAside(t, in(name), "given up")
		must.Do(t, f.Finish())
		got := read(t, in("old"))
		check.That(t, got == "old", "%s: the old file has %q before Commit", name, got)
		f.Discard()
	}
	got := names(t, in(""))
	check.That(t, got == "link old", "left: %s", got)
	longest := strings.Repeat("n", 255)
	for _, name := range []string{"new", "old", longest} {
		f := openAside(t, in(name), strings.Repeat("x", 1<<17))
		must.Do(t, f.Commit())
		f.Discard()
	}
	got = names(t, in(""))
	check.That(t, got == "link new "+longest+" old", "left: %s", got)
	check.That(t, len(read(t, in("new"))) == 1<<17 && len(read(t, in("old"))) == 1<<17, "content is missing")
}

// TestWritable: writable paths are left as they are, and the others are named.
func TestWritable(t *testing.T) {
	in := folder(t)
	check.Do(t, Writable(in("new"), in("old"), os.DevNull))
	for _, name := range []string{in(""), in("link"), in("none/file"), in("old/file")} {
		check.Fails(t, Writable(in("new"), name), filepath.Base(name), "%s", name)
	}
	got := names(t, in(""))
	check.That(t, got == "link old" && read(t, in("old")) == "old", "left: %s", got)
}

// TestMode: only the owner can read an unfinished file. Then an old file has its own mode
// again, and a new one has the mode of any new file.
func TestMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // its files have no such mode
	}
	in := folder(t)
	if err := os.WriteFile(in("usual"), nil, 0o666); err != nil { // #nosec G306 -- that is the question
		t.Fatal(err)
	}
	want := map[string]fs.FileMode{"old": 0o640, "new": mode(t, in("usual"))}
	for name, want := range want {
		f := openAside(t, in(name), "x")
		got := mode(t, f.file.Name())
		check.That(t, got == 0o600, "%s: %s while it is written", name, got)
		must.Do(t, f.Commit())
		check.Equal(t, mode(t, in(name)), want, "%s", name)
	}
}

func mode(t *testing.T, name string) fs.FileMode {
	t.Helper()
	info := must.Get(os.Stat(name))(t)
	return info.Mode().Perm()
}

// TestRefused: a path that cannot be written is refused at once, by the name that was given.
func TestRefused(t *testing.T) {
	in := folder(t)
	for _, name := range []string{in(""), in("link"), in("none/new"), in("old/new")} {
		if f, err := OpenAside(name); err == nil {
			t.Errorf("%s was opened", name)
			f.Discard()
		} else if !strings.HasPrefix(err.Error(), "writing "+name+": ") || strings.Contains(err.Error(), temporary) {
			t.Error(err)
		}
	}
	got := names(t, in(""))
	check.That(t, got == "link old", "left: %s", got)
}

// TestIs: a file is recognised while it is written, by its own name and by the name of its
// temporary file.
func TestIs(t *testing.T) {
	in := folder(t)
	f := openAside(t, in("old"), "x")
	for name, want := range map[string]bool{in("old"): true, f.file.Name(): true, in(""): false} {
		info := must.Get(os.Stat(name))(t)
		check.That(t, f.Is(info) == want, "%s: %t", name, !want)
	}
}

// TestHardLink: a file that replaces one leaves another name of that as it was.
func TestHardLink(t *testing.T) {
	in := folder(t)
	must.Do(t, os.Link(in("old"), in("kept")))
	f := openAside(t, in("old"), "new")
	must.Do(t, f.Commit())
	check.That(t, read(t, in("old")) == "new" && read(t, in("kept")) == "old", "found %q, and %q under the other name",
		read(t, in("old")), read(t, in("kept")))
}
