package entry

import (
	"archive/zip"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/must"
)

// file is a file that a test makes: its bytes, and the entries in it. A name there is the part
// after the name of the file.
type file struct {
	data string
	told []told
}

// documents are contents that are neither JSON lines nor archives.
var documents = []string{"", " \n", "{}", "{\"a\":1}\n", "{\n}\n", "[\n{},\n{}\n]\n", "text\nand more\n",
	"\x00\x01", "{}{}", "{\"a"}

// someLines are lines that can be in JSON lines after the first one.
var someLines = []string{"{}", `{"a":{"b":"}"}}`, "garbage", "", " \t", "{", `{"a":"`, "[1,", "\x00", "{} {}", "\xff"}

// fileOf draws a file, whose archives nest as deep as is said.
func fileOf(t *rapid.T, label string, depth int) file {
	kinds := []string{"document", "document", "lines"}
	if depth > 0 {
		kinds = append(kinds, "tar", "zip")
	}
	var f file
	switch rapid.SampledFrom(kinds).Draw(t, label) {
	case "document":
		data := rapid.SampledFrom(documents).Draw(t, label+"'s content")
		f = file{data, []told{{Data: data}}}
	case "lines":
		f = linesOf(t, label)
	case "tar":
		f = archiveOf(t, label, depth, must.Tar)
	case "zip":
		method := rapid.SampledFrom([]uint16{zip.Store, zip.Deflate}).Draw(t, label+"'s method")
		f = archiveOf(t, label, depth, func(members ...string) string { return must.Zip(method, members...) })
	}
	switch rapid.IntRange(0, 5).Draw(t, label+"'s compression") {
	case 0:
		f.data = must.Gzip(f.data)
	case 1:
		f.data = zstdOf(t, f.data)
	}
	return f
}

func linesOf(t *rapid.T, label string) file {
	lines := rapid.SliceOfN(rapid.SampledFrom(someLines), 1, 8).Draw(t, label+"'s lines")
	blank := rapid.IntRange(0, 2).Draw(t, label+"'s blank lines")
	lines = slices.Concat(slices.Repeat([]string{""}, blank), []string{`{"first":1}`}, lines, []string{"last"})
	end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, label+"'s line end")
	f := file{data: strings.Join(lines, end)}
	if rapid.Bool().Draw(t, label+" has a mark") {
		f.data = mark + f.data
	}
	for i, line := range lines {
		if strings.Trim(line, " \t") != "" {
			f.told = append(f.told, told{Name: fmt.Sprint(":", i+1), Data: line})
		}
	}
	return f
}

func archiveOf(t *rapid.T, label string, depth int, pack func(...string) string) file {
	var f file
	var members []string
	taken := map[string]bool{}
	some := rapid.SampledFrom([]string{"a", "b/c", "../d", "é", "dir/", "a#2"})
	names := rapid.SliceOfN(some, 0, 5).Draw(t, label+"'s names")
	for i, name := range names {
		if strings.HasSuffix(name, "/") {
			members = append(members, name, "")
			continue
		}
		m := fileOf(t, fmt.Sprint(label, " ", i), depth-1)
		members = append(members, name, m.data)
		if len(m.told) == 0 { // an archive of nothing has no name
			continue
		}
		for n := 2; taken[name]; n++ {
			if other := fmt.Sprint(names[i], "#", n); !taken[other] {
				name = other
			}
		}
		taken[name] = true
		for _, e := range m.told {
			f.told = append(f.told, told{Name: "!" + name + e.Name, Data: e.Data})
		}
	}
	f.data = pack(members...)
	if strings.Trim(f.data, "\x00") == "" { // a tar of nothing
		f.told = []told{{Data: f.data}}
	}
	return f
}

// TestProperty finds exactly the entries of random trees, in order, and each once more.
func TestProperty(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		dir := must.Get(os.MkdirTemp(t.TempDir(), ""))(t)
		defer os.RemoveAll(dir)
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`([ab][-.!/]?){1,4}c`), 0, 6, rapid.ID).Draw(r, "names")
		files := map[string]file{}
		for _, name := range names {
			path := filepath.Join(dir, name)
			if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
				continue // a file has that name
			}
			if _, err := os.Lstat(path); err == nil {
				continue
			}
			f := fileOf(r, name, 2)
			must.Do(t, os.WriteFile(path, []byte(f.data), 0o600))
			files[path] = f
		}
		var want []told
		for _, path := range slices.Sorted(maps.Keys(files)) {
			for _, e := range files[path].told {
				want = append(want, told{Name: path + e.Name, Data: e.Data})
			}
		}
		sameEntries(r, dir, want)
	})
}

// sameEntries compares a walk through a directory with the expected entries, and reads the
// entries once more in order and backwards.
func sameEntries(t *rapid.T, dir string, want []told) {
	set := must.Get(New(Source{Paths: []string{dir}}))(t)
	defer set.Close()
	var got []told
	var refs []Ref
	must.Do(t, set.Walk(context.Background(), func(e Entry) error {
		data, err := e.Read()
		got, refs = append(got, told{Name: e.Name, Data: string(data)}), append(refs, e.Ref)
		return err
	}))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	check := func(i int) {
		data, err := set.Again(context.Background(), refs[i])
		if err != nil || string(data) != want[i].Data {
			t.Fatalf("%v again: expected %q, found %q, %v", refs[i], want[i].Data, data, err)
		}
	}
	for i := range refs {
		check(i)
	}
	for i := range refs {
		check(len(refs) - 1 - i)
	}
}
