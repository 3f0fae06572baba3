package crosscheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
)

// laid is a layout of evidence: for each path which events it holds, as ranges of
// sequences of logs: "b:1-20,o:3". A leading "j " marks a journal.
type laid map[string]string

// parts returns the parts of a layout and what they have in common. Paths that
// hold the same under "=PATH" are one source.
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
	for at, containers := range events {
		slices.Sort(containers)
		o.add(at[0], slices.Compact(containers), 1)
	}
	return parts, o
}

// stores writes the stores of a layout: name, rule and paths.
func (l laid) stores() string {
	g := assign(l.parts())
	var all []string
	for _, s := range g.stores {
		all = append(all, fmt.Sprintf("%s %s %s", s.Name, s.Rule, strings.Join(s.Paths, " ")))
	}
	return strings.Join(all, "\n")
}

// TestAssign: parts of one store are one store, and replicas are several, however
// they are laid out.
func TestAssign(t *testing.T) {
	for name, c := range map[string]struct {
		laid laid
		want string
	}{
		"one file": {laid{"e/a": "b:1-20"}, "a single e/a"},
		"a store a folder": {laid{"e/loki/x": "b:1-20", "e/s3/y": "b:1-20"},
			"loki single e/loki/x\ns3 single e/s3/y"},
		"a store a file": {laid{"e/loki.json": "b:1-20", "e/s3.json": "b:1-20"},
			"loki.json single e/loki.json\ns3.json single e/s3.json"},
		"journals beside stores": {laid{"e/journals/b": "j b:1-20", "e/journals/o": "j o:1-20",
			"e/stores/loki/x": "b:1-20,o:1-20", "e/stores/s3/y": "b:1-20"},
			"journals disjoint e/journals/b e/journals/o\nstores/loki single e/stores/loki/x\nstores/s3 single e/stores/s3/y"},
		"the tenant log beside journals": {laid{"e/tenant.ndjson": "j t:1-20", "e/journals/b": "j b:1-20",
			"e/journals/o": "j o:1-20"},
			"journals disjoint e/journals/b e/journals/o\ntenant.ndjson single e/tenant.ndjson"},
		"load-balanced collectors": {laid{"e/collector-a/x": "b:1-40/2", "e/collector-b/x": "b:2-40/2"},
			"collector-* disjoint e/collector-a/x e/collector-b/x"},
		"load-balanced, some sent twice": {laid{"e/a/x": "b:1-40/2,b:10-14", "e/b/x": "b:2-40/2"},
			"* disjoint e/a/x e/b/x"},
		"partitions of a topic": {laid{"e/events-0.json": "b:1-30/3", "e/events-1.json": "b:2-30/3",
			"e/events-2.json": "b:3-30/3"},
			"events-*.json disjoint e/events-0.json e/events-1.json e/events-2.json"},
		"a folder a day": {laid{"e/2026-03-01/x": "b:1-20", "e/2026-03-02/x": "b:21-40", "e/2026-03-03/x": "b:41-60"},
			"2026-03-0* dated e/2026-03-01/x e/2026-03-02/x e/2026-03-03/x"},
		"a folder a day and an hour": {laid{"e/2026/03/01/23/x": "b:1-20", "e/2026/03/02/00/x": "b:21-40",
			"e/2026/03/02/01/x": "b:41-60"},
			"0* dated e/2026/03/01/23/x e/2026/03/02/00/x e/2026/03/02/01/x"},
		"a retry after midnight": {laid{"e/2026-03-01/x": "b:1-20", "e/2026-03-02/x": "b:18-20"},
			"2026-03-0* dated e/2026-03-01/x e/2026-03-02/x"},
		"keys of partitions": {laid{"e/year=2026/month=03/day=01/x": "b:1-20", "e/year=2026/month=03/day=02/x": "b:21-40"},
			"day=0* dated e/year=2026/month=03/day=01/x e/year=2026/month=03/day=02/x"},
		"rotated files": {laid{"e/a.log": "b:41-60", "e/a.log.1": "b:21-40", "e/a.log.2.gz": "b:1-20"},
			"a.log* dated e/a.log e/a.log.1 e/a.log.2.gz"},
		"a day, and in it a folder a store": {laid{"e/2026-03-01/loki/x": "b:1-20", "e/2026-03-01/s3/y": "b:1-20",
			"e/2026-03-02/loki/x": "b:21-40", "e/2026-03-02/s3/y": "b:21-40"},
			"2026-03-0*/loki dated e/2026-03-01/loki/x e/2026-03-02/loki/x\n2026-03-0*/s3 dated e/2026-03-01/s3/y " +
				"e/2026-03-02/s3/y"},
		"a store, and in it a folder a day": {laid{"e/loki/2026-03-01/x": "b:1-20", "e/loki/2026-03-02/x": "b:21-40",
			"e/s3/2026-03-01/x": "b:1-20", "e/s3/2026-03-02/x": "b:21-40"},
			"loki dated e/loki/2026-03-01/x e/loki/2026-03-02/x\ns3 dated e/s3/2026-03-01/x e/s3/2026-03-02/x"},
		"two stores in one folder, a file an hour": {laid{"e/loki-01.json": "b:1-20", "e/loki-02.json": "b:21-40",
			"e/s3-01.json": "b:1-20", "e/s3-02.json": "b:21-40"},
			"loki-0*.json disjoint e/loki-01.json e/loki-02.json\ns3-0*.json disjoint e/s3-01.json e/s3-02.json"},
		"numbered replicas": {laid{"e/copy-1/x": "b:1-20", "e/copy-2/x": "b:1-20"},
			"copy-1 single e/copy-1/x\ncopy-2 single e/copy-2/x"},
		"a replica that lost much": {laid{"e/a/x": "b:1-40", "e/b/x": "b:1-4,b:30-40"},
			"a single e/a/x\nb single e/b/x"},
		"a subset by retention": {laid{"e/a/x": "b:1-40", "e/b/x": "b:31-40"},
			"a single e/a/x\nb single e/b/x"},
		"an older copy beside a newer one": {laid{"e/old/b": "j b:1-30", "e/new/b": "j b:1-40"},
			"new single e/new/b\nold single e/old/b"},
		"one content under two names": {laid{"e/a/x": "b:1-20", "e/b/x": "=e/a/x"},
			"a single e/a/x\nb single e/b/x"},
		"a file in an archive": {laid{"e/dump.tar/loki/x": "b:1-20", "e/dump.tar/s3/y": "b:1-20"},
			"loki single e/dump.tar/loki/x\ns3 single e/dump.tar/s3/y"},
		"a journal in two halves": {laid{"e/b-1.ndjson": "j b:1-20", "e/b-2.ndjson": "j b:21-40"},
			"b-*.ndjson disjoint e/b-1.ndjson e/b-2.ndjson"},
		"days of hours, of which one has a single hour": {laid{"e/2026/03/01/22/x": "b:1-10", "e/2026/03/01/23/x": "b:11-20",
			"e/2026/03/02/00/x": "b:8-9,b:21-22"},
			"0* dated e/2026/03/01/22/x e/2026/03/01/23/x e/2026/03/02/00/x"},
		"keys of hours, of which one has only what was sent again": {laid{"e/day=01/hour=22/x": "b:1-10",
			"e/day=01/hour=23/x": "b:11-20", "e/day=02/hour=00/x": "b:8-9"},
			"day=0* dated e/day=01/hour=22/x e/day=01/hour=23/x e/day=02/hour=00/x"},
		"rotated files of an hour, of which one has only what was sent again": {laid{
			"e/x-2026-03-01T22-000000.json": "b:1-10", "e/x-2026-03-01T22-000001.json": "b:11-20",
			"e/x-2026-03-01T23-000003.json": "b:8-9"},
			"x-2026-03-01T2*.json dated e/x-2026-03-01T22-000000.json e/x-2026-03-01T22-000001.json " +
				"e/x-2026-03-01T23-000003.json"},
		"numbered files, of which one has only what was sent again": {laid{"e/x-0.json": "b:1-10", "e/x-1.json": "b:11-20",
			"e/x-2.json": "b:9-12", "e/x-3.json": "b:21-30"},
			"x-*.json disjoint e/x-0.json e/x-1.json e/x-3.json e/x-2.json"},
		"numbered files, of which one is a replica of the others": {laid{"e/x-0.json": "b:1-10", "e/x-1.json": "b:11-20",
			"e/x-2.json": "b:1-30", "e/x-3.json": "b:21-30"},
			"x-*.json disjoint e/x-0.json e/x-1.json e/x-3.json\nx-2.json single e/x-2.json"},
		"numbered folders, of which one has little": {laid{"e/copy-1/x-0": "b:1-10", "e/copy-1/x-1": "b:11-20",
			"e/copy-1/x-2": "b:21-30", "e/copy-2/x-0": "b:9-12"},
			"copy-1 disjoint e/copy-1/x-0 e/copy-1/x-1 e/copy-1/x-2\ncopy-2 single e/copy-2/x-0"},
		"an object sent twice at once": {laid{"e/2026/03/01/x-1.gz/gzip": "b:1-2", "e/2026/03/01/x-2.gz/gzip": "b:3-4",
			"e/2026/03/01/x-3.gz/gzip": "b:5-6", "e/2026/03/02/x-4.gz/gzip": "b:7-8", "e/2026/03/02/x-5.gz/gzip": "b:7-8"},
			"* disjoint e/2026/03/01/x-1.gz/gzip e/2026/03/01/x-2.gz/gzip e/2026/03/01/x-3.gz/gzip e/2026/03/02/x-4.gz/gzip " +
				"e/2026/03/02/x-5.gz/gzip"},
		"the wrapping of objects": {laid{"e/1.gz": "b:2-1", "e/1.gz/gzip": "b:1-10", "e/2.gz": "b:2-1",
			"e/2.gz/gzip": "b:11-20"},
			"*.gz disjoint e/1.gz/gzip e/2.gz/gzip"},
		"a journal is no part of an export": {laid{"e/x1": "j b:1-20", "e/x2": "b:21-40"},
			"x1 single e/x1\nx2 single e/x2"},
	} {
		got := c.laid.stores()
		check.That(t, got == c.want, "%s:\n%s\nwant\n%s", name, got, c.want)
	}
}

// TestAssignManyParts: a great number of parts takes work in proportion, and more
// replicas than can be compared are said.
func TestAssignManyParts(t *testing.T) {
	hours := laid{}
	for i := range 2000 {
		hours[fmt.Sprintf("e/part-%05d.json", i)] = fmt.Sprintf("b:%d-%d", i*10+1, i*10+10)
	}
	if g := assign(hours.parts()); len(g.stores) != 1 || g.stores[0].Parts != 2000 || len(g.stores[0].Paths) != mostPaths {
		t.Errorf("%d stores", len(g.stores))
	}
	replicas := laid{}
	for i := range mostTogether {
		replicas[fmt.Sprintf("e/%d/x", i)] = "b:1-20"
	}
	if g := assign(replicas.parts()); len(g.stores) != mostTogether {
		t.Errorf("%d stores", len(g.stores))
	}
}

// TestGiven: what the user says goes before everything else.
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
		g, err := given(parts, c.prefixes)
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
