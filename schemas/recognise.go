package schemas

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// markers are the members that name the form of a document, the outermost first: its own, or
// the form of the part that is signed.
var markers = [][]string{{"schema"}, {"protocol"}, {"statement", "protocol"}, {"body", "protocol"}}

// index finds the schema of a document by its form or by its members.
type index struct {
	forms    map[string]string          // names of schemas by markers, such as "protocol svc.seal-key.v1"
	members  map[string]map[string]bool // by names of members: the schemas that have it, true if they need it
	required map[string]int             // by names of schemas: how many members they need
}

// indexed returns the index of all schemas.
var indexed = sync.OnceValue(func() *index {
	all := &index{forms: map[string]string{}, members: map[string]map[string]bool{}, required: map[string]int{}}
	for _, name := range Names() {
		id, pointer, _ := strings.Cut(ID(name), "#")
		schema := sources()[id]
		if pointer != "" {
			schema, _ = schema["$defs"].(object)[name].(object)
		}
		members := map[string]bool{}
		collectMembers(members, schema, id, true)
		for member, required := range members {
			if all.members[member] == nil {
				all.members[member] = map[string]bool{}
			}
			all.members[member][name] = required
			if required {
				all.required[name]++
			}
		}
		for _, path := range markers {
			for _, form := range formsOf(schema, path) {
				all.forms[strings.Join(path, "/")+" "+form] = name
			}
		}
	}
	return all
})

// collectMembers adds the members that a schema names, also in its alternatives.
func collectMembers(all map[string]bool, schema object, id string, always bool) {
	properties, _ := schema["properties"].(object)
	for name := range properties {
		if _, known := all[name]; !known {
			all[name] = false
		}
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		all[name.(string)] = all[name.(string)] || always
	}
	if ref, ok := schema["$ref"].(string); ok && strings.HasPrefix(ref, "#") {
		target, keyword := lookUp(id + ref)
		inner, _ := target[keyword].(object)
		collectMembers(all, inner, id, always)
	}
	for _, keyword := range []string{"then", "else"} {
		if inner, ok := schema[keyword].(object); ok {
			collectMembers(all, inner, id, false)
		}
	}
}

// formsOf returns the values that a schema allows for a member that names a form.
func formsOf(schema object, path []string) (forms []string) {
	for _, name := range path {
		properties, _ := schema["properties"].(object)
		schema, _ = properties[name].(object)
	}
	values, _ := schema["enum"].([]any)
	if one, ok := schema["const"]; ok {
		values = append(values, one)
	}
	for _, v := range values {
		if form, ok := v.(string); ok {
			forms = append(forms, form)
		}
	}
	return forms
}

// recogniseSchema returns the name of the schema of a document: by the form that it names or, without one,
// by its members. If there is none, it returns a description of the document.
func recogniseSchema(root *ijson.Value) (name, found string) {
	if root.Kind() != ijson.Object {
		return "", root.Kind().String()
	}
	for _, path := range markers {
		form, ok := textAt(root, path)
		if !ok {
			continue
		}
		if name := indexed().forms[strings.Join(path, "/")+" "+form]; name != "" {
			return name, ""
		}
		if len(path) == 1 {
			return "", "the " + path[0] + " " + safetext.Excerpt(form, safetext.Value)
		}
	}
	return recogniseByMembers(root)
}

// recogniseByMembers returns the schema with which a document shares most members: more than half of
// all members that either has or needs.
func recogniseByMembers(root *ijson.Value) (best, found string) {
	const tooMany = 1000 // more than any document whose members have names of their own
	if n := root.Len(); n > tooMany {
		return "", "an object of " + safetext.Count(n, "member")
	}
	var has []string
	shared, missing := map[string]int{}, maps.Clone(indexed().required)
	for m := range root.All() {
		has = append(has, m.Name())
		for name, required := range indexed().members[m.Name()] {
			if shared[name]++; required {
				missing[name]--
			}
		}
	}
	most, equal := 0.5, false
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		if share := float64(shared[name]) / float64(len(has)+missing[name]); share >= most {
			equal = share == most && best != ""
			best, most = name, share
		}
	}
	if best == "" || equal {
		return "", "an object with the members " + safetext.Phrase(strings.Join(slices.Sorted(slices.Values(has)), ", "))
	}
	return best, ""
}

// textAt returns the text at a path of names.
func textAt(v *ijson.Value, path []string) (string, bool) {
	for _, name := range path {
		var ok bool
		if v, ok = v.Member(name); !ok {
			return "", false
		}
	}
	return v.Text(), v.Kind() == ijson.String
}
