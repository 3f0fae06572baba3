package crosscheck

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/store"
)

// mostStores is how many stores can be told apart: a bit for each.
const mostStores = 64

// grouping is the sources of a case by the store that they come from.
type grouping struct {
	names []string
	of    map[int64]uint64 // the stores of a source, by number, as bits
}

// group groups the sources that hold events: by the given prefixes of their
// paths or, without any, by the first folder below the deepest one that they
// have in common. If that folder holds nothing but folders, two or more, each of
// those is a store. Sources that lie in the common folder itself are grouped by
// their format. The same content under two paths is in both stores.
func group(sources []store.Source, prefixes []string) (grouping, error) {
	sources = slices.DeleteFunc(slices.Clone(sources), func(s store.Source) bool { return s.Events == 0 })
	shared := len(common(sources))
	shelves := shelves(sources, shared)
	in := func(s store.Source, p string) string { return belowCommon(shared, shelves, s, p) }
	if len(prefixes) > 0 {
		in = func(_ store.Source, p string) string { return longest(prefixes, p) }
	}
	members := map[string][]int64{}
	for _, s := range sources {
		for _, p := range s.Paths {
			if name := in(s, slash(p)); name != "" {
				members[name] = append(members[name], s.Number)
			}
		}
	}
	for _, prefix := range prefixes {
		if len(members[prefix]) == 0 {
			return grouping{}, fmt.Errorf("no source with events lies at %q, which was to be a store", prefix)
		}
	}
	g := grouping{of: map[int64]uint64{}}
	for name := range members {
		g.names = append(g.names, name)
	}
	slices.Sort(g.names)
	if len(g.names) > mostStores {
		return g, fmt.Errorf("the sources make %d stores, of which at most %d can be compared: name those to compare", len(g.names), mostStores)
	}
	for i, name := range g.names {
		for _, number := range members[name] {
			g.of[number] |= 1 << i
		}
	}
	return g, nil
}

func slash(p string) string { return path.Clean(filepath.ToSlash(p)) }

// folders are the folders that a path goes through.
func folders(p string) []string {
	dir := path.Dir(p)
	if dir == "." {
		return nil
	}
	return strings.Split(dir, "/")
}

// common returns the folders that all paths go through.
func common(sources []store.Source) []string {
	var shared []string
	first := true
	for _, s := range sources {
		for _, p := range s.Paths {
			f := folders(slash(p))
			if first {
				shared, first = f, false
				continue
			}
			n := 0
			for n < min(len(shared), len(f)) && shared[n] == f[n] {
				n++
			}
			shared = shared[:n]
		}
	}
	return shared
}

// shelves returns the folders below the common one, of which there are so many,
// that hold nothing but folders, two or more.
func shelves(sources []store.Source, shared int) map[string]bool {
	inside := map[string]map[string]bool{} // what each folder holds; "" stands for a file
	for _, s := range sources {
		for _, p := range s.Paths {
			f := folders(slash(p))
			if len(f) <= shared {
				continue
			}
			if inside[f[shared]] == nil {
				inside[f[shared]] = map[string]bool{}
			}
			inside[f[shared]][strings.Join(f[shared+1:min(len(f), shared+2)], "")] = true
		}
	}
	found := map[string]bool{}
	for folder, in := range inside {
		found[folder] = len(in) > 1 && !in[""]
	}
	return found
}

func belowCommon(shared int, shelves map[string]bool, s store.Source, p string) string {
	f := folders(p)
	switch {
	case len(f) <= shared:
		return "files of format " + s.Format
	case shelves[f[shared]]:
		return f[shared] + "/" + f[shared+1]
	}
	return f[shared]
}

// longest returns the longest prefix that a path has, at the end of a name in
// it; "" if it has none.
func longest(prefixes []string, p string) string {
	found := ""
	for _, prefix := range prefixes {
		clean := slash(prefix)
		if (p == clean || strings.HasPrefix(p, strings.TrimSuffix(clean, "/")+"/")) && len(prefix) > len(found) {
			found = prefix
		}
	}
	return found
}
