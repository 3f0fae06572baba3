// Package schemas holds a JSON Schema (draft 2020-12) for every document of the
// formats (SPEC 1 to 11, 14 to 18). It validates documents against them, too.
//
// The schemas serve the boundary: other people's tooling, editors, and early
// messages that name every fault of a document at once. They cannot say
// everything that the specification says, such as the order of a list or the
// agreement of two parts; the strict decoder decides.
//
// A document goes through the strict reader of internal/ijson first, so that
// a schema never sees a duplicate name, null or a number that is not a plain
// integer. A schema refers to no document but those that are embedded here:
// nothing is ever read from a disk or a network.
package schemas

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

const (
	urnPrefix = "urn:svc-edge:schema:"

	// shared holds the definitions that the other schemas refer to. It is no
	// document's schema, so it is not among the names.
	shared = "common"
)

// versions are those of the documents that are past the first.
var versions = map[string]string{"case-report": "v2", "crosscheck": "v2", "findings": "v2", "gaps": "v2",
	"show": "v2", "walk": "v2"}

// urn is the id of a document's schema.
func urn(name string) string { return urnPrefix + name + ":" + cmp.Or(versions[name], "v1") }

// Names returns the names of the documents that have a schema, in ascending
// order: "approval", "audit-checkpoint" and so on.
func Names() []string {
	var names []string
	for name := range files() {
		if name != shared {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Source returns the text of a schema: that of a document that [Names] lists,
// or "common", which holds the definitions that the others refer to.
func Source(name string) ([]byte, error) {
	text, ok := files()[name]
	if !ok {
		return nil, fmt.Errorf("schemas: there is no schema named %q", name)
	}
	return []byte(text), nil
}

// compiled holds the schema of every document, ready for use by any number of
// goroutines. It is made at the first use.
var compiled = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	c := newCompiler()
	all := map[string]*jsonschema.Schema{}
	for _, name := range Names() {
		s, err := c.Compile(urn(name))
		if err != nil {
			return nil, fmt.Errorf("schemas: %w", err)
		}
		all[name] = s
	}
	return all, nil
})

func newCompiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.AssertFormat = true // the formats of times: a pattern cannot tell 30 February
	c.LoadURL = load
	return c
}

// load serves the embedded schemas by their ids and refuses every other
// address. The library's own loader would read local files.
func load(url string) (io.ReadCloser, error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(url, urnPrefix), ":")
	if url != urn(name) {
		return nil, fmt.Errorf("schemas: %q is not an embedded schema", url)
	}
	text, err := Source(name)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(strings.NewReader(string(text))), nil
}
