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
		if got := read(t, in("old")); got != "old" {
			t.Errorf("%s: the old file has %q before Commit", name, got)
		}
		f.Discard()
	}
	if got := names(t, in("")); got != "link old" {
		t.Errorf("left: %s", got)
	}
	longest := strings.Repeat("n", 255)
	for _, name := range []string{"new", "old", longest} {
		f := openAside(t, in(name), strings.Repeat("x", 1<<17))
		must.Do(t, f.Commit())
		f.Discard()
	}
	if got := names(t, in("")); got != "link new "+longest+" old" {
		t.Errorf("left: %s", got)
	}
	check.That(t, len(read(t, in("new"))) == 1<<17 && len(read(t, in("old"))) == 1<<17, "content is missing")
}

// TestWritable: what can be written is left as it is, and what cannot is named.
func TestWritable(t *testing.T) {
	in := folder(t)
	if err := Writable(in("new"), in("old"), os.DevNull); err != nil {
		t.Error(err)
	}
	for _, name := range []string{in(""), in("link"), in("none/file"), in("old/file")} {
		if err := Writable(in("new"), name); err == nil || !strings.Contains(err.Error(), filepath.Base(name)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := names(t, in("")); got != "link old" || read(t, in("old")) != "old" {
		t.Errorf("left: %s", got)
	}
}

// TestMode: only the owner can read what is not whole; then an old file has its own
// mode again, and a new one that of any new file.
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
		if got := mode(t, f.file.Name()); got != 0o600 {
			t.Errorf("%s: %s while it is written", name, got)
		}
		must.Do(t, f.Commit())
		if got := mode(t, in(name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func mode(t *testing.T, name string) fs.FileMode {
	t.Helper()
	info := must.Get(os.Stat(name))(t)
	return info.Mode().Perm()
}

// TestRefused: what cannot be written is refused at once, by the name that was given.
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
	if got := names(t, in("")); got != "link old" {
		t.Errorf("left: %s", got)
	}
}

// TestIs: a file is known while it is written, by its own name and by that of what
// is written of it.
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
