package form

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Hinders reports whether a fault leaves the document without a value that a
// reader needs. An unknown member, a wrong order or a repeated entry is wrong,
// but everything that was named could still be read.
func Hinders(code string) bool {
	return code != UnknownMember && code != Unordered
}

// Reader collects the faults of one document.
type Reader struct{ faults []ijson.Fault }

// Faults returns the faults in the order in which they were found.
func (r *Reader) Faults() []ijson.Fault { return r.faults }

// Full reports whether so many faults were found that no more are recorded.
func (r *Reader) Full() bool { return len(r.faults) == MaxFaults }

// Fault records a fault of the value v.
func (r *Reader) Fault(v *ijson.Value, code, expected, found string) {
	if !r.Full() {
		r.faults = append(r.faults, ijson.Fault{Code: code, Path: v.Pointer(), Offset: v.Offset(),
			Expected: expected, Found: found})
	}
}

// Object is a closed object whose members were checked by name.
type Object struct {
	r *Reader
	v *ijson.Value
}

// Object opens v as an object with exactly the given members; a name that
// ends in "?" is optional.
func (r *Reader) Object(v *ijson.Value, names ...string) Object {
	o := r.OpenObject(v)
	for _, name := range names {
		o.Expect(name)
	}
	o.CheckClosed(names)
	return o
}

// OpenObject opens v as an object whose members the caller names later.
func (r *Reader) OpenObject(v *ijson.Value) Object {
	if v != nil && v.Kind() != ijson.Object {
		r.Fault(v, BadValue, ijson.Object.String(), v.Kind().String())
		v = nil
	}
	return Object{r, v}
}

// Expect returns a member's value. One that is missing is recorded, unless its name ends in "?".
func (o Object) Expect(name string) *ijson.Value {
	name, optional := strings.CutSuffix(name, "?")
	v := o.Get(name)
	if v == nil && !optional && o.v != nil {
		o.r.Fault(o.v, BadValue, "the member "+safetext.Excerpt(name, safetext.Value), "no such member")
	}
	return v
}

// CheckClosed records each member that is not named.
func (o Object) CheckClosed(names []string) {
	if o.v == nil {
		return
	}
	for m := range o.v.All() {
		if o.r.Full() {
			break // no more are recorded
		}
		name := m.Name()
		if !slices.ContainsFunc(names, func(n string) bool { return strings.TrimSuffix(n, "?") == name }) {
			o.r.Fault(m, UnknownMember, "only members that the format names",
				"the member "+safetext.Excerpt(name, safetext.Value))
		}
	}
}

// Map opens v as an object whose names are data, with 1 to most members.
func (r *Reader) Map(v *ijson.Value, most int) []ijson.Member {
	if v == nil {
		return nil
	}
	if v.Kind() != ijson.Object {
		r.Fault(v, BadValue, ijson.Object.String(), v.Kind().String())
		return nil
	}
	if n := v.Len(); n == 0 || n > most {
		r.Fault(v, BadValue, fmt.Sprintf("1 to %d members", most), strconv.Itoa(n))
		return nil
	}
	return v.Members()
}

// Get returns a member's value, or nil where it is missing: that was recorded
// when the object was opened.
func (o Object) Get(name string) *ijson.Value {
	if o.v == nil {
		return nil
	}
	v, _ := o.v.Member(name)
	return v
}

// Has reports whether the member is there.
func (o Object) Has(name string) bool { return o.Get(name) != nil }

// Object opens a member as a closed object.
func (o Object) Object(name string, names ...string) Object {
	return o.r.Object(o.Get(name), names...)
}

// List returns the elements of a member that is an array of least to most
// elements; nil where it is not.
func (o Object) List(name string, least, most int) []*ijson.Value {
	v := o.Get(name)
	if v == nil {
		return nil
	}
	if v.Kind() != ijson.Array {
		o.r.Fault(v, BadValue, ijson.Array.String(), v.Kind().String())
		return nil
	}
	if n := v.Len(); n < least || n > most {
		o.r.Fault(v, BadValue, fmt.Sprintf("%d to %d elements", least, most), strconv.Itoa(n))
		return nil
	}
	return v.Elements()
}

// Int reads an integer from least to most.
func (o Object) Int(name string, least, most int64) int64 {
	v := o.Get(name)
	if v == nil {
		return 0
	}
	if v.Kind() != ijson.Number {
		o.r.Fault(v, BadValue, ijson.Number.String(), v.Kind().String())
		return 0
	}
	if n := v.Int(); n < least || n > most {
		o.r.Fault(v, BadValue, fmt.Sprintf("an integer from %d to %d", least, most), strconv.FormatInt(n, 10))
		return 0
	}
	return v.Int()
}

// MaxInt is the largest integer of the formats (SPEC 1.4).
const MaxInt = 1<<53 - 1

// Counter reads a sequence, generation, version, lifetime or threshold: an
// integer from 1.
func (o Object) Counter(name string) int64 { return o.Int(name, 1, MaxInt) }

