package messy

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/tamper"
)

// Source is the evidence of a fleet that collections are made of.
type Source struct {
	genuine *fleet.Evidence
	played  map[string]*fleet.Evidence // after a script of package tamper, by its name
}

// From returns the evidence as a source of collections.
func From(e *fleet.Evidence) *Source { return &Source{e, map[string]*fleet.Evidence{}} }

// evidenceAfter returns the evidence after a script of package tamper.
func (s *Source) evidenceAfter(name string) *fleet.Evidence {
	if s.played[name] == nil {
		script, _ := tamper.Lookup(name)
		e, _, err := script.Apply(s.genuine)
		s.played[name] = seal.Must(e, err)
	}
	return s.played[name]
}

// Collection is files by path, with slashes, and the acts that changed them.
type Collection struct {
	Seed  uint64
	Did   []string
	Files map[string][]byte
	Trust []byte // the trust file

	source *Source
	wentOn bool // after the evidence as it was
	draw   *chance.Stream
	proofs [][]byte
}

// act is one thing that happens to a collection.
type act struct {
	name string
	do   func(*Collection)
}

// acts are everything that can happen: later activity, ways of copying, and what others do
// with the copies.
var acts = slices.Concat(laterActs, hidingActs, fileActs, textActs, proofActs)

// actTime returns at which of these times an act happens.
func actTime(act int) int {
	switch {
	case act < len(laterActs):
		return 0
	case act < len(laterActs)+len(hidingActs):
		return 1
	}
	return 2
}

// Acts returns the names of all acts.
func Acts() []string {
	var names []string
	for _, a := range acts {
		names = append(names, a.name)
	}
	return names
}

// stores are the dumps that a collection can have, one or none: a line is a record.
var stores = []string{"", "stores/loki/query.jsonl", "stores/clickhouse/otel_logs.jsonl", "stores/kafka/raw.jsonl",
	"stores/elasticsearch/bulk.jsonl", "stores/collector/json"}

// Make draws a collection.
func (s *Source) Make(seed uint64) *Collection {
	c := s.beginWith(s.genuine, seed)
	var drawn []int
	for range 1 + c.draw.Below(4) {
		drawn = append(drawn, c.draw.Below(len(acts)))
	}
	slices.SortStableFunc(drawn, func(i, j int) int { return actTime(i) - actTime(j) })
	for _, i := range drawn {
		c.playAct(acts[i])
	}
	return c
}

// Only makes a collection in which one thing happened.
func (s *Source) Only(name string, seed uint64) *Collection {
	c := s.beginWith(s.genuine, seed)
	c.playAct(acts[slices.IndexFunc(acts, func(a act) bool { return a.name == name })])
	return c
}

// given lists the paths in a collection, besides a store.
var given = []string{"tenant.ndjson", "journals", "bundles", "checkpoints.ndjson", "cursors"}

// beginWith returns evidence as it was, with one store or none.
func (s *Source) beginWith(e *fleet.Evidence, seed uint64) *Collection {
	c := &Collection{Seed: seed, Files: map[string][]byte{}, source: s, draw: chance.New(seed).Stream("messy"),
		Trust: seal.Must(e.Content(fleet.TrustFile))}
	names := e.Names(given...)
	if store := stores[c.draw.Below(len(stores))]; store != "" {
		names = append(names, e.Names(store)...)
	}
	for _, name := range names {
		content := seal.Must(e.Content(name))
		c.Files[name] = content
		if strings.HasPrefix(name, "bundles/") {
			c.proofs = append(c.proofs, content)
		}
	}
	return c
}

func (c *Collection) playAct(a act) {
	c.Did = append(c.Did, a.name)
	a.do(c)
}

// Names returns the paths of the files, ascending.
func (c *Collection) Names() []string { return slices.Sorted(maps.Keys(c.Files)) }

// pickOne draws one of some things.
func pickOne[T any](c *Collection, of []T) T { return of[c.draw.Below(len(of))] }

// wholeLogs returns the logs that their owners wrote and that are still one file.
func (c *Collection) wholeLogs() []string {
	return slices.DeleteFunc(c.Names(), func(name string) bool {
		return name != "tenant.ndjson" && (path.Dir(name) != "journals" || path.Ext(name) != ".ndjson" ||
			strings.Contains(path.Base(name), "part"))
	})
}

// lineFiles returns the files with one record a line that were not made by an act.
func (c *Collection) lineFiles() []string {
	return slices.DeleteFunc(append(c.wholeLogs(), c.Names()...), func(name string) bool {
		return !slices.Contains(c.wholeLogs(), name) && !slices.Contains(stores, name)
	})
}

// addFile adds a file under a name that nothing has.
func (c *Collection) addFile(name string, content []byte) {
	if _, taken := c.Files[name]; taken {
		name = path.Join(path.Dir(name), fmt.Sprintf("%d-%s", len(c.Files), path.Base(name)))
	}
	c.Files[name] = content
}

func linesOf(content []byte) [][]byte {
	return slices.DeleteFunc(bytes.SplitAfter(content, []byte("\n")), func(l []byte) bool { return len(l) == 0 })
}

func joinLines(lines ...[]byte) []byte { return bytes.Join(lines, nil) }
