// Package form reads the members of the closed JSON objects that the parts of the
// service exchange.
//
// The input is untrusted. No error repeats a value of it: it may be a key,
// or a token.
package form

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// Largest is the largest number that a document holds, SPEC 1.4.
const Largest = 1<<53 - 1

// Reader reads the members of an object. It keeps the first fault, which [Reader.Close]
// returns; results of methods after a fault mean nothing.
type Reader struct {
	object seal.Object
	known  map[string]bool
	err    error
}

// UnknownError is returned for an unknown member.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%.64q is no member of this document", e.Name)
}

// Read begins to read an object. Nil has no members.
func Read(o seal.Object) *Reader { return &Reader{object: o, known: map[string]bool{}} }

// Fail records that a member is not as expected.
func (r *Reader) Fail(name, expected string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: expected %s, found %s", name, fmt.Sprintf(expected, args...), r.found(name))
	}
}

// found describes a member without repeating its text.
func (r *Reader) found(name string) string {
	switch value := r.object[name].(type) {
	case nil:
		if _, there := r.object[name]; !there {
			return "no such member"
		}
		return "null"
	case string:
		return fmt.Sprintf("%d bytes of text, not shown", len(value))
	case int64:
		return fmt.Sprint(value)
	case []any:
		return fmt.Sprintf("a list of %d", len(value))
	case seal.Object:
		return "an object"
	}
	return "another value"
}

// readMember reads a member of a type.
func readMember[T any](r *Reader, name, expected string, fits func(T) bool) T {
	r.known[name] = true
	value, ok := r.object[name].(T)
	if !ok || fits != nil && !fits(value) {
		r.Fail(name, "%s", expected)
	}
	return value
}

// Know marks members as known and judged elsewhere.
func (r *Reader) Know(names ...string) {
	for _, name := range names {
		r.known[name] = true
	}
}

// Has reports whether there is a member that may be absent.
func (r *Reader) Has(name string) bool {
	r.known[name] = true
	_, there := r.object[name]
	return there
}

// Text reads a text of a shape.
func (r *Reader) Text(name string, of Shape) string { return readMember(r, name, of.expected, of.Is) }

// Checked reads a text that passes a check, whose error must not repeat it.
func (r *Reader) Checked(name string, check func(string) error) string {
	s := readMember[string](r, name, "a text", nil)
	if r.err == nil {
		if err := check(s); err != nil {
			r.err = fmt.Errorf("%s: %w", name, err)
		}
	}
	return s
}

// Word reads a text that is one of these words.
func (r *Reader) Word(name string, words ...string) string {
	return readMember(r, name, strings.Join(words, " or "), func(s string) bool { return slices.Contains(words, s) })
}

// Number reads a number from low to high.
func (r *Reader) Number(name string, low, high int64) int64 {
	fits := func(n int64) bool { return low <= n && n <= high }
	return readMember(r, name, fmt.Sprintf("%d to %d", low, high), fits)
}

// Flag reads true or false.
func (r *Reader) Flag(name string) bool { return readMember[bool](r, name, "true or false", nil) }

// Object reads an object.
func (r *Reader) Object(name string) seal.Object {
	return readMember[seal.Object](r, name, "an object", nil)
}

// Objects reads a list of objects.
func (r *Reader) Objects(name string) []seal.Object {
	list := readMember[[]any](r, name, "a list of objects", nil)
	objects := make([]seal.Object, len(list))
	for i, element := range list {
		var ok bool
		if objects[i], ok = element.(seal.Object); !ok {
			r.Fail(name, "a list of objects")
		}
	}
	return objects
}

// Texts reads a list of texts.
func (r *Reader) Texts(name string) []string {
	list := readMember[[]any](r, name, "a list of texts", nil)
	texts := seal.Texts(r.object, name)
	if len(texts) != len(list) {
		r.Fail(name, "a list of texts")
	}
	return texts
}

// Time reads a time in its one form: a parser alone accepts others too.
func (r *Reader) Time(name string) time.Time {
	r.known[name] = true
	t, err := seal.ParseTime(seal.Text(r.object, name))
	if err != nil || seal.Time(t) != r.object[name] {
		r.Fail(name, "a time such as 2006-01-02T15:04:05.000Z")
	}
	return t
}

// Err returns the first fault so far, nil if there is none.
func (r *Reader) Err() error { return r.err }

// Close returns the first fault. An unknown member is one, an
// [*UnknownError].
func (r *Reader) Close() error {
	for name := range r.object {
		if r.err == nil && !r.known[name] {
			return &UnknownError{name}
		}
	}
	return r.err
}

// Document returns the document that is the JSON of a value.
func Document(value any) seal.Object {
	return seal.Must(seal.Parse(seal.Must(json.Marshal(value)))) // the types of this program have such a form
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

// Shape is the form of a text.
type Shape struct {
	pattern  *regexp.Regexp
	expected string // its name in a sentence
}

// Is reports whether a text has the shape.
func (s Shape) Is(text string) bool { return s.pattern.MatchString(text) }

// Shapes of texts, SPEC 1.5 and service/docs/node-config.md.
var (
	SubjectID  = Shape{regexp.MustCompile(`^[A-Za-z0-9._:@-]{1,100}$`), "1 to 100 characters of A-Z a-z 0-9 . _ : @ -"}
	Identifier = Shape{regexp.MustCompile(`^[A-Za-z0-9._:@/-]{1,128}$`),
		"1 to 128 characters of A-Z a-z 0-9 . _ : @ / -"}
	Reference = Shape{regexp.MustCompile(`^local/[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`),
		"local/ and a name of A-Z a-z 0-9 . _ -"}
	ErrorCode = Shape{regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`), "a code of a-z 0-9 _"}
	Sentence  = Shape{regexp.MustCompile(`^[^\x00-\x1f\x7f]{1,500}$`),
		"1 to 500 characters without control characters"}
	Label  = Shape{regexp.MustCompile(`^[ -~]{0,256}$`), "at most 256 printable ASCII characters"}
	Octets = Shape{regexp.MustCompile(`^[A-Za-z0-9_-]+$`), "base64url without padding"}
	Digest = Shape{regexp.MustCompile(`^[0-9a-f]{64}$`), "64 lower-case hexadecimal digits"}
)

// Joined lists words for a sentence, with commas.
func Joined[W ~string](words []W) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return strings.Join(texts, ", ")
}

// OneOf reads one of these words.
func OneOf[W ~string](text string, words []W) (W, error) {
	if slices.Contains(words, W(text)) {
		return W(text), nil
	}
	return "", fmt.Errorf("expected one of %s, found %.40q", Joined(words), text)
}
