package entry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestOnly leaves out entries that no pattern matches, and counts them.
func TestOnly(t *testing.T) {
	dir := t.TempDir()
	tarred := must.Tar("./in/a.json", "1", "b.txt", "2", "c.jsonl", "{}\n{}")
	must.WriteFiles(t, dir, map[string]string{"a.json": "1", "a.txt": "2", "sub/b.json": "3", "sub/x.tar": tarred,
		"l.txt":   "{}\n{}",
		"cut.tar": tarred[:1000], "a.json.gz": must.Gzip("4")})
	for _, c := range []struct {
		only []string
		want []string
		left int64
	}{
		{[]string{"*.json"}, []string{"a.json", "cut.tar!./in/a.json", "cut.tar", "sub/b.json", "sub/x.tar!./in/a.json"}, 5},
		{[]string{"sub/*"}, []string{"cut.tar", "sub/b.json"}, 8},
		{[]string{"in/*", "?.txt"}, []string{"a.txt", "cut.tar!./in/a.json", "cut.tar", "l.txt:1", "l.txt:2",
			"sub/x.tar!./in/a.json", "sub/x.tar!b.txt"}, 4},
		{[]string{"*.tar"}, []string{"cut.tar"}, 9},
		{[]string{"c.*"}, []string{"cut.tar", "sub/x.tar!c.jsonl:1", "sub/x.tar!c.jsonl:2"}, 8},
	} {
		got, counts := walkAll(t, dir, Source{Paths: []string{dir}, Only: c.only})
		var names []string
		for _, g := range got {
			names = append(names, g.Name)
		}
		diff := cmp.Diff(c.want, names)
		check.That(t, diff == "" && counts == (Counts{LeftOut: c.left}), "%v: %s counted %+v", c.only, diff, counts)
	}
	got, counts := walkAll(t, dir, Source{Paths: []string{filepath.Join(dir, "a.txt"), Stdin,
		filepath.Join(dir, "none.txt"),
		filepath.Join(dir, "none.json")}, Stdin: strings.NewReader("x"), Only: []string{"*.json"}})
	want := []told{{Name: Stdin, Data: "x"}, {Name: "none.json", Err: "no such file or directory"}}
	diff := cmp.Diff(want, got)
	check.That(t, diff == "" && counts == (Counts{LeftOut: 2}), "%s counted %+v", diff, counts)
}

// TestOnlyOfCut: an archive that ends within a member is reported, whether the member is left
// out or not.
func TestOnlyOfCut(t *testing.T) {
	data := must.Tar("a", strings.Repeat("x", 600))[:read.LeafHead+100]
	for only, name := range map[string]string{"a": "-!a", "b": "-"} {
		got, _ := walkAll(t, "", Source{Paths: []string{Stdin}, Stdin: strings.NewReader(data), Only: []string{only}})
		diff := cmp.Diff([]told{{Name: name, Err: "the archive ends within a member"}}, got)
		check.That(t, diff == "", "%s", diff)
	}
}

// TestUsage refuses sources that cannot be meant.
func TestUsage(t *testing.T) {
	for want, s := range map[string]Source{
		"standard input can be named only once": {Paths: []string{Stdin}, Lists: []string{Stdin},
			Stdin: strings.NewReader("")},
		"there is no standard input": {Paths: []string{Stdin}},
	} {
		_, err := New(s)
		check.That(t, err != nil && err.Error() == want, "expected %q, found %v", want, err)
	}
}

// TestLists has names from lists, behind the paths, and each again that is named twice.
func TestLists(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must.WriteFiles(t, dir, map[string]string{"a": "1", "d/b": "2", "line\nfeed": "3", "t": must.Tar("m", "4")})
	must.WriteFiles(t, dir, map[string]string{"list": in("d") + "\r\n\n" + in("a") + "\n" + in("t") + "\n" + in("t"),
		"nul": in("line\nfeed") + "\x00" + in("none") + "\x00"})
	got, _ := walkAll(t, dir, Source{Paths: []string{in("a")}, Lists: []string{in("list"), Stdin, in("nul")},
		Stdin: strings.NewReader(in("a") + "\n")})
	want := []told{{Name: "a", Data: "1"}, {Name: "d/b", Data: "2"}, {Name: "a#2", Data: "1"}, {Name: "t!m", Data: "4"},
		{Name: "t#2!m", Data: "4"}, {Name: "a#3", Data: "1"}, {Name: "line\nfeed", Data: "3"},
		{Name: "none", Err: "no such file or directory"}}
	diff := cmp.Diff(want, got)
	check.That(t, diff == "", "%s", diff)
	for list, want := range map[string]string{
		in("missing"): "no such file or directory",
		Stdin:         "expected names in UTF-8, found UTF-16",
	} {
		set := must.Get(New(Source{Lists: []string{list}, Stdin: strings.NewReader("\xff\xfea\x00")}))(t)
		err := set.Walk(t.Context(), func(Entry) error { return nil })
		if err == nil || !strings.HasPrefix(err.Error(), "reading the list ") || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("expected %q, found %v", want, err)
		}
	}
}

