package bag_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// made writes a bag of a payload with the writer, and returns its folder.
func made(t testing.TB, payload map[string]string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "bag")
	w := must.Get(bag.Create(out))(t)
	t.Cleanup(func() { must.Do(t, w.Discard()) })
	for _, name := range slices.Sorted(maps.Keys(payload)) {
		d := must.Get(w.Add(name, strings.NewReader(payload[name])))(t)
		must.That(t, d.Size == int64(len(payload[name])) && d.SHA256 == sha256.Sum256([]byte(payload[name])), "%s: %+v",
			name, d)
	}
	must.Do(t, w.AddTag("svc-verify/other.jsonl", func(out io.Writer) error {
		return check.Err(io.WriteString(out, "{}\n"))
	}))
	must.Do(t, w.Finish([]bag.Tag{{Label: "Bagging-Date", Value: "2026-11-22"}}))
	must.Do(t, w.Commit())
	return out
}

// codes are the codes of a result, each once, in their order.
func codes(r *bag.Result) (all []finding.Code) {
	for _, f := range r.Findings {
		if !slices.Contains(all, f.Code) {
			all = append(all, f.Code)
		}
	}
	return all
}

func checked(t testing.TB, dir string) *bag.Result {
	t.Helper()
	return must.Get(bag.CheckFolder(context.Background(), dir, bag.Options{Place: "bag"}))(t)
}

var some = map[string]string{"2026/a.json": "{}", "b": "", "with space and ü": "x"}

// TestRoundTrip writes a bag and checks it.
func TestRoundTrip(t *testing.T) {
	dir := made(t, some)
	r := checked(t, dir)
	want := bag.Payload{Files: 3, Octets: 3, Intact: 3}
	check.That(t, r.Verdict == outcome.Verified && r.Payload == want && r.TagFiles == 4 && len(r.NotExamined) == 2,
		"%+v", r)
	diff := cmp.Diff([]bag.Tag{{Label: "Bagging-Date", Value: "2026-11-22"}, {Label: "Payload-Oxum", Value: "3.3"}},
		r.Info)
	check.That(t, diff == "", "%v", diff)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*"))
	check.That(t, err == nil && len(left) == 0, "left over: %q, %v", left, err)
}

// TestTar writes an archive twice, which must give the same bytes, and checks it.
func TestTar(t *testing.T) {
	var archives [2]bytes.Buffer
	for i := range archives {
		out := filepath.Join(t.TempDir(), "bag")
		w := must.Get(bag.Create(out))(t)
		must.Get(w.Add("a/"+strings.Repeat("ü", 100), strings.NewReader("x")))(t)
		must.Do(t, w.Finish(nil))
		must.Do(t, w.Tar(context.Background(), &archives[i], "bag", time.Unix(1_700_000_000, 5)))
		must.Do(t, w.Discard())
		check.That(t, check.Err(os.Stat(out)) != nil, "a bag that was not committed is there")
	}
	check.That(t, bytes.Equal(archives[0].Bytes(), archives[1].Bytes()), "two archives of one bag differ")
	h := must.Get(tar.NewReader(bytes.NewReader(archives[0].Bytes())).Next())(t)
	check.That(t, h.ModTime.Unix() == 1_700_000_000 && h.Mode == 0o644 && h.Uid == 0, "%+v", h)
	r := checkTar(t, archives[0].Bytes())
	check.That(t, r.Verdict == outcome.Verified && r.Payload.Intact == 1, "%+v", r)
}

func checkTar(t testing.TB, archive []byte) *bag.Result {
	t.Helper()
	octets, o := bytes.NewReader(archive), bag.Options{Place: "bag"}
	return must.Get(bag.CheckTar(context.Background(), octets, octets.Size(), o))(t)
}

// TestNothingIsReplaced: an existing file or folder stays.
func TestNothingIsReplaced(t *testing.T) {
	out := filepath.Join(t.TempDir(), "bag")
	w := must.Get(bag.Create(out))(t)
	must.Do(t, w.Finish(nil))
	must.Do(t, os.Mkdir(out, 0o755))
	check.That(t, w.Commit() != nil, "a folder was replaced")
	must.Do(t, os.Remove(out))
	must.Do(t, os.Symlink("nowhere", out))
	check.That(t, w.Commit() != nil, "a link was replaced")
	must.Do(t, w.Discard())
}

// TestRefused names the paths that cannot be in a bag.
func TestRefused(t *testing.T) {
	good := []string{"a", "a b", "ü", "a~", "x/~y", "~a", "urn:a", "nul.txt"}
	refused := bag.Refused(good)
	check.That(t, len(refused) == 0, "%q", refused)
	for _, bad := range []string{"", "a%", "a\n", "a\u202eb", "\xff", `a\b`, "/a", "a/../b", "./a", "a//b", "a ",
		"a\u0085"} {
		check.That(t, bag.Refused([]string{bad})[bad] != "", "%q is not refused", bad)
	}
	for _, pair := range [][2]string{{"A", "a"}, {"u\u0308", "ü"}, {"\u212a", "k"}, {"a", "A/b"}, {"a.b/x", "A.B"}} {
		check.That(t, len(bag.Refused(pair[:])) == 1, "%q do not collide", pair)
	}
	refused = bag.Refused([]string{"a", "a.b", "a-/c", "b/a", "B/c", "ss", "ß"})
	check.That(t, len(refused) == 0, "%q", refused)
}

// files is a bag as a map, which tests damage.
type files map[string]string

// genuine returns the files of a bag that verifies.
func genuine(t testing.TB) files {
	t.Helper()
	f := files{"bagit.txt": "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n",
		"data/a": "one", "data/d/b": "two", "bag-info.txt": "Payload-Oxum: 6.2\n", "note": "x"}
	f.list(t)
	return f
}

// list writes the manifests anew.
func (f files) list(t testing.TB) {
	t.Helper()
	delete(f, "tagmanifest-sha512.txt")
	var payload, tags strings.Builder
	for _, name := range f.names() {
		switch {
		case strings.HasPrefix(name, "data/"):
			fmt.Fprintf(&payload, "%x  %s\n", sha512.Sum512([]byte(f[name])), name)
		case name != "manifest-sha512.txt":
			fmt.Fprintf(&tags, "%x  %s\n", sha512.Sum512([]byte(f[name])), name)
		}
	}
	f["manifest-sha512.txt"] = payload.String()
	fmt.Fprintf(&tags, "%x  %s\n", sha512.Sum512([]byte(f["manifest-sha512.txt"])), "manifest-sha512.txt")
	f["tagmanifest-sha512.txt"] = tags.String()
}

func (f files) names() []string { return slices.Sorted(maps.Keys(f)) }

// folder writes the bag into a folder.
func (f files) folder(t testing.TB) string {
	t.Helper()
	return must.WriteFiles(t, t.TempDir(), f)
}

// tar writes the bag as an archive, its tag files last.
func (f files) tar(t testing.TB, more ...*tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	names := f.names()
	slices.Reverse(names)
	for _, name := range names {
		must.Do(t, w.WriteHeader(&tar.Header{Name: "top/" + name, Size: int64(len(f[name])), Mode: 0o644}))
		must.Get(w.Write([]byte(f[name])))(t)
	}
	for _, h := range more {
		must.Do(t, w.WriteHeader(h))
	}
	must.Do(t, w.Close())
	return b.Bytes()
}

// digestOf is a digest of the first file, in hexadecimal digits.
func digestOf(content string) string {
	sum := sha512.Sum512([]byte(content))
	return hex.EncodeToString(sum[:])
}
