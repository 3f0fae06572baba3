package entry

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// alike is an archive with the entries that the tests expect of it, under the name "f".
type alike struct {
	name, data string
	want       []told
}

// check compares the entries of a file and of standard input with the expected ones, also once
// more by their places.
func (c alike) check(t *testing.T) {
	t.Helper()
	dir := must.WriteFiles(t, t.TempDir(), map[string]string{"f": c.data})
	for _, stdin := range []bool{false, true} {
		s := Source{Paths: []string{filepath.Join(dir, "f")}, KeepStdin: true, TempDir: dir}
		want := c.want
		if stdin {
			s.Paths, s.Stdin, want = []string{Stdin}, strings.NewReader(c.data), nil
			for _, w := range c.want {
				w.Name = "-" + strings.TrimPrefix(w.Name, "f")
				want = append(want, w)
			}
		}
		got, _ := walkAll(t, dir, s)
		diff := cmp.Diff(want, got)
		check.That(t, diff == "", "with standard input %v:\n%s", stdin, diff)
	}
}

// TestArchives has the members of every kind of archive, in their order.
func TestArchives(t *testing.T) {
	members := []string{"d/", "", "d/b.json", "{}", "a.jsonl", "{}\n\n{\"x\":1}\r\n", "empty", "", "b\x1b[2J", "x"}
	want := []told{{Name: "f!d/b.json", Data: "{}"}, {Name: "f!a.jsonl:1", Data: "{}"},
		{Name: "f!a.jsonl:3", Data: `{"x":1}`},
		{Name: "f!empty"}, {Name: "f!b\x1b[2J", Data: "x"}}
	tarred := must.Tar(members...)
	inner := func(name string) (all []told) {
		for _, w := range want {
			all = append(all, told{Name: "f!" + name + strings.TrimPrefix(w.Name, "f"), Data: w.Data})
		}
		return all
	}
	stored := must.Zip(zip.Store, members...)
	for _, c := range []alike{
		{"tar", tarred, want},
		{"tar with more zeros at its end", tarred + strings.Repeat("\x00", 9000), want},
		{"tar.gz", must.Gzip(tarred), want},
		{"tar.gz of two members", must.Gzip(tarred[:700]) + must.Gzip(tarred[700:]), want},
		{"tar.zst", zstdOf(t, tarred), want},
		{"zip", must.Zip(zip.Deflate, members...), want},
		{"zip without compression", stored, want},
		{"zip in gzip", must.Gzip(stored), want},
		{"tar in tar", must.Tar("t", tarred), inner("t")},
		{"tar.gz in zip", must.Zip(zip.Deflate, "t", must.Gzip(tarred)), inner("t")},
		{"zip in tar", must.Tar("z", stored), inner("z")},
		{"one document in gzip", must.Gzip("{}\n"), []told{{Name: "f", Data: "{}\n"}}},
		{"one document in bzip2", bzip2OfOne, []told{{Name: "f", Data: "{}\n"}}},
		{"JSON lines in zstd", zstdOf(t, "{}\n{}"), []told{{Name: "f:1", Data: "{}"}, {Name: "f:2", Data: "{}"}}},
		{"bzip2 in gzip", must.Gzip(bzip2OfOne), []told{{Name: "f", Data: "{}\n"}}},
		{"three archives in one another", must.Tar("a", must.Tar("b", must.Tar("c", ""))),
			[]told{{Name: "f!a!b!c"}}},
		{"nine gzip in one another", deepOf(t, 9), []told{{Name: "f", Err: "more than 8 decodings in one another"}}},
		{"eight gzip in one another", deepOf(t, 8), []told{{Name: "f", Data: "{}"}}},
		{"tar without members", must.Tar("d/", ""), nil},
		{"zip without members", must.Zip(zip.Store), nil},
		{"zeros are no archive", strings.Repeat("\x00", 1024), []told{{Name: "f", Data: strings.Repeat("\x00", 1024)}}},
	} {
		t.Run(c.name, c.check)
	}
}

// deepOf is "{}" in so many gzips.
func deepOf(t *testing.T, n int) string {
	data := "{}"
	for range n {
		data = must.Gzip(data)
	}
	return data
}

// TestMembers has names that lead out, that occur twice, and that are none.
func TestMembers(t *testing.T) {
	alike{data: must.Tar("../x", "1", "/etc/passwd", "2", "a", "3", "a", "4", "a#2", "5", "a", "6", "a", "7\n{}",
		"a:1", "8"),
		want: []told{{Name: "f!../x", Data: "1"}, {Name: "f!/etc/passwd", Data: "2"}, {Name: "f!a", Data: "3"},
			{Name: "f!a#2", Data: "4"}, {Name: "f!a#2#2", Data: "5"}, {Name: "f!a#3", Data: "6"},
			{Name: "f!a#4:1", Data: "7"}, {Name: "f!a#4:2", Data: "{}"}, {Name: "f!a:1#2", Data: "8"}}}.check(t)
}

