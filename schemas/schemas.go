// Package schemas holds a JSON Schema (draft 2020-12) for every document of the
// formats (SPEC 1 to 11, 14 to 18). Package validate applies them.
//
// The schemas serve the boundary: other people's tooling and editors. They cannot say
// everything that the specification says, such as the order of a list or the
// agreement of two parts; the strict decoder decides.
package schemas

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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

// ID returns the id of a document's schema, a URN.
func ID(name string) string { return urnPrefix + name + ":" + cmp.Or(versions[name], "v1") }

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

// ByID returns the text of the schema that has this id.
func ByID(id string) ([]byte, error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(id, urnPrefix), ":")
	if id != ID(name) {
		return nil, fmt.Errorf("schemas: %q is not an embedded schema", id)
	}
	return Source(name)
}
