package crosscheck

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Parts of one store hold different events: of other hours, of other partitions,
// of other nodes. Replicas hold the same. So two parts are of one store if they
// differ in nothing but a date, or if they have less than half of the events of
// the smaller one in common; names say only which of these are tried first. A
// wrong guess hides no alteration: package walk compares all copies of an event.

// cell is parts of one store, as far as is known.
type cell struct {
	name   string // relative to the folder that is looked at
	rule   Rule
	parts  []part
	folder bool // the parts are all that a folder holds

	events int64 // of all parts; one that two parts hold counts twice
	logs   map[facts.Log]int64
}

// folder is a folder of parts.
type folder struct {
	folders map[string]*folder
	files   map[string][]part
}

func newFolder() *folder {
	return &folder{folders: map[string]*folder{}, files: map[string][]part{}}
}

// assigner assigns parts by their common events.
type assigner struct {
	*overlap
	of map[int64]map[*cell]bool // the cells of a container
}

// assignStores assigns parts to stores, folder by folder from the lowest. A container without
// events, such as the wrapping of another, is no part.
func assignStores(all []part, o *overlap) grouping {
	received, parts := separateRequests(all)
	excerpts, parts := o.excerpts(parts)
	root := newFolder()
	for _, p := range parts {
		if o.size[p.container] == 0 {
			continue
		}
		at := root
		names := strings.Split(p.path, "/")
		for _, name := range names[:len(names)-1] {
			if at.folders[name] == nil {
				at.folders[name] = newFolder()
			}
			at = at.folders[name]
		}
		last := names[len(names)-1]
		at.files[last] = append(at.files[last], p)
	}
	above := ""
	for len(root.files) == 0 && len(root.folders) == 1 { // the folders that all have in common
		for name, only := range root.folders {
			above, root = above+name+"/", only
		}
	}
	a := assigner{o, map[int64]map[*cell]bool{}}
	for _, c := range excerpts {
		c.name = strings.TrimPrefix(c.name, above)
	}
	return groupingOf(slices.Concat(a.cells(above, root), excerpts, received))
}

// separateRequests separates the requests from the parts: all of one sender are one store, however
// often it sent the same.
func separateRequests(parts []part) (cells []*cell, files []part) {
	bySender := map[string]*cell{}
	for _, p := range parts {
		if p.sender == "" {
			files = append(files, p)
			continue
		}
		c := bySender[p.sender]
		if c == nil {
			c = &cell{name: p.sender, rule: Received}
			bySender[p.sender] = c
			cells = append(cells, c)
		}
		c.parts = append(c.parts, p)
	}
	return cells, files
}

// cells returns the stores of a folder, which has the folders above it in its
// path.
func (a assigner) cells(above string, f *folder) []*cell {
	var all []*cell
	for _, name := range slices.Sorted(maps.Keys(f.folders)) {
		inner := a.cells(above+name+"/", f.folders[name])
		for _, c := range inner {
			if c.name = name + "/" + c.name; len(inner) == 1 {
				c.name, c.folder = name, true
			}
		}
		all = append(all, inner...)
	}
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		for _, p := range f.files[name] {
			all = append(all, a.newCell(name, p))
		}
	}
	all = a.merge(all, func(name string) string { return withoutDates(above + name) }, true)
	all = a.merge(all, func(name string) string { return withoutNumbers(above + name) }, false)
	all = a.merge(all, func(string) string { return "" }, false)
	return a.sequels(all)
}

// isSearched reports whether a cell is one file that a search in the journals of several logs
// leaves, and the other one is such journals.
func (a assigner) isSearched(c, journals *cell) bool {
	n := c.parts[0].container
	return len(c.parts) == 1 && a.isCovered(n) && a.sparse(n) && !a.isJournal(c.parts[0]) &&
		!slices.ContainsFunc(journals.parts, func(p part) bool { return !a.isJournal(p) })
}

func (a assigner) isJournal(p part) bool {
	_, is := delivery.JournalOf(a.form[p.container], a.logs[p.container])
	return is
}

func (a assigner) newCell(name string, p part) *cell {
	c := &cell{name: name, rule: Single, parts: []part{p}, events: a.size[p.container],
		logs: maps.Clone(a.logs[p.container])}
	a.own(c, p)
	return c
}

func (a assigner) own(c *cell, p part) {
	if a.of[p.container] == nil {
		a.of[p.container] = map[*cell]bool{}
	}
	a.of[p.container][c] = true
}

// mostTried bounds the cells that a cell is compared with.
const mostTried = 256

// merge makes one cell of those whose names are alike once they are reduced, and
// whose parts are not replicas. Where names differ only by date, no more is asked.
func (a assigner) merge(cells []*cell, reduce func(string) string, dated bool) []*cell {
	type kind struct {
		name           string
		journal, loose bool
	}
	alike := map[kind][]*cell{}
	var out []*cell
next:
	for _, c := range cells {
		key := kind{reduce(c.name), c.parts[0].journal, c.parts[0].loose}
		tried := alike[key][:min(len(alike[key]), mostTried)]
		shared := a.sharedBy(c, tried)
		for _, into := range tried {
			replicas := 2*shared[into] >= min(c.events, into.events)
			alone := replicas || key.name == "" && (a.isSearched(c, into) || a.isSearched(into, c))
			if dated || !alone && (key.name != "" || c.folder == into.folder || shareLog(c.logs, into.logs)) {
				a.joinCells(into, c, dated)
				continue next
			}
		}
		alike[key] = append(alike[key], c)
		out = append(out, c)
	}
	return out
}