// TestOddMembers has members that are no files.
func TestOddMembers(t *testing.T) {
	link := read.ErrLink.Error()
	alike{data: headersOf(t,
		&tar.Header{Typeflag: tar.TypeSymlink, Name: "s", Linkname: "/etc/passwd"},
		&tar.Header{Typeflag: tar.TypeLink, Name: "l", Linkname: "s", Size: 0},
		&tar.Header{Typeflag: tar.TypeChar, Name: "c"}, &tar.Header{Typeflag: tar.TypeFifo, Name: "p"},
		&tar.Header{Typeflag: 'V', Name: "the label"}, &tar.Header{Typeflag: 'M', Name: "m"},
		&tar.Header{Typeflag: tar.TypeCont, Name: "k"},
		&tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "g", PAXRecords: map[string]string{"comment": "x"}}),
		want: []told{{Name: "f!s", Err: link}, {Name: "f!l", Err: link}, {Name: "f!c", Err: link},
			{Name: "f!p", Err: link},
			{Name: "f!m", Err: link}, {Name: "f!k"}}}.check(t)
}

// TestDamagedTar has archives whose rest is missing, or is not an archive.
func TestDamagedTar(t *testing.T) {
	one, two := must.Tar("a", "1"), must.Tar("a", "1", "b", strings.Repeat("2", 600))
	first := told{Name: "f!a", Data: "1"}
	behind := "behind the end of the archive"
	broken := strings.Repeat("x", 512)
	for _, c := range []alike{
		{"cut in a member", two[:1024+512+100], []told{first, {Name: "f!b", Err: "the archive ends within a member"}}},
		{"cut in a header", two[:1024+100], []told{first,
			{Name: "f", Err: "the archive ends within a member"}}},
		{"cut between two members", two[:1024], []told{first,
			{Name: "f", Err: "the archive ends without a mark of its end: members can be missing"}}},
		{"cut in the padding", two[:1024+512+600], []told{first, {Name: "f!b", Data: strings.Repeat("2", 600)},
			{Name: "f", Err: "the archive ends without a mark of its end: members can be missing"}}},
		{"one block of zeros", two[:1024] + strings.Repeat("\x00", 512), []told{first}},
		{"no header", two[:1024] + broken + two[1024:], []told{first,
			{Name: "f", Err: "no header of an archive"}, {Name: "f!b", Data: strings.Repeat("2", 600)}}},
		{"another archive", one + two, []told{first, {Name: "f", Err: "another archive follows"},
			{Name: "f!a#2", Data: "1"}, {Name: "f!b", Data: strings.Repeat("2", 600)}}},
		{"text behind it", one + "x", []told{first, {Name: "f", Err: behind}}},
		{"cut gzip", must.Gzip(two)[:60], []told{{Name: "f", Err: "the gzip data ends too early"}}},
		{"JSON lines in cut gzip", must.Gzip("{}\n{\"a\":\"" + random(4000))[:3000], []told{{Name: "f:1", Data: "{}"},
			{Name: "f:2", Err: "the gzip data ends too early"}}},
		{"JSON lines in gzip with a wrong checksum", wrongSum(must.Gzip("{}\n{}\n")), []told{{Name: "f:1", Data: "{}"},
			{Name: "f:2", Data: "{}"}, {Name: "f:3", Err: "the gzip data is damaged: gzip: invalid checksum"}}},
		{"one document in gzip with a wrong checksum", wrongSum(must.Gzip("{}\n")), []told{{Name: "f",
			Err: "the gzip data is damaged: gzip: invalid checksum"}}},
		{"text that begins as bzip2 does", "BZh9 is no archive", []told{{Name: "f", Data: "BZh9 is no archive"}}},
		{"gzip with more behind it", must.Gzip(one) + "x", []told{first,
			{Name: "f", Err: "behind the end of the gzip data"}}},
	} {
		t.Run(c.name, c.check)
	}
}

// random returns bytes that do not compress. None of them ends a line.
func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{}).Read(b)
	return strings.NewReplacer("\n", "x", "\"", "x", "\\", "x").Replace(string(b))
}

// wrongSum changes the checksum of gzip.
func wrongSum(data string) string {
	b := []byte(data)
	b[len(b)-8]++
	return string(b)
}

