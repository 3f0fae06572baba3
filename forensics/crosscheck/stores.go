package crosscheck

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
)

// Prefix assigns the sources at or below a path to a store.
type Prefix struct {
	Name string // of the store; several prefixes can have one name
	Path string
}

// part is an element of a store: a file, or a file in an archive.
type part struct {
	container int64
	path      string // with slashes, after the path of the archive
	journal   bool   // in the format of a journal, and not as a store exports it
	loose     bool   // text of no known form, in which events stand
	sender    string // of a request that was received, and "" for a file
}

// grouping is the containers of a case by the store that they come from.
type grouping struct {
	stores []Store
	of     map[int64]storeSet // the stores of a container
	own    *journals          // that the containers are, if stores are not given
}

// partsOf returns the parts that hold events, by path. A source with several
// paths is a part at each.
func partsOf(sources []facts.Source, containers []evidence.SourceContainer) []part {
	bySource := map[int64]facts.Source{}
	for _, s := range sources {
		bySource[s.Number] = s
	}
	var parts []part
	for _, c := range containers {
		s := bySource[c.Source]
		if s.Events == 0 {
			continue
		}
		inner := ""
		if c.Path != "" {
			inner = "/" + strings.ReplaceAll(c.Path, "!", "/")
		}
		for _, p := range s.Paths {
			one := part{container: c.Container, path: slashPath(p) + inner, journal: c.Format == string(read.Journal),
				loose: delivery.IsLoose(c.Format)}
			if s.Format == string(read.HTTPRequests) && strings.HasPrefix(p, "receive:") {
				one.sender = path.Dir(slashPath(p)) // the last element is the time of arrival
			}
			parts = append(parts, one)
		}
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(strings.Compare(a.path, b.path), cmp.Compare(a.container, b.container))
	})
	return parts
}

func slashPath(p string) string { return path.Clean(filepath.ToSlash(p)) }

// readContainers reads the parts of the case, and assigns them to the stores that are given,
// if any.
func (h *holdings) readContainers(ctx context.Context, sources []facts.Source, prefixes []Prefix) error {
	containers, err := h.in.Containers(ctx)
	if err != nil {
		return err
	}
	h.parts, h.containers = partsOf(sources, containers), containers
	if err := h.readPartial(ctx); err != nil {
		return err
	}
	if len(prefixes) > 0 {
		h.given = true
		h.stores, err = assignGiven(h.parts, prefixes)
	}
	return err
}

// group assigns the parts of the case to stores, unless stores are given: by the names of the
// parts and by their common events. Parts that hold no event are in no store.
func (h *holdings) group(o *overlap) {
	h.overlap = o
	if !h.given {
		h.stores = assignStores(h.parts, o)
		h.stores.own = journalsOf(h.parts, h.containers, o)
	}
	h.held = h.stores.of
	h.result.Stores = append(h.result.Stores, h.stores.stores...)
	h.readings = make([]reading, len(h.stores.stores))
	h.consist = make([][]int64, len(h.stores.stores))
	h.heldBack = make([]heldBack, len(h.stores.stores))
	for _, c := range h.containers {
		for i := range h.held[c.Container].all() {
			h.consist[i] = append(h.consist[i], c.Container)
		}
	}
	for i := range h.readings {
		h.fileSets = append(h.fileSets, h.fileSetOf(h.consist[i]))
		h.readings[i] = h.readingOf(h.consist[i])
	}
}

// assignGiven assigns the parts by the longest prefix of their path.
func assignGiven(parts []part, prefixes []Prefix) (grouping, error) {
	cells := map[string]*cell{}
	used := map[string]bool{}
	for _, p := range parts {
		if prefix, ok := longestPrefix(prefixes, p.path); ok {
			used[prefix.Path] = true
			if cells[prefix.Name] == nil {
				cells[prefix.Name] = &cell{name: prefix.Name, rule: Given}
			}
			cells[prefix.Name].parts = append(cells[prefix.Name].parts, p)
		}
	}
	for _, prefix := range prefixes {
		if !used[prefix.Path] {
			return grouping{}, fmt.Errorf("no source with events lies at %q, which was to be a store", prefix.Path)
		}
	}
	var all []*cell
	for _, one := range cells {
		all = append(all, one)
	}
	return groupingOf(all), nil
}

// longestPrefix returns the prefix with the longest path that a path has, at the end of
// a name in it.
func longestPrefix(prefixes []Prefix, p string) (found Prefix, ok bool) {
	for _, prefix := range prefixes {
		clean := slashPath(prefix.Path)
		within := p == clean || strings.HasPrefix(p, strings.TrimSuffix(clean, "/")+"/")
		if within && (!ok || len(clean) > len(slashPath(found.Path))) {
			found, ok = prefix, true
		}
	}
	return found, ok
}

// groupingOf numbers the stores by name.
func groupingOf(cells []*cell) grouping {
	g := grouping{of: map[int64]storeSet{}}
	slices.SortFunc(cells, func(a, b *cell) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.parts[0].path, b.parts[0].path))
	})
	taken := map[string]int{}
	for i, one := range cells {
		taken[one.name]++
		if n := taken[one.name]; n > 1 {
			one.name += fmt.Sprintf(" (%d)", n)
		}
		s := Store{Name: one.name, Rule: one.rule, Parts: len(one.parts), Paths: []string{}}
		for _, p := range one.parts {
			g.of[p.container] = g.of[p.container].union(setOf(i))
			if len(s.Paths) < mostPaths {
				s.Paths = append(s.Paths, p.path)
			}
		}
		g.stores = append(g.stores, s)
	}
	return g
}

// filesOf returns the paths of containers, ascending, or nothing if they are too many to list.
func (h *holdings) filesOf(containers []int64) []string {
	if h.files == nil {
		h.files = map[int64][]string{}
		for _, p := range h.parts {
			h.files[p.container] = append(h.files[p.container], p.path)
		}
	}
	paths := []string{}
	for _, c := range containers {
		if paths = append(paths, h.files[c]...); len(paths) > mostPaths {
			return []string{}
		}
	}
	slices.Sort(paths)
	return paths
}

// mostPaths bounds the paths of one store that are listed.
const mostPaths = 16
