package schemas

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// causesOf returns the innermost causes of an error of the library, which name the
// fault; the library lists them in no fixed order. Alternatives that all fail at one place are one
// violation.
func causesOf(e *jsonschema.ValidationError, document any) (found []Violation) {
	if len(e.Causes) == 0 {
		return violationsAt(e, document)
	}
	for _, cause := range e.Causes {
		found = append(found, causesOf(cause, document)...)
	}
	other := func(v Violation) bool { return v.Pointer != found[0].Pointer }
	if strings.HasSuffix(e.KeywordLocation, "/anyOf") && !slices.ContainsFunc(found, other) {
		joined := func(text func(Violation) string) string {
			var all []string
			for _, v := range found {
				all = append(all, text(v))
			}
			slices.Sort(all)
			return strings.Join(slices.Compact(all), " or ")
		}
		first := found[0]
		first.Message = joined(func(v Violation) string { return v.Message })
		first.Expected = joined(func(v Violation) string { return v.Expected })
		return []Violation{first}
	}
	return found
}

// violationsAt returns the violations of one keyword: one for each member that is missing, and for
// each that is unknown.
func violationsAt(e *jsonschema.ValidationError, document any) (found []Violation) {
	place := pointerOf(e.InstanceLocation)
	schema, keyword := lookUp(e.AbsoluteKeywordLocation)
	value := valueAt(document, e.InstanceLocation)
	members, _ := value.(object)
	switch {
	case keyword == "required" && members != nil:
		for _, name := range schema["required"].([]any) {
			if _, ok := members[name.(string)]; !ok {
				found = append(found, Violation{place, "missing member: " + name.(string), "the member " + name.(string),
					"no such member"})
			}
		}
		return found
	case keyword == "additionalProperties" && schema[keyword] == false && members != nil:
		known, _ := schema["properties"].(object)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if _, ok := known[name]; !ok {
				found = append(found, unknownMember(place, name))
			}
		}
		return found
	}
	v := Violation{Pointer: place, Message: safetext.Phrase(e.Message), Found: describeValue(value)}
	if strings.Contains(e.KeywordLocation, "/propertyNames") {
		v.Found = "the name " + safetext.Excerpt(memberName(lastToken(e.InstanceLocation)), safetext.Value)
	}
	if v.Expected = demandOf(schema, keyword); e.Message == "not allowed" || v.Expected == "" {
		v.Expected = v.Message
	}
	return []Violation{v}
}

// unknownMember is the violation of a member that the schema does not name.
func unknownMember(place, name string) Violation {
	quoted := safetext.Excerpt(name, safetext.Value)
	return Violation{place + "/" + ijson.PointerToken(name), "unknown member: " + quoted,
		"only members that the format names", "the member " + quoted}
}

// pointerOf returns a location without the percent-encoding of the library.
func pointerOf(location string) string {
	if p, err := url.PathUnescape(location); err == nil {
		return p
	}
	return location
}

func lastToken(location string) string { return location[strings.LastIndex(location, "/")+1:] }

// valueAt returns the value of a document at a pointer of the library.
func valueAt(value any, location string) any {
	for _, token := range strings.Split(location, "/")[1:] {
		switch v := value.(type) {
		case object:
			value = v[memberName(token)]
		case []any:
			if i, err := strconv.Atoi(token); err == nil && i < len(v) {
				value = v[i]
			}
		}
	}
	return value
}

// describeValue writes a value as a person is shown it.
func describeValue(value any) string {
	switch v := value.(type) {
	case object:
		return "an object of " + safetext.Count(len(v), "member")
	case []any:
		return "an array of " + safetext.Count(len(v), "element")
	case string:
		return safetext.Excerpt(v, safetext.Value)
	}
	return fmt.Sprint(value)
}

// plainValue converts a value into the types that the library reads.
func plainValue(v *ijson.Value) any {
	switch v.Kind() {
	case ijson.Object:
		members := map[string]any{}
		for _, m := range v.Members() {
			members[m.Name] = plainValue(m.Value)
		}
		return members
	case ijson.Array:
		elements := []any{}
		for _, e := range v.Elements() {
			elements = append(elements, plainValue(e))
		}
		return elements
	case ijson.String:
		return v.Text()
	case ijson.Number:
		return json.Number(v.Raw())
	default:
		return v.Bool()
	}
}
