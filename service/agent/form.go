package agent

import (
	"fmt"
	"regexp"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// Kinds of text, SPEC 1.5.
var (
	subjectForm    = regexp.MustCompile(`^[A-Za-z0-9._:@-]{1,100}$`)
	identifierForm = regexp.MustCompile(`^[A-Za-z0-9._:@/-]{1,128}$`)
	labelForm      = regexp.MustCompile(`^[ -~]{0,256}$`) // names that only the console gives a meaning
	hashForm       = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// reader reads the members of a closed object, and remembers the first fault.
type reader struct {
	object seal.Object
	read   map[string]bool
	err    error
}

func newReader(o seal.Object) *reader { return &reader{o, map[string]bool{}, nil} }

func (r *reader) fail(name, expected string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: expected %s", name, expected)
	}
}

// text reads a member that is a text of a form.
func (r *reader) text(name string, form *regexp.Regexp) string {
	r.read[name] = true
	s, ok := r.object[name].(string)
	if !ok || !form.MatchString(s) {
		r.fail(name, "a text of the form "+form.String())
	}
	return s
}

// number reads a member that is a number from low on.
func (r *reader) number(name string, low int64) int64 {
	r.read[name] = true
	n, ok := r.object[name].(int64)
	if !ok || n < low {
		r.fail(name, fmt.Sprintf("a number from %d on", low))
	}
	return n
}

// flag reads a member that is true or false.
func (r *reader) flag(name string) bool {
	r.read[name] = true
	b, ok := r.object[name].(bool)
	if !ok {
		r.fail(name, "true or false")
	}
	return b
}

// member reads a member that is an object.
func (r *reader) member(name string) seal.Object {
	r.read[name] = true
	o, ok := r.object[name].(seal.Object)
	if !ok {
		r.fail(name, "an object")
	}
	return o
}

// members reads a member that is a list of objects.
func (r *reader) members(name string) []seal.Object {
	r.read[name] = true
	list, ok := r.object[name].([]any)
	if !ok {
		r.fail(name, "a list")
	}
	objects := make([]seal.Object, len(list))
	for i, element := range list {
		if objects[i], ok = element.(seal.Object); !ok {
			r.fail(name, "a list of objects")
		}
	}
	return objects
}

// texts reads a member that is a list of texts.
func (r *reader) texts(name string) []string {
	r.read[name] = true
	list, ok := r.object[name].([]any)
	texts := seal.Texts(r.object, name)
	if !ok || len(texts) != len(list) {
		r.fail(name, "a list of texts")
	}
	return texts
}

// end returns the first fault; a member that was not read is one.
func (r *reader) end() error {
	for name := range r.object {
		if !r.read[name] {
			r.fail(fmt.Sprintf("%.64q", name), "no such member")
		}
	}
	return r.err
}
