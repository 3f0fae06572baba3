package ingest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// cutInto cuts a file into parts of a size.
func cutInto(b []byte, size int) (parts [][]byte) {
	for len(b) > size {
		parts, b = append(parts, b[:size]), b[size:]
	}
	return append(parts, b)
}

// volumesIn writes parts under names, and returns the folder.
func volumesIn(t *testing.T, names []string, parts [][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for i, p := range parts {
		write(t, dir, names[i], p)
	}
	return dir
}

// said returns the codes and details of all skips of a case.
func said(t *testing.T, path string) (codes, details []string) {
	t.Helper()
	for s, err := range openRead(t, path).Skips(t.Context()) {
		must.Do(t, err)
		codes, details = append(codes, s.Code), append(details, s.Detail)
	}
	return codes, details
}

func sourcesOf(t *testing.T, path string) int {
	t.Helper()
	all := must.Get(openRead(t, path).Sources(t.Context()))(t)
	return len(all)
}

func numbered(form string, from, n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf(form, from+i))
	}
	return names
}

// TestVolumes: a file that was split is read as one, whatever it is and however
// its volumes are named. Nothing is lost at the cuts.
func TestVolumes(t *testing.T) {
	want := journal(berlin, 60, 1)
	plain := file(want)
	packed := must.Gzip(plain)
	answer := dumps.Named("loki-api").Write(want, dumps.Options{})
	for name, c := range map[string]struct {
		content []byte
		names   []string
	}{
		"7z":          {plain, numbered("journal.%03d", 1, 9)},
		"split":       {plain, []string{"xaa", "xab", "xac", "xad", "xae", "xaf", "xag", "xah", "xai"}},
		"split -a 3":  {plain, []string{"xaaa", "xaab", "xaac", "xaad", "xaae", "xaaf", "xaag", "xaah", "xaai"}},
		"split -d":    {plain, numbered("journal-%02d", 0, 9)},
		"parts":       {plain, numbered("journal.part%d", 1, 9)},
		"gzip":        {packed, numbered("journal.gz.%03d", 1, 9)},
		"one answer":  {answer, numbered("answer.json.%02d", 0, 9)},
		"named .zip":  {packed, append(numbered("journal.z%02d", 1, 8), "journal.zip")},
		"with letter": {packed, []string{"gzaa", "gzab", "gzac", "gzad", "gzae", "gzaf", "gzag", "gzah", "gzai"}},
	} {
		dir := volumesIn(t, c.names, cutInto(c.content, len(c.content)/9+1))
		path := newCase(t, Options{}, dir)
		got := lines(t, path, berlin)
		check.That(t, slices.EqualFunc(got, want, bytes.Equal), "%s: %d lines of %d", name, len(got), len(want))
		codes, details := said(t, path)
		check.That(t, slices.Equal(codes, []string{string(finding.SourceNoRecord)}) &&
			strings.HasPrefix(details[0], "joined from 9 volumes"), "%s: %q %q", name, codes, details)
		n := sourcesOf(t, path)
		check.That(t, n == 1, "%s: %d sources", name, n)
		fill(t, path, Options{}, dir)
		n = sourcesOf(t, path)
		check.That(t, n == 1, "%s, again: %d sources", name, n)
	}
}

// TestVolumesByAnyOrder: files that are given one by one are joined as well, in
// their own order, but only those that are given.
func TestVolumesByAnyOrder(t *testing.T) {
	want := journal(berlin, 40, 1)
	names := numbered("journal.%03d", 1, 3)
	dir := volumesIn(t, names, cutInto(file(want), len(file(want))/3+1))
	var paths []string
	for _, n := range []int{2, 0, 1} {
		paths = append(paths, filepath.Join(dir, names[n]))
	}
	got := lines(t, newCase(t, Options{}, paths...), berlin)
	check.That(t, len(got) == 40, "%d lines", len(got))
	got = lines(t, newCase(t, Options{}, paths[1:]...), berlin)
	check.That(t, len(got) < 40 && len(got) >= 20, "of two volumes: %d lines", len(got))
}

