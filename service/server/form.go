package server

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// shape is the form of a text, and what it is called in a sentence.
type shape struct {
	*regexp.Regexp
	says string
}

// Forms of values, SPEC 1.5 and service/docs/node-config.md.
var (
	subjectID  = shape{regexp.MustCompile(`^[A-Za-z0-9._:@-]{1,100}$`), "1 to 100 characters of A-Z a-z 0-9 . _ : @ -"}
	identifier = shape{regexp.MustCompile(`^[A-Za-z0-9._:@/-]{1,128}$`), "1 to 128 characters of A-Z a-z 0-9 . _ : @ / -"}
	reference  = shape{regexp.MustCompile(`^local/[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`), "local/ and a name of A-Z a-z 0-9 . _ -"}
	errorCode  = shape{regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`), "a code of a-z 0-9 _"}
	anyText    = shape{regexp.MustCompile(`^[^\x00-\x1f\x7f]{1,500}$`), "1 to 500 characters without control characters"}
	octets     = shape{regexp.MustCompile(`^[A-Za-z0-9_-]+$`), "base64url without padding"}
	digest     = shape{regexp.MustCompile(`^[0-9a-f]{64}$`), "64 lower-case hexadecimal digits"}
)

// Limits of what a request holds.
const (
	maximumNames  = 100
	maximumName   = 1024
	maximumOctets = 64 << 10
)

// form reads the members of a closed object that somebody sent. It keeps the
// first fault, which [form.close] returns.
type form struct {
	o     seal.Object
	known []string
	err   error
}

func read(o seal.Object) *form { return &form{o: o} }

func (f *form) fail(name, format string, args ...any) {
	if f.err == nil {
		f.err = httpd.Invalid("%s: %s", name, fmt.Sprintf(format, args...))
	}
}

// has reports whether an optional member is there.
func (f *form) has(name string) bool {
	f.known = append(f.known, name)
	_, ok := f.o[name]
	return ok
}

// text reads a member that is a string of the form.
func (f *form) text(name string, of shape) string {
	f.known = append(f.known, name)
	s, ok := f.o[name].(string)
	if !ok || !of.MatchString(s) {
		f.fail(name, "expected %s", of.says)
	}
	return s
}

// word reads a member that is one of these words.
func (f *form) word(name string, words ...string) string {
	f.known = append(f.known, name)
	s, ok := f.o[name].(string)
	if !ok || !slices.Contains(words, s) {
		f.fail(name, "expected one of %s", strings.Join(words, ", "))
	}
	return s
}

// number reads a member that is a number from low to high.
func (f *form) number(name string, low, high int64) int64 {
	f.known = append(f.known, name)
	n, ok := f.o[name].(int64)
	if !ok || n < low || n > high {
		f.fail(name, "expected a number from %d to %d", low, high)
	}
	return n
}

// flag reads a member that is true or false.
func (f *form) flag(name string) bool {
	f.known = append(f.known, name)
	b, ok := f.o[name].(bool)
	if !ok {
		f.fail(name, "expected true or false")
	}
	return b
}

// object reads a member that is an object.
func (f *form) object(name string) seal.Object {
	f.known = append(f.known, name)
	o, ok := f.o[name].(seal.Object)
	if !ok {
		f.fail(name, "expected an object")
	}
	return o
}

// names reads a member that is a list of different texts, and sorts it as SPEC
// 1.7 asks.
func (f *form) names(name string) []string {
	f.known = append(f.known, name)
	list, _ := f.o[name].([]any)
	texts := seal.Texts(f.o, name)
	sort.Strings(texts)
	long := func(s string) bool { return len(s) > maximumName }
	if len(list) == 0 || len(list) > maximumNames || len(texts) != len(list) || slices.ContainsFunc(texts, long) ||
		len(slices.Compact(slices.Clone(texts))) != len(texts) {
		f.fail(name, "expected 1 to %d different texts of at most %d characters", maximumNames, maximumName)
	}
	return texts
}

// octets reads a member that is base64url.
func (f *form) octets(name string) []byte {
	b, err := seal.Unbase64(f.text(name, octets))
	if err != nil || len(b) > maximumOctets {
		f.fail(name, "expected at most %d octets in base64url without padding", maximumOctets)
	}
	return b
}

// close returns the first fault; a member that nobody read is one.
func (f *form) close() error {
	if f.err != nil {
		return f.err
	}
	for name := range f.o {
		if !slices.Contains(f.known, name) {
			return httpd.Invalid("%q is no member of this document", name)
		}
	}
	return nil
}
