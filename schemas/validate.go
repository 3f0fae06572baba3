package schemas

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// maxValues bounds the values of a document, and with them the violations that a hostile one
// can cause: each uses a few hundred bytes. The usual bundle has about 500 values.
const maxValues = 1 << 18

// mostPointers bounds the bytes of the pointers of a document's values: the library makes each.
const mostPointers = 1 << 26

// Violation is one way in which a document departs from its schema.
type Violation struct {
	// Pointer is the RFC 6901 pointer of the value concerned, "" for the
	// whole document. It may hold names out of the document: quote it before
	// it is shown.
	Pointer string
	// Message is the sentence of the library. Text from the document in it
	// is safe to show, and cut.
	Message string
	// Expected is the demand of the schema, and Found describes the value, both as
	// safe to show as the message.
	Expected, Found string
}

// FindViolations returns everything in which doc departs from the schema of that name, sorted by
// pointer, and nothing if it conforms. A document that is not strict I-JSON (SPEC 1.1) has one
// violation. The error reports that no answer could be found: no such schema, or a document
// above the limits.
func FindViolations(name string, doc []byte) ([]Violation, error) {
	if len(doc) > form.MaxBundle {
		return nil, fmt.Errorf("validate: the document has %d bytes; at most %d are examined", len(doc), form.MaxBundle)
	}
	root, fault := ijson.Parse(doc)
	if fault != nil {
		if _, err := compiledSchema(name); err != nil {
			return nil, err
		}
		return []Violation{{fault.Path, safetext.Phrase(fault.Error()), fault.Expected, fault.Found}}, nil
	}
	return violationsOf(name, root)
}

// Conformance returns an error of every way in which doc departs from the schema of that name.
func Conformance(name string, doc []byte) error {
	violations, err := FindViolations(name, doc)
	for _, v := range violations {
		err = errors.Join(err, fmt.Errorf("%s: %s", v.Pointer, v.Message))
	}
	return err
}

// violationsOf applies a schema. The library has crashed on numbers that the
// strict reader refuses; should it crash on anything else, that is an error and
// not the end of the program.
func violationsOf(name string, root *ijson.Value) (found []Violation, err error) {
	schema, err := compiledSchema(name)
	if err != nil {
		return nil, err
	}
	if n := root.Count(); n > maxValues {
		return nil, fmt.Errorf("validate: the document has %d values; at most %d are examined", n, maxValues)
	}
	if pointerOctets(root, 0) > mostPointers {
		return nil, errors.New("validate: the names of members are too long for so many values")
	}
	defer func() {
		if r := recover(); r != nil {
			found, err = nil, fmt.Errorf("validate: validation failed: %v", r)
		}
	}()
	instance := plainValue(root)
	err = schema.Validate(instance)
	var invalid *jsonschema.ValidationError
	if err == nil || !errors.As(err, &invalid) {
		return nil, err
	}
	found = causesOf(invalid, instance)
	slices.SortFunc(found, func(a, b Violation) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Expected, b.Expected),
			strings.Compare(a.Message, b.Message))
	})
	return slices.Compact(found), nil
}

// pointerOctets returns how long the pointers of a value and of those in it are together, if its own
// is so long.
func pointerOctets(v *ijson.Value, length int) int {
	total := length
	for inner := range v.All() {
		name := 8 // an index
		if v.Kind() == ijson.Object {
			name = len(inner.Name())
		}
		if total += pointerOctets(inner, length+1+name); total > mostPointers {
			break
		}
	}
	return total
}