// TestNames gives a name to one entry alone, although files are named like lines.
func TestNames(t *testing.T) {
	dir := must.WriteFiles(t, t.TempDir(), map[string]string{"l": "{}\n{}", "l:2": "x", "l:02x": "y",
		"!": must.Tar("m", "1"), "!!m": "2"})
	got, _ := walkAll(t, dir, Source{Paths: []string{dir, filepath.Join(dir, "l:2"), filepath.Join(dir, "l")}})
	var names []string
	for _, g := range got { // walkAll has compared them
		names = append(names, g.Name)
	}
	want := []string{"!!m", "!!m#2", "l:1", "l:2", "l:02x", "l:2#2", "l:2#3", "l#2:1", "l#2:2"}
	diff := cmp.Diff(want, names)
	check.That(t, diff == "", "%s", diff)
}

// TestLargest has entries as large as a proof can be, and larger.
func TestLargest(t *testing.T) {
	dir := t.TempDir()
	least := strings.Repeat("x", form.MaxBundle)
	must.WriteFiles(t, dir, map[string]string{"f": least + "yz",
		"l":     "{}\n{" + least + "yz\n{" + least[1:] + "\r\n\n{}\n{" + least + "yz",
		"t":     must.Tar("m", least+"yz", "n", "1"),
		"first": "{" + least + "yz\n{}", "blank": strings.Repeat("\n", maxEntry+1) + "{}\n{}"})
	set := must.Get(New(Source{Paths: []string{dir}}))(t)
	var got []string
	must.Do(t, set.Walk(t.Context(), func(e Entry) error {
		data, err := e.Read()
		got = append(got, fmt.Sprint(filepath.Base(e.Name), " ", len(data)-form.MaxBundle))
		return err
	}))
	want := []string{"blank 1", "f 1", "first:1 1", fmt.Sprint("first:2 ", 2-form.MaxBundle),
		fmt.Sprint("l:1 ", 2-form.MaxBundle),
		"l:2 1", "l:3 0", fmt.Sprint("l:5 ", 2-form.MaxBundle), "l:6 1", "t!m 1", fmt.Sprint("t!n ", 1-form.MaxBundle)}
	diff := cmp.Diff(want, got)
	check.That(t, diff == "", "%s", diff)
}

// TestVanished has a file that goes, and one that changes, before they are read.
func TestVanished(t *testing.T) {
	dir := t.TempDir()
	large := strings.Repeat("[", atHand+1)
	must.WriteFiles(t, dir, map[string]string{"gone": large, "grown": large, "pipe": large})
	set := must.Get(New(Source{Paths: []string{dir}}))(t)
	var got []string
	must.Do(t, set.Walk(t.Context(), func(e Entry) error {
		must.Do(t, os.Remove(e.Place.File))
		switch filepath.Base(e.Name) {
		case "grown":
			must.WriteFiles(t, dir, map[string]string{"grown": large + "x"})
		case "pipe":
			must.WriteFiles(t, dir, map[string]string{"pipe/": ""})
		}
		data, err := e.Read()
		got = append(got, fmt.Sprint(len(data)-len(large), " ", err))
		return nil
	}))
	want := []string{fmt.Sprint(-len(large), " no such file or directory"), "1 <nil>",
		fmt.Sprint(-len(large), " expected a regular file, found a directory")}
	diff := cmp.Diff(want, got)
	check.That(t, diff == "", "%s", diff)
}

