package conclude_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/layout"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// scene is evidence to try.
type scene struct {
	name string
	lay  func(t *testing.T, dir string) *laid
}

// laid is evidence in a folder.
type laid struct {
	root  *trust.Root
	paths []string        // that are given
	again *fleet.Evidence // written over it and given again; may be nil
	given []string
	unit  int  // the limit of a record; 0 for the usual one
	cut   bool // a plan of many shares has to cut one of the files
	asked examine.Options
}

// scenes are all scenes, in order.
func scenes(t *testing.T) []scene {
	all, seen := asked(), map[string]bool{}
	for _, x := range cases.Exams() {
		if made := x.Scene + x.Script; seen[made] && !x.Before {
			continue // anything else that an investigator is given makes no other part
		} else {
			seen[made] = true
		}
		all = append(all, scene{x.String(), func(t *testing.T, dir string) *laid { return lay(t, x, dir) }})
	}
	e := cases.Evidence(t, fleet.Scene)
	layouts := must.Get(layout.All(e))(t)
	for _, l := range layouts {
		all = append(all, scene{"layout " + l.Name, func(t *testing.T, dir string) *laid {
			laidOut := e.Clone()
			laidOut.Files = l.Files
			must.Do(t, laidOut.Write(dir))
			return &laid{root: cases.Root(t, e), paths: []string{dir}}
		}})
	}
	return all
}

// handouts are a journal in every twelfth form in which products hand it out.
func handouts(t *testing.T) (all []scene) {
	t.Helper()
	handed := must.Get(cases.Handouts())(t)
	for i, h := range handed {
		if i%12 != 0 {
			continue
		}
		all = append(all, scene{h.Name, func(t *testing.T, dir string) *laid { return hand(t, h, dir) }})
	}
	return all
}

// hand writes the files that a product hands out.
func hand(t *testing.T, h cases.Handed, dir string) *laid {
	t.Helper()
	e := &fleet.Evidence{Files: map[string]fleet.File{"cursors.ndjson": fleet.Bytes(h.Cursor)}}
	for name, content := range h.Files {
		e.Files["handed/"+name] = fleet.Bytes(content)
	}
	must.Do(t, e.Write(dir))
	return &laid{root: h.Root, paths: []string{filepath.Join(dir, "cursors.ndjson"), filepath.Join(dir, "handed")}}
}

// asked are the scenes in which the user says something of the evidence.
func asked() []scene {
	return []scene{
		{"named stores", func(t *testing.T, dir string) *laid {
			l := lay(t, cases.Exams()[0], dir)
			for _, name := range []string{"loki", "collector"} {
				at := filepath.Join(dir, "stores", name)
				l.asked.Stores = append(l.asked.Stores, crosscheck.Prefix{Name: "the " + name, Path: at})
			}
			return l
		}},
		{"collected logs", func(t *testing.T, dir string) *laid {
			l := lay(t, cases.Exam{Scene: fleet.Scene, Script: "remove-journal", Given: cases.Exams()[0].Given[:5]}, dir)
			for node := range cases.Evidence(t, fleet.Scene).Scene.Journals {
				l.asked.Collected = append(l.asked.Collected, crosscheck.Collected{LogID: "node/" + node})
			}
			slices.SortFunc(l.asked.Collected, func(a, b crosscheck.Collected) int { return strings.Compare(a.LogID, b.LogID) })
			return l
		}},
	}
}

// lay writes the given files of an exam's evidence.
func lay(t *testing.T, x cases.Exam, dir string) *laid {
	t.Helper()
	usual := cases.Evidence(t, x.Scene)
	e := usual
	if x.Script != "" {
		s, _ := tamper.Lookup(x.Script)
		var err error
		if e, _, err = s.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	l := &laid{root: cases.Root(t, e), given: x.Given}
	if x.Script == "huge-line" {
		l.unit = cases.LongestUnit
	}
	for _, name := range x.Given {
		if len(e.Names(name)) > 0 || len(usual.Names(name)) > 0 {
			l.paths = append(l.paths, filepath.Join(dir, filepath.FromSlash(name)))
		}
	}
	first := e
	if x.Before && !grown(t, usual, e, x.Given) {
		first, l.again = usual, e
	}
	if len(l.paths) > 0 {
		l.write(t, dir, first)
	}
	return l
}

// grown reports whether a file continues where it ended before. A case forgets its earlier
// content of such a file; parts of two moments have both contents.
func grown(t *testing.T, before, now *fleet.Evidence, given []string) bool {
	t.Helper()
	return slices.ContainsFunc(before.Names(given...), func(name string) bool {
		old := must.Get(before.Content(name))(t)
		content, err := now.Content(name)
		return err == nil && len(content) > len(old) && bytes.HasPrefix(content, old)
	})
}

func (l *laid) write(t *testing.T, dir string, e *fleet.Evidence) {
	t.Helper()
	must.Do(t, e.Write(dir, l.given...))
}

// how is how evidence is read. Only one script needs another limit of a record than
// usual, which no plan has.
func (l *laid) how() ingest.Options {
	return ingest.Options{Workers: 1, Read: read.Options{Limits: read.Limits{Unit: l.unit}}}
}

// answer returns one machine's answer on the evidence, and the evidence in shares: as one, and
// divided in each of the ways that needs no plan.
func answer(t *testing.T, l *laid, dir string, ways ...way) ([]byte, []division) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.db")
	pour(t, path, l)
	divisions := divide(t, l, "", ways)
	if l.again != nil {
		l.write(t, dir, l.again)
		pour(t, path, l)
		for i, more := range divide(t, l, "again ", ways) {
			divisions[i].atoms = append(divisions[i].atoms, more.atoms...)
		}
		divisions[0].atoms = []atom{merged(t, divisions[0].atoms)}
	}
	return examined(t, path, l), divisions
}

// examined returns one machine's answer on a case.
func examined(t *testing.T, path string, l *laid) []byte {
	t.Helper()
	result := must.Get(examine.Examine(t.Context(), path, l.root, l.asked))(t)
	return written(t, result)
}

// pour ingests the given paths into the case of a file.
func pour(t *testing.T, file string, l *laid) {
	t.Helper()
	w := must.Get(store.OpenWrite(file))(t)
	must.Get(ingest.Paths(t.Context(), w, l.paths, l.how(), nil))(t)
	must.Do(t, w.Close())
}

func written(t testing.TB, result any) []byte {
	t.Helper()
	return must.Get(json.MarshalIndent(result, "", " "))(t)
}
