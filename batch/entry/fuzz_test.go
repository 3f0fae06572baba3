package entry

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// FuzzLines compares the lines of text with the lines that package strings finds.
func FuzzLines(f *testing.F) {
	for _, s := range []string{"{}\n{}", "{\n}\n", "x\n{}\r\n\n \n", mark + "{}\n1", "{\"\n{}", "[\n{}", "{\"\\\"}\n{}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		if read.Opens([]byte(data)) {
			return
		}
		got := stdinEntries(t, data)
		if len(got) == 1 && got[0] == (told{Name: Stdin, Data: data}) {
			return
		}
		var want []told
		for i, line := range strings.Split(strings.TrimPrefix(data, mark), "\n") {
			if strings.Trim(line, " \t\r") != "" {
				want = append(want, told{Name: (&names{}).line(Stdin, int64(i+1)), Data: strings.TrimSuffix(line, "\r")})
			}
		}
		diff := cmp.Diff(want, got)
		check.That(t, diff == "" && len(want) >= 2, "%s", diff)
	})
}

// FuzzZip compares a walk with package archive/zip: without a fault, both have the same files.
func FuzzZip(f *testing.F) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		f.Add([]byte(must.Zip(method, "a", "11", "d/", "", "b", "")))
	}
	f.Add([]byte(plainZip(f)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !read.Opens(data) || !bytes.HasPrefix(data, []byte("PK")) {
			return
		}
		got := stdinEntries(t, string(data))
		if failed(got) || placeUnknown(data) {
			return
		}
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		must.That(t, err == nil, "expected %v, found %v", err, got)
		var want []told
		for _, member := range z.File {
			if strings.HasSuffix(member.Name, "/") {
				continue
			}
			r := must.Get(member.Open())(t)
			content := must.Get(io.ReadAll(r))(t)
			want = append(want, told{Name: member.Name, Data: string(content)})
		}
		sameMembers(t, want, got)
	})
}

// placeUnknown reports whether an end of a directory has no place, as Info-ZIP writes it
// to a pipe: package archive/zip cannot read such an archive.
func placeUnknown(data []byte) bool {
	for rest, found := data, true; found; {
		_, rest, found = bytes.Cut(rest, []byte("PK\x05\x06"))
		if len(rest) >= zipEndSize-4 && u32(rest[12:]) == max32 {
			return true
		}
	}
	return false
}

// FuzzTar compares a walk with package archive/tar: the walk has every file that the package
// can read, up to a fault.
func FuzzTar(f *testing.F) {
	f.Add([]byte(must.Tar("a", "11", "d/", "", "b", "{}\n{}")))
	f.Add([]byte(headersOf(f, &tar.Header{Typeflag: tar.TypeLink, Name: "s", Linkname: "x"},
		&tar.Header{Typeflag: tar.TypeReg, Name: strings.Repeat("l", 200)})))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !read.Opens(data) || len(data) < 512 {
			return
		}
		got := stdinEntries(t, string(data))
		if failed(got) {
			return
		}
		var want []told
		r := tar.NewReader(bytes.NewReader(data))
		for {
			h, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			must.Do(t, err)
			if h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader || h.Typeflag == 'V' {
				continue
			}
			content := must.Get(io.ReadAll(r))(t)
			want = append(want, told{Name: h.Name, Data: string(content)})
		}
		sameMembers(t, want, got)
	})
}

// sameMembers compares entries with the members that they are of. The entries of a member that
// is looked into are counted by their bytes alone.
func sameMembers(t *testing.T, want, got []told) {
	t.Helper()
	all := func(entries []told) (b strings.Builder) {
		for _, e := range entries {
			b.WriteString(strings.NewReplacer("\n", "", "\r", "", " ", "", "\t", "", mark, "").Replace(e.Data))
		}
		return b
	}
	w, g := all(want), all(got)
	opened := slices.ContainsFunc(want, func(e told) bool {
		return read.Opens([]byte(e.Data))
	})
	check.That(t, (opened || w.String() == g.String()) && (len(got) > 0 || len(want) == 0 || opened),
		"expected %q, found %q", want, got)
}
