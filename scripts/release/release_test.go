package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// aTime is an odd second: a zip archive has even ones alone in its oldest form.
var aTime = time.Unix(1_770_000_001, 0).UTC()

func aBuild() *build {
	return &build{options: &options{version: "1.2.3+a"}, source: source{commit: "abc", when: aTime}}
}

func TestVersions(t *testing.T) {
	for _, version := range []string{"0.0.0", "1.2.3", "10.20.30-rc.1", "1.0.0-a-b.0", "1.0.0+01.a", "1.0.0-1+x"} {
		check.That(t, semver.MatchString(version), "%q is refused", version)
	}
	for _, version := range []string{"", "1", "1.2", "v1.2.3", "01.2.3", "1.2.3-01", "1.2.3-", "1.2.3+", "1.2.3 ",
		"1.2.3.4", "1.2.3-a..b", "1.2.3\n", "1.2.3' -x", "$(id)"} {
		check.That(t, !semver.MatchString(version), "%q is a version", version)
	}
	o := options{version: "1.2.3-" + strings.Repeat("a", longestVersion-6), out: filepath.Join(t.TempDir(), "out")}
	must.Do(t, o.refuseUnfit())
	o.version += "a"
	check.That(t, o.refuseUnfit() != nil, "a version of %d bytes is not refused", len(o.version))
	o.version, o.out = "1.2.3", t.TempDir()
	check.That(t, o.refuseUnfit() != nil, "a folder that is there is not refused")
}

func TestPlatforms(t *testing.T) {
	all := must.Get(readPlatforms(" windows/amd64 linux/arm64 linux/amd64"))(t)
	want := []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}}
	check.That(t, slices.Equal(all, want), "found %v", all)
	for _, text := range []string{"", "linux", "linux/amd64 linux/amd64"} {
		_, err := readPlatforms(text)
		check.That(t, err != nil, "%q is not refused", text)
	}
}

func TestStampedFlags(t *testing.T) {
	given := []string{"-trimpath", "-ldflags", "-s -w", "-tags", "a"}
	flags := must.Get(stampedFlags(given, "1.2.3"))(t)
	want := []string{"-trimpath", "-ldflags", "-s -w -X main.version=1.2.3", "-tags", "a", "-buildvcs=false"}
	check.That(t, slices.Equal(flags, want), "found %q", flags)
	check.Equal(t, given[2], "-s -w", "the flags that were given")
	for _, missing := range [][]string{given[1:], given[:2], given[:1]} {
		_, err := stampedFlags(missing, "1.2.3")
		check.That(t, err != nil, "%q is not refused", missing)
	}
}

// TestArchives: an archive has the files that went into it, with their modes, the one time,
// and no owner.
func TestArchives(t *testing.T) {
	files := []file{{"a/program", 0o755, []byte("program")}, {"a/man/b", 0o644, bytes.Repeat([]byte("b"), 5000)}}
	packed := must.Get(tarGz(files, aTime))(t)
	again := must.Get(tarGz(files, aTime))(t)
	check.That(t, bytes.Equal(packed, again), "two tar archives of the same files differ")
	z := must.Get(gzip.NewReader(bytes.NewReader(packed)))(t)
	check.That(t, z.ModTime.IsZero() && z.Name == "", "the frame of gzip has a time or a name")
	r := tar.NewReader(z)
	for _, f := range files {
		h := must.Get(r.Next())(t)
		data := must.Get(io.ReadAll(r))(t)
		check.That(t, h.Name == f.name && h.Mode == f.mode && bytes.Equal(data, f.data), "found %s with %o", h.Name, h.Mode)
		check.That(t, h.Uid+h.Gid == 0 && h.Uname+h.Gname == "" && h.ModTime.Equal(aTime), "%s: %+v", h.Name, h)
	}
	_, err := r.Next()
	check.That(t, errors.Is(err, io.EOF), "there are more members: %v", err)

	packed = must.Get(zipOf(files, aTime))(t)
	again = must.Get(zipOf(files, aTime))(t)
	check.That(t, bytes.Equal(packed, again), "two zip archives of the same files differ")
	archive := must.Get(zip.NewReader(bytes.NewReader(packed), int64(len(packed))))(t)
	must.That(t, len(archive.File) == len(files), "found %d members", len(archive.File))
	for i, f := range files {
		found := archive.File[i]
		data := must.Get(io.ReadAll(must.Get(found.Open())(t)))(t)
		check.That(t, found.Name == f.name && int64(found.Mode()) == f.mode && found.Modified.Equal(aTime) &&
			bytes.Equal(data, f.data), "found %+v", found.FileHeader)
	}
}

// TestBill: the list has the modules of the program and the standard library, and nothing else.
func TestBill(t *testing.T) {
	replacement := &debug.Module{Path: "x/New", Version: "v2.0.0+incompatible"}
	info := &debug.BuildInfo{GoVersion: "go1.99.1", Main: debug.Module{Path: "example/m", Version: "(devel)"},
		Settings: []debug.BuildSetting{{Key: "GOOS", Value: "plan9"}},
		Deps: []*debug.Module{{Path: "a/b", Version: "v1.0.0", Sum: "h1:ab"},
			{Path: "x/Old", Version: "v1.0.0", Sum: "h1:old", Replace: replacement}}}
	list := aBuild().billOf(info, []byte("program"))
	check.That(t, bytes.Equal(list, aBuild().billOf(info, []byte("program"))), "two lists of the same program differ")
	check.That(t, !bytes.Contains(list, []byte("serialNumber")), "the list has a serial number")
	checkBill(t, list, info, []byte("program"))
	for _, want := range []string{`"pkg:golang/x/new@v2.0.0%2Bincompatible"`, `"2026-02-02T02:40:01Z"`, `"abc"`,
		`"pkg:golang/example/m@v1.2.3%2Ba"`, `"svc-verify:build:GOOS"`} {
		check.That(t, bytes.Contains(list, []byte(want)), "the list has no %s", want)
	}
}

