package bag_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha512"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// TestManyLines: findings are bounded, all are counted, and the worst are shown.
func TestManyLines(t *testing.T) {
	f := genuine(t)
	delete(f, "tagmanifest-sha512.txt")
	var b strings.Builder
	const many = 15_000
	for i := range many {
		fmt.Fprintf(&b, "%s  data/%d\n", nothing, i)
	}
	f["manifest-sha512.txt"] += b.String()
	r := checkTar(t, f.tar(t))
	check.That(t, r.Verdict == outcome.Rejected && len(r.Findings) == 100 && r.MoreFindings == many-100,
		"%s, %d findings and %d more", r.Verdict, len(r.Findings), r.MoreFindings)
	again := checkTar(t, f.tar(t))
	check.That(t, slices.Equal(r.Findings, again.Findings), "two checks of one bag differ")
	items := 0
	for _, err := range r.Report().Items() {
		must.Do(t, err)
		items++
	}
	check.That(t, items >= 10_000, "the report has %d items", items)
	var lines strings.Builder
	must.Do(t, r.WriteLines(&lines))
	check.That(t, strings.Count(lines.String(), "\n") == 10_000, "%d lines", strings.Count(lines.String(), "\n"))
}

// TestMemory: a bag of many files needs some hundred bytes for each, however large they are.
func TestMemory(t *testing.T) {
	const many = 5_000
	f := files{"bagit.txt": "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"}
	for i := range many {
		f[fmt.Sprintf("data/%03d/%06d.json", i%100, i)] = "x"
	}
	var b strings.Builder
	for _, name := range f.names() {
		if strings.HasPrefix(name, "data/") {
			fmt.Fprintf(&b, "%x  %s\n", sha512.Sum512([]byte("x")), name)
		}
	}
	f["manifest-sha512.txt"] = b.String()
	archive := f.tar(t)
	clear(f)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r := checkTar(t, archive)
	runtime.GC()
	runtime.ReadMemStats(&after)
	must.That(t, r.Verdict == outcome.Verified && r.Payload.Intact == many, "%s: %s", r.Verdict, r.Reason())
	if left := int64(after.HeapAlloc) - int64(before.HeapAlloc); left > many*100 { // names alone
		t.Errorf("the result keeps %d octets", left)
	}
	made := int64(after.TotalAlloc - before.TotalAlloc)
	check.That(t, made <= many*16<<10, "%d octets were allocated for each file", made/many)
	runtime.KeepAlive(r)
}

// TestLongNames: names and paths beyond the limits of systems are findings.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("a", 5000)
	f := genuine(t)
	delete(f, "tagmanifest-sha512.txt")
	f["manifest-sha512.txt"] += nothing + "  data/" + long + "\n"
	if r := checked(t, f.folder(t)); !slices.Equal(codes(r), []finding.Code{bag.Name}) {
		t.Errorf("%q", codes(r))
	}
	f["manifest-sha512.txt"] += nothing + "  data/" + strings.Repeat("a", 20_000) + "\n"
	if r := checked(t, f.folder(t)); !slices.Contains(codes(r), bag.Malformed) {
		t.Errorf("%q", codes(r))
	}
	r := checkTar(t, genuine(t).tar(t, &tar.Header{Typeflag: tar.TypeReg, Name: "top/data/" + long}))
	got := codes(r)
	check.That(t, slices.Equal(got, []finding.Code{bag.Name}), "%q", got)
}

// TestDeepFolders: folders beyond the limit are not followed, and their contents stay open.
func TestDeepFolders(t *testing.T) {
	dir := genuine(t).folder(t)
	must.WriteFile(t, filepath.Join(dir, "data", strings.Repeat("d/", 300), "x"), "")
	r := checked(t, dir)
	check.That(t, r.Verdict == outcome.Inconclusive && slices.Equal(codes(r), []finding.Code{bag.Unsupported}),
		"%s: %+v", r.Verdict, r.Findings)
}

// TestHolesInArchives: a file with holes claims to be larger than its archive.
func TestHolesInArchives(t *testing.T) {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: "top/data/big", Size: 512,
		PAXRecords: map[string]string{"XNU.sparse.major": "1", "XNU.sparse.minor": "0",
			"XNU.sparse.realsize": "99999999999"}}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	must.Do(t, w.WriteHeader(header))
	must.Get(w.Write([]byte("0\n" + strings.Repeat("\x00", 510))))(t)
	must.Do(t, w.Close())
	archive := bytes.ReplaceAll(b.Bytes(), []byte("XNU."), []byte("GNU."))
	whole := genuine(t).tar(t)
	whole = append(whole[:len(whole)-1024:len(whole)-1024], archive...)
	r := checkTar(t, whole)
	check.That(t, slices.Equal(codes(r), []finding.Code{bag.Malformed}), "%s %+v", r.Verdict, r.Findings)
}

// TestLargeTagFiles: a tag file beyond its limit is not read.
func TestLargeTagFiles(t *testing.T) {
	f := genuine(t)
	f["bag-info.txt"] = "Note: " + strings.Repeat("x", 1<<20) + "\n"
	f.list(t)
	r := checked(t, f.folder(t))
	check.That(t, r.Verdict == outcome.Inconclusive && slices.Equal(codes(r), []finding.Code{bag.Unsupported}), "%s: %q",
		r.Verdict, codes(r))
}

// TestManyManifests: of many algorithms that are not known one sentence is said.
func TestManyManifests(t *testing.T) {
	f := genuine(t)
	delete(f, "tagmanifest-sha512.txt")
	for i := range 120 {
		f[fmt.Sprintf("manifest-x%d.txt", i)] = "anything"
	}
	r := checked(t, f.folder(t))
	check.That(t, r.Verdict == outcome.Verified && len(r.NotExamined) <= 4, "%s: %q", r.Verdict, r.NotExamined)
}