// TestTwoSizes names a member that is of another size for readers without extended
// headers.
func TestTwoSizes(t *testing.T) {
	data := headersOf(t, &tar.Header{Typeflag: tar.TypeReg, Name: "a", Size: 0, Format: tar.FormatPAX,
		PAXRecords: map[string]string{"comment": "yyyyyy"}})
	said := strings.Replace(data, "18 comment=yyyyyy\n", "18 size=000000512\n", 1)
	must.That(t, said != data, "there is no such record")
	alike{data: said[:1536] + strings.Repeat("x", 512) + said[1536:], want: []told{{Name: "f!a",
		Err: "its two headers differ on its size: it is not the same for every reader"},
		{Name: "f!a#2", Data: strings.Repeat("x", 512)}}}.check(t)
}

// TestHoles ends a file with holes, which can be of any size without a byte.
func TestHoles(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	extent := "1\n0\n5\n" + strings.Repeat("\x00", 506) + "hello" + strings.Repeat("\x00", 507)
	must.Do(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "a", Size: int64(len(extent)),
		PAXRecords: map[string]string{"XNU.sparse.major": "1", "XNU.sparse.minor": "0",
			"XNU.sparse.realsize": "99999999999"}}))
	must.Get(w.Write([]byte(extent)))(t)
	must.Do(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "b"}))
	must.Do(t, w.Close())
	alike{data: strings.ReplaceAll(b.String(), "XNU.", "GNU."), want: []told{
		{Name: "f!a", Err: `a member expands beyond the limit: "a"`}, {Name: "f!b"}}}.check(t)
}

// TestManyMembers stops at the limit, and reports this.
func TestManyMembers(t *testing.T) {
	members := []string{"a", "1", "b", "2", "c", "3"}
	for name, data := range map[string]string{"tar": must.Tar(members...), "zip": must.Zip(zip.Store, members...)} {
		for limit, want := range map[int]int{2: 1, 3: 0} {
			got, _ := walkAll(t, "", Source{Paths: []string{Stdin}, Stdin: strings.NewReader(data),
				Limits: read.Limits{Members: limit}})
			failed := 0
			for _, g := range got {
				if g.Err != "" {
					failed++
				}
			}
			check.That(t, (failed > 0) == (want > 0), "%s with a limit of %d: %d faults in %v", name, limit, failed, got)
		}
	}
}

// TestBombs stops content that expands without end.
func TestBombs(t *testing.T) {
	zeros := strings.Repeat("\x00", read.FreeExpansion+4<<20)
	for name, data := range map[string]string{
		"gzip":       must.Gzip("{}\n{}\n" + zeros + "\n{}\n"),
		"tar in zip": must.Zip(zip.Deflate, "a", must.Tar("a", "x", "b", zeros, "c", "x")),
	} {
		if name == "gzip" && testing.Short() {
			continue
		}
		got, _ := walkAll(t, "", Source{Paths: []string{Stdin}, Stdin: strings.NewReader(data),
			Limits: read.Limits{Expansion: 10}})
		check.That(t, slices.ContainsFunc(got, func(e told) bool { return strings.Contains(e.Err, "beyond the limit") }),
			"%s: found %d entries", name, len(got))
	}
}

// TestNestedBombs does not count unpacked bytes as bytes of the file.
func TestNestedBombs(t *testing.T) {
	one := must.Zip(zip.Deflate, "a", strings.Repeat("\x00", 8<<20))
	got, _ := walkAll(t, "", Source{Paths: []string{Stdin}, Limits: read.Limits{},
		Stdin: strings.NewReader(must.Zip(zip.Deflate, "z", zipOfSame(t, one, 200)))})
	good := slices.IndexFunc(got, func(e told) bool { return e.Err != "" })
	check.That(t, good == 7, "%d of %d entries were read", good, len(got))
}

// TestReal opens files that the usual tools packed. Files that package read does not read have
// a fault.
func TestReal(t *testing.T) {
	notRead := []string{"7z-encrypted", "7z-names-encrypted", "xz-filtered", "xz-large", "zip-Deflate64",
		"zip-LZMA", "zip-aes", "zip-encrypted", "7z-solid" /* it has a link */}
	files, err := filepath.Glob("../../forensics/read/testdata/packed/*.base64")
	must.That(t, err == nil && len(files) >= 10, "%v %v", files, err)
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		got := stdinEntries(t, unbase64(strings.ReplaceAll(string(text), "\n", "")))
		kind := strings.TrimSuffix(filepath.Base(file), ".base64")
		check.That(t, failed(got) == slices.Contains(notRead, kind) && (failed(got) || len(got) >= 3), "%s: %v", kind, got)
	}
}
