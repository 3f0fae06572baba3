package form

import (
	"encoding/json"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// Document returns the document that is the JSON of a value.
func Document(value any) seal.Object {
	b, err := json.Marshal(value)
	if err == nil {
		var o seal.Object
		if o, err = seal.Parse(b); err == nil {
			return o
		}
	}
	panic(err) // the types of this program have such a form
}

// Restore reads a document that [Document] returned for a value of this type.
func Restore(o seal.Object, value any) error { return json.Unmarshal(seal.Canonical(o), value) }

// Object is an object within a document that is restored.
type Object map[string]any

// UnmarshalJSON reads any object.
func (o *Object) UnmarshalJSON(b []byte) (err error) {
	*o, err = seal.Parse(b)
	return err
}