// TestNoVolumes: names alone join nothing.
func TestNoVolumes(t *testing.T) {
	a, b := journal(berlin, 30, 1), journal(oslo, 30, 2)
	torn := file(a)
	torn = torn[:len(torn)-100]
	random := make([]byte, 4000)
	for i := range random {
		random[i] = byte(rand.New(rand.NewPCG(1, uint64(i))).Uint32())
	}
	half := must.Gzip(file(a))
	for name, c := range map[string]struct {
		parts        [][]byte
		berlin, oslo int
		remark       bool
	}{
		"rotated":              {[][]byte{file(a), file(b)}, 30, 30, false},
		"rotated, torn":        {[][]byte{torn, file(b)}, 29, 30, true},
		"each in gzip":         {[][]byte{must.Gzip(file(a)), must.Gzip(file(b))}, 30, 30, false},
		"something else":       {[][]byte{torn, random}, 29, 0, true},
		"half, something else": {[][]byte{half[:len(half)-50], random}, 29, 0, true},
		"cut between lines": {[][]byte{file(a[:10]), file(a[10:20]), file(a[20:])}, 30, 0,
			false},
	} {
		path := newCase(t, Options{}, volumesIn(t, numbered("app.log.%02d", 1, 3), c.parts))
		got := len(lines(t, path, berlin))
		check.That(t, got >= c.berlin-1 && got <= c.berlin, "%s: %d events of berlin", name, got)
		if c.oslo > 0 && len(lines(t, path, oslo)) != c.oslo {
			t.Errorf("%s: %d events of oslo", name, len(lines(t, path, oslo)))
		}
		n := sourcesOf(t, path)
		check.That(t, n == len(c.parts), "%s: %d sources of %d files", name, n, len(c.parts))
		_, details := said(t, path)
		check.That(t, slices.Contains(details, notProven) == c.remark, "%s: %q", name, details)
	}
}

// TestVolumesAndOthers: a file that does not belong to a set stays apart from it.
func TestVolumesAndOthers(t *testing.T) {
	a, b := journal(berlin, 60, 1), journal(oslo, 30, 2)
	for name, content := range map[string][]byte{"plain": file(a), "gzip": must.Gzip(file(a))} {
		parts := append(cutInto(content, len(content)/2+1), file(b))
		dir := volumesIn(t, numbered("x.%03d", 1, 3), parts)
		path := newCase(t, Options{}, dir)
		if n, m := len(lines(t, path, berlin)), len(lines(t, path, oslo)); n != 60 || m != 30 || sourcesOf(t, path) != 2 {
			t.Errorf("%s: %d and %d events, %d sources", name, n, m, sourcesOf(t, path))
		}
		// Without its second volume a set is nothing, and that is said.
		must.Do(t, os.Remove(filepath.Join(dir, "x.002")))
		path = newCase(t, Options{}, dir)
		if _, details := said(t, path); sourcesOf(t, path) != 2 ||
			!slices.Contains(details, `the volume "x.002" is missing`) {
			t.Errorf("%s, one missing: %d sources, %q", name, sourcesOf(t, path), details)
		}
	}
}

// TestAlteredAcrossTheCut: an event that was altered is joined all the same, so
// that it is seen.
func TestAlteredAcrossTheCut(t *testing.T) {
	a := journal(berlin, 20, 1)
	a[10] = tampered(a[10])
	content := file(a)
	cut := bytes.Index(content, a[10]) + 200
	path := newCase(t, Options{}, volumesIn(t, []string{"xaa", "xab"}, [][]byte{content[:cut], content[cut:]}))
	got := lines(t, path, berlin)
	check.That(t, len(got) == 20 && bytes.Equal(got[10], a[10]), "%d lines", len(got))
}

// TestVolumesOfSevenZip: a format that is read in any order can be split as well.
func TestVolumesOfSevenZip(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join("..", "read", "testdata", "packed", "7z-LZMA2.base64")))(t)
	packed := must.Get(base64.StdEncoding.DecodeString(strings.ReplaceAll(string(text), "\n", "")))(t)
	path := newCase(t, Options{}, volumesIn(t, numbered("logs.7z.%03d", 1, 2), cutInto(packed, len(packed)/2+1)))
	_, details := said(t, path)
	check.That(t, slices.ContainsFunc(details, func(d string) bool {
		return strings.HasPrefix(d, "joined from 2 volumes")
	}), "%q", details)
	names, err := os.ReadDir(filepath.Dir(path))
	check.That(t, err == nil && len(names) == 1, "beside the case there is %v, %v", names, err)
}
