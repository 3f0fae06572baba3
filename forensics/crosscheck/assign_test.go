package crosscheck

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// laid is a layout of evidence: for each path which events it holds, as ranges of
// sequences of logs: "b:1-20,o:3". A leading "j " marks a journal.
type laid map[string]string

// parts returns the parts of a layout and their overlap. Paths that hold the same under
// "=PATH" are one source.
func (l laid) parts() ([]part, *overlap) {
	o := newOverlap(nil)
	events := map[[2]int64][]int64{}
	numbers := map[string]int64{}
	var parts []part
	for i, path := range slices.Sorted(maps.Keys(l)) {
		holds, journal := strings.CutPrefix(l[path], "j ")
		number := int64(i + 1)
		if same, ok := strings.CutPrefix(holds, "="); ok {
			parts = append(parts, part{container: numbers[same], path: path, journal: journal})
			continue
		}
		numbers[path] = number
		parts = append(parts, part{container: number, path: path, journal: journal})
		if journal {
			o.form[number] = string(read.Journal)
		}
		for _, r := range strings.Split(holds, ",") {
			var log rune
			var first, last, step int64 = 0, 0, 1
			if _, err := fmt.Sscanf(r, "%c:%d-%d/%d", &log, &first, &last, &step); err != nil && last == 0 {
				panic(r)
			}
			for n := first; n <= last; n += step {
				events[[2]int64{int64(log), n}] = append(events[[2]int64{int64(log), n}], number)
			}
		}
	}
	byOrder := func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) }
	for _, at := range slices.SortedFunc(maps.Keys(events), byOrder) {
		log, containers := facts.Log{LogID: fmt.Sprint(at[0])}, slices.Compact(slices.Sorted(slices.Values(events[at])))
		o.addContainers(log, containers, 1)
		o.extendRun(log, containers, span{first: uint64(at[1]), last: uint64(at[1])})
	}
	return parts, o
}

// stores writes the stores of a layout: name, rule and paths.
func (l laid) stores() string {
	g := assignStores(l.parts())
	var all []string
	for _, s := range g.stores {
		all = append(all, fmt.Sprintf("%s %s %s", s.Name, s.Rule, strings.Join(s.Paths, " ")))
	}
	return strings.Join(all, "\n")
}

// TestAssign: parts of one store are one store, and replicas are several, however
// they are laid out.
func TestAssign(t *testing.T) {
	for _, c := range must.Get(txtar.ParseFile(filepath.Join("testdata", "assign.txtar")))(t).Files {
		layout, want := laid{}, []string{}
		for line := range strings.Lines(string(c.Data)) {
			if path, holds, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); path == ">" {
				want = append(want, holds)
			} else {
				layout[path] = holds
			}
		}
		check.Equal(t, layout.stores(), strings.Join(want, "\n"), "%s: stores", c.Name)
	}
}

// TestAssignManyParts: a great number of parts needs work in proportion, and more replicas
// than can be compared are reported.
func TestAssignManyParts(t *testing.T) {
	hours := laid{}
	for i := range 2000 {
		hours[fmt.Sprintf("e/part-%05d.json", i)] = fmt.Sprintf("b:%d-%d", i*10+1, i*10+10)
	}
	if g := assignStores(hours.parts()); len(g.stores) != 1 || g.stores[0].Parts != 2000 ||
		len(g.stores[0].Paths) != mostPaths {
		t.Errorf("%d stores", len(g.stores))
	}
	replicas := laid{}
	for i := range mostTogether {
		replicas[fmt.Sprintf("e/%d/x", i)] = "b:1-20"
	}
	g := assignStores(replicas.parts())
	check.That(t, len(g.stores) == mostTogether, "%d stores", len(g.stores))
}

// TestGiven: the user's prefixes come before everything else.
func TestGiven(t *testing.T) {
	parts, _ := laid{"d/a/1": "b:1-2", "d/a/b/1": "b:1-2", "d/ab/1": "b:1-2", "d/c": "b:1-2"}.parts()
	for name, c := range map[string]struct {
		prefixes []Prefix
		want     string
	}{
		"the longest":          {[]Prefix{{"x", "d/a"}, {"y", "./d/a/b/"}}, "x:d/a/1 y:d/a/b/1"},
		"several under a name": {[]Prefix{{"x", "d/a"}, {"x", "d/c"}}, "x:d/a/1,d/a/b/1,d/c"},
		"a file":               {[]Prefix{{"x", "d/c"}}, "x:d/c"},
		"not within a name":    {[]Prefix{{"x", "d/ab"}}, "x:d/ab/1"},
		"one that has no parts": {[]Prefix{{"x", "d/a"}, {"y", "z"}},
			`no source with events lies at "z", which was to be a store`},
	} {
		g, err := assignGiven(parts, c.prefixes)
		got := fmt.Sprint(err)
		if err == nil {
			var all []string
			for _, s := range g.stores {
				all = append(all, s.Name+":"+strings.Join(s.Paths, ","))
			}
			got = strings.Join(all, " ")
		}
		check.That(t, got == c.want, "%s: %s, want %s", name, got, c.want)
	}
}

// TestFilesOf: the files of containers are listed in order, and none of them if they are too many.
func TestFilesOf(t *testing.T) {
	h := &holdings{}
	var all []int64
	for n := range int64(mostPaths + 1) {
		h.parts = append(h.parts, part{container: n, path: fmt.Sprintf("f%02d", mostPaths-n)})
		all = append(all, n)
	}
	check.Equal(t, strings.Join(h.filesOf([]int64{3, 1, 2}), " "), "f13 f14 f15", "three files")
	check.Equal(t, len(h.filesOf(all[1:])), mostPaths, "as many as are listed")
	check.Equal(t, len(h.filesOf(all)), 0, "one too many")
}
