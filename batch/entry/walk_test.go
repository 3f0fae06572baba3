package entry

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// told is an entry as the tests compare it: its name, and its bytes or its fault.
type told struct{ Name, Data, Err string }

// walkAll returns the entries of a source, with paths from dir, and the counts.
func walkAll(t *testing.T, dir string, s Source) ([]told, Counts) {
	t.Helper()
	set := must.Get(New(s))(t)
	defer set.Close()
	var all []told
	names := map[string]bool{}
	must.Do(t, set.Walk(context.Background(), func(e Entry) error {
		check.That(t, !names[e.Name], "the name %q occurs twice", e.Name)
		names[e.Name] = true
		all = append(all, tell(t, dir, e))
		return nil
	}))
	return all, set.Counts()
}

func tell(t *testing.T, dir string, e Entry) told {
	t.Helper()
	got := told{Name: filepath.ToSlash(strings.TrimPrefix(e.Name, dir+string(filepath.Separator)))}
	data, err := e.Read()
	if err != nil {
		got.Err = err.Error()
		return got
	}
	check.That(t, e.Size == int64(len(data)) || len(data) >= maxEntry,
		"%s: the size is %d, and there are %d octets", e.Name, e.Size, len(data))
	got.Data = string(data)
	return got
}

// TestDirectory has every file in the order of whole paths.
func TestDirectory(t *testing.T) {
	dir := must.WriteFiles(t, t.TempDir(), map[string]string{"a/z": "1", "a.json": "2", "a-b": "3", "b/": "",
		"c/d/e": "4", "c/.f": "5", "Z": ""})
	got, counts := walkAll(t, dir, Source{Paths: []string{dir}})
	want := []told{{Name: "Z"}, {Name: "a-b", Data: "3"}, {Name: "a.json", Data: "2"}, {Name: "a/z", Data: "1"},
		{Name: "c/.f", Data: "5"}, {Name: "c/d/e", Data: "4"}}
	diff := cmp.Diff(want, got)
	check.That(t, diff == "", "%s", diff)
	check.That(t, counts == (Counts{}), "counted %+v", counts)
}

// TestNothing counts paths and lists without entries.
func TestNothing(t *testing.T) {
	dir := must.WriteFiles(t, t.TempDir(), map[string]string{"empty/": "", "list": "\n\r\n\n"})
	got, counts := walkAll(t, dir, Source{Paths: []string{filepath.Join(dir, "empty")},
		Lists: []string{filepath.Join(dir, "list")}})
	check.That(t, len(got) == 0 && counts == (Counts{Empty: 2}), "found %v, counted %+v", got, counts)
}

// TestLines distinguishes JSON lines from documents.
func TestLines(t *testing.T) {
	for _, row := range must.Rows(t, "testdata", "lines.txt") {
		name, data := row[0], strings.ReplaceAll(row[1], "MARK", mark)
		t.Run(name, func(t *testing.T) {
			dir := must.WriteFiles(t, t.TempDir(), map[string]string{"f": data})
			var want []told
			for _, w := range row[2:] {
				number, line, _ := strings.Cut(strings.ReplaceAll(w, "MARK", mark), " ")
				want = append(want, told{Name: "f:" + number, Data: line})
			}
			if want == nil {
				want = []told{{Name: "f", Data: data}}
			}
			got, _ := walkAll(t, dir, Source{Paths: []string{filepath.Join(dir, "f")}})
			diff := cmp.Diff(want, got)
			check.That(t, diff == "", "%s", diff)
			for i := range want {
				want[i].Name = "-" + strings.TrimPrefix(want[i].Name, "f")
			}
			got, _ = walkAll(t, dir, Source{Paths: []string{Stdin}, Stdin: strings.NewReader(data)})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
