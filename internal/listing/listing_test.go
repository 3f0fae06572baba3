package listing_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/must"
)

// write writes a file, and the folders that lead to it.
func write(t testing.TB, dir, path, content string) {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(path))
	must.Do(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must.Do(t, os.WriteFile(name, []byte(content), 0o644))
}

// open opens an archive for a test.
func open(t testing.TB, dir string) *listing.Root {
	t.Helper()
	root := must.Get(listing.Open(dir))(t)
	t.Cleanup(func() { root.Close() })
	return root
}

// list returns all entries.
func list(t testing.TB, root *listing.Root) (all []listing.Entry) {
	t.Helper()
	for e, err := range root.All(context.Background()) {
		must.Do(t, err)
		all = append(all, e)
	}
	return all
}

// TestOrder lists possible names, in the order of the bytes of whole paths, and finds each
// again.
func TestOrder(t *testing.T) {
	base, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		dir := filepath.Join(base, strings.Repeat("x", n%9+1)+string(rune('a'+n%26)))
		defer os.RemoveAll(dir)
		must.Do(rt, os.Mkdir(dir, 0o755))
		want := []string{}
		for _, path := range rapid.SliceOfDistinct(rapid.StringMatching(`[ab.0-]{1,3}(/[ab.0-]{1,2}){0,2}`),
			rapid.ID).Draw(rt, "paths") {
			full := filepath.Join(dir, path)
			if !listing.Valid(path) || os.MkdirAll(filepath.Dir(full), 0o755) != nil {
				continue
			}
			if f, err := os.OpenFile(full, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644); err == nil {
				f.WriteString(path)
				f.Close()
				want = append(want, path)
			}
		}
		slices.Sort(want)
		root := must.Get(listing.Open(dir))(rt)
		defer root.Close()
		reader, got := root.Reader(), []string{}
		defer reader.Close()
		for e, err := range root.All(context.Background()) {
			must.That(rt, err == nil && e.Err == nil && e.Size == int64(len(e.Path)), "%+v, %v", e, err)
			got = append(got, e.Path)
			f := must.Get(reader.Open(e.Path))(rt)
			if doc, err := io.ReadAll(f); err != nil || string(doc) != e.Path {
				rt.Fatalf("%q has %q, %v", e.Path, doc, err)
			}
			f.Close()
		}
		must.That(rt, slices.Equal(want, got), "listed %q, want %q", got, want)
	})
}

// TestNoLinks: a link is an entry with an error, wherever it leads, and nothing is
// opened through one, at any level.
func TestNoLinks(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	write(t, out, "secret", "secret")
	write(t, dir, "in/file", "file")
	for name, target := range map[string]string{"file": filepath.Join(out, "secret"), "folder": out, "inside": "in",
		"loop": "loop", "dead": "nowhere"} {
		must.Do(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	root := open(t, dir)
	paths := []string{}
	for _, e := range list(t, root) {
		paths = append(paths, e.Path)
		check.That(t, e.Path != "in/file" == errors.Is(e.Err, listing.ErrLink), "%q: %v", e.Path, e.Err)
	}
	check.That(t, slices.Equal(paths, []string{"dead", "file", "folder", "in/file", "inside", "loop"}),
		"listed %q", paths)
	reader := root.Reader()
	defer reader.Close()
	for _, path := range []string{"file", "folder/secret", "inside/file", "loop", "dead", "in", "in/absent",
		"../" + filepath.Base(out) + "/secret", "/etc/passwd", "in/../in/file", "in//file", "", ".", "in/", "in/\x00"} {
		if f, err := reader.Open(path); err == nil {
			f.Close()
			t.Errorf("%q can be opened", path)
		}
	}
	if f, err := reader.Open("in/file"); err != nil {
		t.Error(err)
	} else {
		f.Close()
	}
}

// TestUnlisted: a folder that cannot be listed is one entry, and the others are
// listed.
func TestUnlisted(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.txt", "")
	write(t, dir, "b/c", "")
	deep := strings.Repeat("d/", 220)
	write(t, dir, deep+"end", "")
	root := open(t, dir)
	all := list(t, root)
	check.That(t, len(all) == 3 && all[0].Err == nil && all[1].Err == nil && all[2].Folder() &&
		errors.Is(all[2].Err, listing.ErrDeep), "%+v", all)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range root.All(ctx) {
		check.That(t, errors.Is(err, context.Canceled), "a walk that was stopped: %v", err)
	}
}
