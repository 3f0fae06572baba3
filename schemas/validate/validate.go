// Package validate holds documents against the schemas of package schemas. It names every
// fault of a document at once, and decides no verdict.
//
// A document goes through the strict reader of internal/ijson first, so that a schema never
// sees a duplicate name, null or a number that is not a plain integer. A schema refers to no
// document but those that are embedded: nothing is ever read from a disk or a network.
//
// It is a package of its own since the library compiles schemas of its own whenever a
// program begins that links it: a fifth of the time in which svc-verify checks one proof.
package validate

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// maxValues bounds the values of a document, and with them the violations that a
// hostile one can cause: each takes a few hundred bytes. The usual bundle has
// about 500 values.
const maxValues = 1 << 18

// Violation is one way in which a document departs from its schema.
type Violation struct {
	// Pointer is the RFC 6901 pointer of the value concerned, "" for the
	// whole document. It may hold names out of the document: quote it before
	// it is shown.
	Pointer string
	// Message says what was expected and found. Text from the document in it
	// is safe to show, and cut.
	Message string
}

// Document returns everything in which doc departs from the schema of that
// name, sorted by pointer and message, and nothing if it conforms. A document
// that is not strict I-JSON (SPEC 1.1) has one violation. The error says that
// no answer could be found: no such schema, or a document above the limits.
func Document(name string, doc []byte) ([]Violation, error) {
	all, err := compiled()
	if err != nil {
		return nil, err
	}
	schema, ok := all[name]
	if !ok {
		return nil, fmt.Errorf("validate: there is no schema for a document %q", name)
	}
	if len(doc) > form.MaxBundle {
		return nil, fmt.Errorf("validate: the document has %d bytes; at most %d are examined", len(doc), form.MaxBundle)
	}
	root, fault := ijson.Parse(doc)
	if fault != nil {
		return []Violation{{fault.Path, safetext.Phrase(fault.Error())}}, nil
	}
	if n := root.Count(); n > maxValues {
		return nil, fmt.Errorf("validate: the document has %d values; at most %d are examined", n, maxValues)
	}
	return violationsOf(schema, plain(root))
}

// Conforms fails a test for each way in which doc departs from the schema of that name. The
// label names the document.
func Conforms(t check.T, name string, doc []byte, label string, args ...any) {
	t.Helper()
	violations, err := Document(name, doc)
	check.OK(t, err, label, args...)
	for _, v := range violations {
		t.Errorf("%s is no %s: %s: %s", fmt.Sprintf(label, args...), name, v.Pointer, v.Message)
	}
}

// violationsOf applies a compiled schema. The library has crashed on numbers that the
// strict reader refuses; should it crash on anything else, that is an error and
// not the end of the program.
func violationsOf(schema *jsonschema.Schema, v any) (found []Violation, err error) {
	defer func() {
		if r := recover(); r != nil {
			found, err = nil, fmt.Errorf("validate: validation failed: %v", r)
		}
	}()
	err = schema.Validate(v)
	var invalid *jsonschema.ValidationError
	if err == nil || !errors.As(err, &invalid) {
		return nil, err
	}
	found = leaves(invalid, nil)
	slices.SortFunc(found, func(a, b Violation) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Message, b.Message))
	})
	return slices.Compact(found), nil
}

// leaves collects the innermost causes, which alone say what is wrong; the
// library lists them in no fixed order.
func leaves(e *jsonschema.ValidationError, found []Violation) []Violation {
	if len(e.Causes) == 0 {
		return append(found, Violation{pointer(e.InstanceLocation), message(e)})
	}
	for _, cause := range e.Causes {
		found = leaves(cause, found)
	}
	return found
}

// message is the library's, with the names of members that are not allowed in
// a fixed order.
func message(e *jsonschema.ValidationError) string {
	text := e.Message
	if list, ok := strings.CutPrefix(text, "additionalProperties "); ok {
		list = strings.TrimSuffix(list, " not allowed")
		names := strings.Split(list, ", ")
		slices.Sort(names)
		text = "unknown members: " + strings.Join(names, ", ")
	}
	return safetext.Phrase(text)
}

// pointer undoes the percent-encoding with which the library writes pointers.
func pointer(location string) string {
	if p, err := url.PathUnescape(location); err == nil {
		return p
	}
	return location
}

// plain converts a value into the types that the library reads.
func plain(v *ijson.Value) any {
	switch v.Kind() {
	case ijson.Object:
		members := map[string]any{}
		for _, m := range v.Members() {
			members[m.Name] = plain(m.Value)
		}
		return members
	case ijson.Array:
		elements := []any{}
		for _, e := range v.Elements() {
			elements = append(elements, plain(e))
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