// TestVanishedFolder has a directory that cannot be listed, whatever the patterns are.
func TestVanishedFolder(t *testing.T) {
	dir := must.WriteFiles(t, t.TempDir(), map[string]string{"a.json": "1", "b/x.json": "2", "c.json": "3"})
	set := must.Get(New(Source{Paths: []string{dir}, Only: []string{"*.json"}}))(t)
	var got []string
	must.Do(t, set.Walk(t.Context(), func(e Entry) error {
		got = append(got, fmt.Sprint(filepath.Base(e.Name), " ", e.Err))
		return os.RemoveAll(filepath.Join(dir, "b"))
	}))
	want := []string{"a.json <nil>", "b " + listing.ErrGone.Error(), "c.json <nil>"}
	diff := cmp.Diff(want, got)
	check.That(t, diff == "", "%s", diff)
}

// TestAgain finds entries of standard input only if it was kept, and does not find entries of
// a file that became shorter.
func TestAgain(t *testing.T) {
	data := must.Tar("a", "1", "b", "{}\n{\"x\":1}", "c", "3")
	for _, kept := range []bool{true, false} {
		set := must.Get(New(Source{Paths: []string{Stdin}, Stdin: strings.NewReader(data), KeepStdin: kept,
			TempDir: t.TempDir()}))(t)
		var refs []Ref
		must.Do(t, set.Walk(t.Context(), func(e Entry) error { refs = append(refs, e.Ref); return nil }))
		got, err := set.Again(t.Context(), refs[2])
		check.That(t, (!kept || err == nil && string(got) == `{"x":1}`) && (kept || err != nil),
			"kept %v: found %q, %v", kept, got, err)
		must.Do(t, set.Close())
	}
	dir := must.WriteFiles(t, t.TempDir(), map[string]string{"l": "{}\n{}\n{}"})
	set := must.Get(New(Source{Paths: []string{dir}}))(t)
	defer set.Close()
	var last Ref
	must.Do(t, set.Walk(t.Context(), func(e Entry) error { last = e.Ref; return nil }))
	must.WriteFiles(t, dir, map[string]string{"l": "{}\n{}"})
	_, err := set.Again(t.Context(), last)
	check.That(t, errors.Is(err, errGone), "expected %v, found %v", errGone, err)
	must.Do(t, os.Remove(filepath.Join(dir, "l")))
	if _, err := set.Again(t.Context(), last); err == nil {
		t.Error("found an entry of a file that is gone")
	}
}

// endless is a reader that waits.
type endless struct{ waiting chan struct{} }

func (e endless) Read([]byte) (int, error) {
	close(e.waiting)
	select {}
}

// TestEnd ends a walk with the context, with the caller's error, and with a fault of
// the machine.
func TestEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in := endless{make(chan struct{})}
	go func() { <-in.waiting; cancel() }()
	enough := errors.New("enough")
	for name, c := range map[string]struct {
		ctx    context.Context
		source Source
		want   error
	}{
		"context": {ctx, Source{Stdin: in}, context.Canceled},
		"caller":  {t.Context(), Source{Stdin: strings.NewReader("{}")}, enough},
		"no room": {t.Context(), Source{Stdin: strings.NewReader("{}"), KeepStdin: true, TempDir: "/none/such"},
			os.ErrNotExist},
	} {
		c.source.Paths = []string{Stdin}
		set := must.Get(New(c.source))(t)
		err := set.Walk(c.ctx, func(Entry) error { return enough })
		check.That(t, errors.Is(err, c.want), "%s: expected %v, found %v", name, c.want, err)
	}
}

// TestLeaveOut leaves out the files that the caller writes below a directory, under any name,
// but not the files that were named.
func TestLeaveOut(t *testing.T) {
	dir := must.WriteFiles(t, t.TempDir(), map[string]string{"d/a": "1", "d/own": "2"})
	own := must.Get(os.Stat(filepath.Join(dir, "d/own")))(t)
	want := []told{{Name: "d/a", Data: "1"}, {Name: "d/own", Data: "2"}}
	count := Counts{Own: 1}
	if os.Symlink("own", filepath.Join(dir, "d/link")) == nil { // not everyone can make one
		count.Own = 2
	}
	got, counts := walkAll(t, dir, Source{Paths: []string{filepath.Join(dir, "d"), filepath.Join(dir, "d/own")},
		LeaveOut: func(info os.FileInfo) bool { return os.SameFile(info, own) }})
	diff := cmp.Diff(want, got)
	check.That(t, diff == "" && counts == count, "%s counted %+v", diff, counts)
}