// Text reads a string that the given form accepts; want describes the form.
func (o Object) Text(name, want string, ok func(string) bool) string {
	return o.r.Text(o.Get(name), want, ok)
}

// Text reads the value v as a string that the given form accepts.
func (r *Reader) Text(v *ijson.Value, want string, ok func(string) bool) string {
	if v == nil {
		return ""
	}
	if v.Kind() != ijson.String {
		r.Fault(v, BadValue, ijson.String.String(), v.Kind().String())
		return ""
	}
	text := v.Text()
	if !ok(text) {
		r.Fault(v, BadValue, want, safetext.Excerpt(text, safetext.Value))
		return ""
	}
	return text
}

// Identifier reads an identifier (SPEC 1.5).
func (o Object) Identifier(name string) string {
	return o.Text(name, "an identifier: 1 to 128 of A-Z a-z 0-9 . _ : @ / -", Identifier[string])
}

// SubjectForm describes a tenant, node or transaction id.
const SubjectForm = "an id: 1 to 100 of A-Z a-z 0-9 . _ : @ -"

// Subject reads a tenant, node or transaction id (SPEC 1.5).
func (o Object) Subject(name string) string { return o.Text(name, SubjectForm, Subject[string]) }

// LogID reads a log id (SPEC 1.5): the kind of log and the id of its owner.
func (o Object) LogID(name string) string {
	return o.Text(name, `"node/" and a node id, or "tenant/" and a tenant id`, ValidLogID[string])
}

// ValidLogID reports whether s has the form of a log id (SPEC 1.5).
func ValidLogID[T Text](s T) bool {
	switch {
	case len(s) > len("node/") && string(s[:len("node/")]) == "node/":
		return Subject(s[len("node/"):])
	case len(s) > len("tenant/") && string(s[:len("tenant/")]) == "tenant/":
		return Subject(s[len("tenant/"):])
	}
	return false
}

// OneOf reads one of the given words.
func (o Object) OneOf(name string, words ...string) string {
	return o.Text(name, "one of "+strings.Join(words, ", "), func(s string) bool { return slices.Contains(words, s) })
}

// Protocol reads the protocol identifier, which must be one of those given.
func (o Object) Protocol(known ...string) string {
	v := o.Get("protocol")
	if v == nil {
		return ""
	}
	if v.Kind() != ijson.String {
		o.r.Fault(v, BadValue, ijson.String.String(), v.Kind().String())
		return ""
	}
	if !slices.Contains(known, v.Text()) {
		o.r.Fault(v, UnknownProtocol, strings.Join(known, " or "), safetext.Excerpt(v.Text(), safetext.Value))
		return ""
	}
	return v.Text()
}

// Digest reads 64 lower-case hex digits.
func (o Object) Digest(name string) [32]byte { return o.r.Digest(o.Get(name)) }

// Digest reads the value v as 64 lower-case hex digits.
func (r *Reader) Digest(v *ijson.Value) (d [32]byte) {
	r.Text(v, "64 lower-case hex digits", func(s string) (ok bool) {
		d, ok = Digest(s)
		return ok
	})
	return d
}

// Bytes reads canonical base64url without padding, of least to most bytes.
func (o Object) Bytes(name string, least, most int) []byte {
	return o.r.Bytes(o.Get(name), least, most)
}

// Bytes reads the value v as canonical base64url of least to most bytes; nil
// where it is not.
func (r *Reader) Bytes(v *ijson.Value, least, most int) (b []byte) {
	want := fmt.Sprintf("canonical base64url of %d to %d bytes", least, most)
	if least == most {
		want = fmt.Sprintf("canonical base64url of %d bytes", least)
	}
	r.Text(v, want, func(s string) bool {
		if len(s) > 2*most {
			return false
		}
		decoded, ok := Base64URL(s)
		if !ok || len(decoded) < least || len(decoded) > most {
			return false
		}
		b = decoded
		return true
	})
	return b
}

// Time reads a time in the one exact form (SPEC 1.5).
func (o Object) Time(name string) (at time.Time) {
	o.Text(name, "a time such as 2006-01-02T15:04:05.000Z", func(s string) (ok bool) {
		at, ok = Time(s)
		return ok
	})
	return at
}

// Ascending records a fault at each element of a list that does not come after
// the one before it by its key, compared bytewise: the one right order, and no
// repeats (SPEC 1.7).
func (r *Reader) Ascending(list []*ijson.Value, keys []string) {
	for i := 1; i < len(list) && i < len(keys); i++ {
		switch {
		case keys[i] == keys[i-1]:
			r.Fault(list[i], Unordered, "each entry once", safetext.Excerpt(keys[i], safetext.Value))
		case keys[i] < keys[i-1]:
			r.Fault(list[i], Unordered, "an entry after "+safetext.Excerpt(keys[i-1], safetext.Value),
				safetext.Excerpt(keys[i], safetext.Value))
		}
	}
}
