package form

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/svc-edge/svc-verify/internal/ijson"
)

// NotCanonical is the code of a document that is not in its canonical form.
const NotCanonical = "form.not-canonical"

// MarshalCanonical returns the canonical JSON of a value (SPEC 1.3). It returns an error for
// values that the formats do not have, such as null, a fraction or a noncharacter.
func MarshalCanonical(v any) ([]byte, error) {
	doc, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	canonical, fault := ijson.Canonical(doc)
	if fault != nil {
		return nil, fmt.Errorf("no document of the formats: %w", fault)
	}
	return canonical, nil
}

// Parse reads a document of at most so many bytes. Its fault calls them by the unit that
// the format uses.
func Parse(doc []byte, most int, unit string) (*ijson.Value, *ijson.Fault) {
	if len(doc) > most {
		return nil, &ijson.Fault{Code: TooLarge, Offset: most, Expected: fmt.Sprintf("at most %d %s", most, unit),
			Found: strconv.Itoa(len(doc))}
	}
	return ijson.Parse(doc)
}

// ReadCanonical reads a canonical document of at most most bytes. The function reads the
// value's members, and notes the faults of their form. The error is the first fault,
// an *ijson.Fault.
func ReadCanonical(doc []byte, most int, read func(*Reader, *ijson.Value)) error {
	v, fault := Parse(doc, most, "octets")
	if fault != nil {
		return fault
	}
	r := &Reader{}
	read(r, v)
	if faults := r.Faults(); len(faults) > 0 {
		return &faults[0]
	}
	if !ijson.IsCanonical(doc) {
		return &ijson.Fault{Code: NotCanonical, Expected: "the canonical form (RFC 8785)", Found: "another one"}
	}
	return nil
}
