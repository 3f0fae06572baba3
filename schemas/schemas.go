// Package schemas holds a JSON Schema (draft 2020-12) for every document of the
// formats (SPEC 1 to 11, 14 to 18), and checks documents against them. It names every fault of
// a document at once. Whether a document is genuine is not its question.
//
// The schemas serve the boundary: other people's tooling and editors. They cannot express
// everything in the specification, such as the order of a list or the agreement of two parts;
// the strict decoder decides.
//
// A document goes through the strict reader of internal/ijson first, so that a schema never
// sees a duplicate name, null or a number that is not a plain integer. A schema refers to no
// document but those that are embedded: nothing is ever read from a disk or a network.
//
// The library compiles schemas of its own whenever a program begins that links it, which costs
// 4 ms of CPU; those here are compiled when they are needed. Nothing that decides about evidence
// may import this package.
package schemas

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	urnPrefix = "urn:svc-edge:schema:"

	// shared holds the definitions that the other schemas refer to. It is no
	// document's schema, so it is not among the names.
	shared = "common"
)

// versions contains the versions of the schemas that are past the first.
var versions = map[string]string{"case-report": "v2", "walk": "v2"}

// ID returns the id of a document's schema: a URN, with a fragment if the schema has other
// documents too.
func ID(name string) string {
	file := cmp.Or(documents()[name], name)
	id := urnPrefix + file + ":" + cmp.Or(versions[file], "v1")
	if file != name {
		id += "#/$defs/" + name
	}
	return id
}

// Names returns the names of the documents that have a schema, in ascending
// order: "approval", "audit-checkpoint" and so on.
func Names() []string { return slices.Sorted(maps.Keys(documents())) }

// Source returns the text of a schema: the schema of a document that [Names] lists, or
// "common", which holds the definitions that the others refer to.
func Source(name string) ([]byte, error) {
	text, ok := files()[cmp.Or(documents()[name], name)]
	if !ok {
		return nil, fmt.Errorf("schemas: there is no schema named %q", name)
	}
	var b bytes.Buffer
	err := json.Indent(&b, text, "", "  ")
	return append(b.Bytes(), '\n'), err
}

// ByID returns the text of the schema that has this id.
func ByID(id string) ([]byte, error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(id, urnPrefix), ":")
	if id != ID(name) {
		return nil, fmt.Errorf("schemas: %q is not an embedded schema", id)
	}
	return Source(name)
}