// sequels joins redeliveries to their store: files whose names differ from others only in
// dates and numbers, that are few in comparison and no larger, are more of the same and no
// replica of all.
func (a assigner) sequels(cells []*cell) []*cell {
	largest := map[string]*cell{}
	for _, c := range cells {
		key := c.shape()
		if l := largest[key]; l == nil || len(c.parts) > len(l.parts) {
			largest[key] = c
		}
	}
	var out []*cell
	for _, c := range cells {
		into := largest[c.shape()]
		few := fewParts*len(c.parts) <= len(into.parts)
		if few && c.events*int64(len(into.parts)) <= 2*into.events*int64(len(c.parts)) {
			a.joinCells(into, c, false)
			continue
		}
		out = append(out, c)
	}
	return out
}

// fewParts is how many times as many parts there must be that are no repetition.
const fewParts = 3

// shape is the path of a part without dates, and without the numbers of the file.
func (c *cell) shape() string {
	folder, name := path.Split(c.parts[0].path)
	for wrapped[name] { // the stream within a file
		folder, name = path.Split(path.Clean(folder))
	}
	return withoutDates(folder) + withoutNumbers(name)
}

var wrapped = map[string]bool{"gzip": true, "zstd": true}

// sharedBy returns how many events a cell has in common with each of some. One
// content under two names has all.
func (a assigner) sharedBy(c *cell, with []*cell) map[*cell]int64 {
	shared, wanted := map[*cell]int64{}, map[*cell]bool{}
	for _, d := range with {
		wanted[d] = true
	}
	count := func(container, n int64) {
		for d := range a.of[container] {
			if wanted[d] {
				shared[d] += n
			}
		}
	}
	for _, p := range c.parts {
		count(p.container, a.size[p.container])
		for other, n := range a.shared[p.container] {
			count(other, n)
		}
	}
	return shared
}

// joinCells moves the parts of a cell into another one.
func (a assigner) joinCells(into, c *cell, dated bool) {
	rule := Disjoint
	if dated && into.rule != Disjoint && c.rule != Disjoint {
		rule = Dated
	}
	into.rule, into.name = rule, commonPattern(into.name, c.name)
	into.parts = append(into.parts, c.parts...)
	into.events += c.events
	maps.Copy(into.logs, c.logs)
	for _, p := range c.parts {
		delete(a.of[p.container], c)
		a.own(into, p)
	}
}

func shareLog(a, b map[facts.Log]int64) bool {
	for log := range a {
		if b[log] > 0 {
			return true
		}
	}
	return false
}

// The patterns by which a name is reduced. Times of day, rotation numbers and compression go
// with dates.
var (
	date = safetext.Pattern(`(19|20)\d\d[-_./]?(0[1-9]|1[0-2])[-_./]?([0-2]\d|3[01])` +
		`([-_./T]?([01]\d|2[0-3])([-_.:]?[0-5]\d([-_.:]?[0-5]\d([.,]\d+)?)?)?)?Z?([-_.]?\d+)?`)
	key  = safetext.Pattern(`(?i)\b(year|month|day|date|dt|hour|hr|minute|y|m|d|h)=[\d*][\d*-]*(/\*)?`)
	tree = safetext.Pattern(`(^|/)(?:19|20)\d\d(?:/(?:\d\d?|\d?\*)){1,4}(/|$)`)
	turn = safetext.Pattern(`(\.\d{1,4})?(\.(gz|zst|bz2|xz|lz4))?$`)
	runs = safetext.Pattern(`[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|[0-9a-fA-F]{16,}|\d+`)
)

// withoutDates returns a name without dates, times and rotation numbers.
func withoutDates(name string) string {
	name = turn().ReplaceAllString(name, "")
	name = tree().ReplaceAllString(name, "$1*$2")
	name = key().ReplaceAllString(name, "*")
	return date().ReplaceAllString(name, "*")
}

// withoutNumbers returns a name without numbers and identifiers.
func withoutNumbers(name string) string { return runs().ReplaceAllString(withoutDates(name), "#") }

// commonPattern returns the common parts of two names, with "*" for the differences.
func commonPattern(a, b string) string {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	if len(x) != len(y) {
		n := 0
		for n < min(len(x), len(y))-1 && x[n] == y[n] {
			n++
		}
		return strings.Join(append(x[:n:n], "*"), "/")
	}
	for i := range x {
		x[i] = commonSegment(x[i], y[i])
	}
	return strings.Join(x, "/")
}

// commonSegment does so for one name in a path.
func commonSegment(a, b string) string {
	if a == b {
		return a
	}
	n, m := 0, 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for m < min(len(a), len(b))-n && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	return strings.TrimRight(a[:n], "*") + "*" + strings.TrimLeft(a[len(a)-m:], "*")
}
