package run

import (
	"bytes"
	"fmt"

	"github.com/svc-edge/svc-verify/archive/codec"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/outcome"
)

// The limits of the documents (SPEC 1.6).
const (
	MaxRecord = 64 << 10 // bytes of a record
	MaxChange = 64 << 10 // bytes of a change
	MaxText   = 1024     // bytes of a text
	MaxCounts = 64       // names of counts
	MaxPath   = 16 << 10 // bytes of a path as text
)

// Parse reads the document of a record. The error is an *ijson.Fault, which describes the
// fault and its place.
func Parse(doc []byte) (r Record, err error) {
	if err = codec.ReadDocument(doc, MaxRecord, r.describeMembers); err != nil {
		return Record{}, err
	}
	return r, nil
}

// ParseChange reads the line of a change, without a newline.
func ParseChange(line []byte) (c Change, err error) {
	if err = codec.ReadDocument(line, MaxChange, c.describeMembers); err != nil {
		return Change{}, err
	}
	return c, nil
}

// ParseObject reads the leaf of an object (SPEC 15.3).
func ParseObject(leaf []byte) (o Object, err error) {
	err = codec.ReadDocument(leaf, MaxChange, o.describeMembers)
	if err == nil && !bytes.Equal(o.Leaf(), leaf) {
		err = &ijson.Fault{Code: form.BadValue, Expected: "read, sha256 and size, or none of them", Found: "some"}
	}
	return o, err
}

// textForm describes the texts of a person or a program.
var textForm = fmt.Sprintf("1 to %d octets without control characters", MaxText)

// PackText packs such a text.
func PackText(m *codec.Members, name string, s *string) { m.Text(name, s, textForm, IsText) }

// packVerdict packs a verdict, if there is one.
func packVerdict(m *codec.Members, v *outcome.Class) {
	codec.OneOf(m, "verdict?", v, string(outcome.Verified), string(outcome.Rejected), string(outcome.Inconclusive))
}

// packWrong packs the fault of an object, if it has one.
func packWrong(m *codec.Members, wrong *string) {
	codec.OneOf(m, "wrong?", wrong, "altered", "missing", "replaced", "unreadable")
}

// PackPath packs the path of an object as text.
func PackPath(m *codec.Members, name string, path *string) {
	if v, write := m.Next(name, *path == ""); write {
		m.WriteText(object.PathText(*path))
	} else if v != nil {
		*path = readPath(m.Reader, v)
	}
}

// readPath reads a value as the path of an object.
func readPath(r *form.Reader, v *ijson.Value) (path string) {
	r.Text(v, "the path of an object (SPEC 15.1)", func(s string) (ok bool) {
		if len(s) <= MaxPath {
			path, ok = object.ParsePath(s)
		}
		return ok && IsPath(path)
	})
	return path
}

func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '-' && (c < 'a' || c > 'z') {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 64
}

// IsText reports whether a text can be in a record.
func IsText(s string) bool { return form.IsLine(s, MaxText) }

// IsPath reports whether an object can have a path: names other than ".", ".." and the empty
// one, separated by slashes, without NUL. Its text has a limit.
func IsPath(path string) bool {
	if len(path) > MaxPath || len(object.PathText(path)) > MaxPath {
		return false
	}
	start := 0
	for i := 0; i <= len(path); i++ {
		if i < len(path) && path[i] == 0 {
			return false
		}
		if i == len(path) || path[i] == '/' {
			if name := path[start:i]; name == "" || name == "." || name == ".." {
				return false
			}
			start = i + 1
		}
	}
	return true
}