// writeFiles writes files to a new folder, with their digests.
func writeFiles(t *testing.T, files ...file) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "release")
	must.Do(t, writeRelease(folder, files, ""))
	return folder
}

// TestDifferencesAreNamed: a file is named with the members that differ, and near to that nothing is.
func TestDifferencesAreNamed(t *testing.T) {
	members := []file{{"p", 0o755, []byte("program")}, {"m", 0o644, []byte("page")}}
	edited := []file{{"p", 0o755, []byte("Program")}, {"m", 0o644, []byte("page")}}
	opened := []file{{"p", 0o777, []byte("program")}, {"m", 0o644, []byte("page")}}
	later := aTime.Add(2 * time.Second)
	a := must.Get(tarGz(members, aTime))(t)
	z := must.Get(zipOf(members, aTime))(t)
	base := writeFiles(t, file{name: "a.tar.gz", data: a}, file{name: "z.zip", data: z})
	for _, try := range []struct {
		files []file
		want  []string
	}{
		{[]file{{name: "a.tar.gz", data: a}, {name: "z.zip", data: z}}, nil},
		{[]file{{name: "a.tar.gz", data: must.Get(tarGz(edited, aTime))(t)}, {name: "z.zip", data: z}},
			[]string{"SHA256SUMS: differs", "a.tar.gz: differs", `    "p": differs`}},
		{[]file{{name: "a.tar.gz", data: a}, {name: "z.zip", data: must.Get(zipOf(opened, aTime))(t)}},
			[]string{"SHA256SUMS: differs", "z.zip: differs", `    "p": differs`}},
		{[]file{{name: "a.tar.gz", data: a}, {name: "z.zip", data: must.Get(zipOf(members, later))(t)}},
			[]string{"SHA256SUMS: differs", "z.zip: differs", `    "m": differs`, `    "p": differs`}},
		{[]file{{name: "a.tar.gz", data: a}},
			[]string{"SHA256SUMS: differs", "z.zip: is only in the first"}},
		{[]file{{name: "a.tar.gz", data: a}, {name: "z.zip", data: z}, {name: "b", data: a}},
			[]string{"SHA256SUMS: differs", "b: is only in the second"}},
		{[]file{{name: "a.tar.gz", data: a}, {name: "z.zip", data: z[:50]}},
			[]string{"SHA256SUMS: differs", "z.zip: differs", `    its members cannot be read: "zip: not a valid zip file"`}},
	} {
		got := must.Get(compareReleases(base, writeFiles(t, try.files...)))(t)
		check.That(t, slices.Equal(got, try.want), "found %q, want %q", got, try.want)
	}
	must.Do(t, os.WriteFile(filepath.Join(base, signatureName), []byte("signed"), 0o600))
	got := must.Get(compareReleases(base, writeFiles(t, file{name: "a.tar.gz", data: a}, file{name: "z.zip", data: z})))(t)
	check.That(t, len(got) == 0, "with a signature: %q", got)
	must.Do(t, os.Mkdir(filepath.Join(base, "folder"), 0o700))
	for _, folder := range []string{base, t.TempDir(), filepath.Join(base, "absent")} {
		_, err := compareReleases(folder, folder)
		check.That(t, err != nil, "%s is compared", folder)
	}
}

// TestSource: the commit and its time are read, and changes without a commit are refused unless they are wanted.
func TestSource(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("SOURCE_DATE_EPOCH", "")
	must.Do(t, os.Unsetenv("SOURCE_DATE_EPOCH"))
	for _, name := range []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"} {
		t.Setenv(name, "a@b.example")
	}
	t.Setenv("GIT_COMMITTER_DATE", "@1770000001 +0300")
	must.Do(t, os.WriteFile("a", []byte("a"), 0o600))
	for _, args := range [][]string{{"init", "-q"}, {"add", "a"}, {"commit", "-q", "-m", "a"}} {
		must.Get(runProgram("git", args...))(t)
	}
	s := must.Get(readSource(false))(t)
	check.That(t, len(s.commit) == 40 && s.when.Equal(aTime), "found %+v", s)
	commit := s.commit
	t.Setenv("SOURCE_DATE_EPOCH", "1000000000")
	s = must.Get(readSource(false))(t)
	check.That(t, s.when.Unix() == 1_000_000_000, "with SOURCE_DATE_EPOCH: %v", s.when)
	for _, seconds := range []string{"", "0", "315532799", "soon", "99999999999"} {
		t.Setenv("SOURCE_DATE_EPOCH", seconds)
		_, err := readSource(false)
		check.That(t, err != nil, "SOURCE_DATE_EPOCH %q is not refused", seconds)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1000000000")
	must.Get(runProgram("git", "config", "status.showUntrackedFiles", "no"))(t)
	must.Do(t, os.WriteFile("b", []byte("b"), 0o600))
	_, err := readSource(false)
	check.That(t, err != nil && strings.Contains(err.Error(), "?? b"), "with a new file: %v", err)
	must.Do(t, os.Remove("b"))
	must.Do(t, os.WriteFile("a", []byte("b"), 0o600))
	_, err = readSource(false)
	check.That(t, err != nil && strings.Contains(err.Error(), "M a"), "with a changed file: %v", err)
	s = must.Get(readSource(true))(t)
	check.Equal(t, s.commit, commit+"-dirty", "the commit of what is not committed")
}
