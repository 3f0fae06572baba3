package server

import (
	"slices"
	"sort"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// Limits of what a request holds.
const (
	maximumNames  = 100
	maximumName   = 1024
	maximumOctets = 64 << 10
)

// fields reads what a caller sent. What is wrong with it is a problem of the
// request.
type fields struct{ *form.Reader }

func read(o seal.Object) *fields { return &fields{form.Read(o)} }

// close returns the first fault; a member that nobody read is one.
func (f *fields) close() error {
	if err := f.Close(); err != nil {
		return httpd.Invalid("%s", err)
	}
	return nil
}

// names reads a member that is a list of different texts, and sorts it as SPEC
// 1.7 asks.
func (f *fields) names(name string) []string {
	texts := f.Texts(name)
	sort.Strings(texts)
	long := func(s string) bool { return len(s) > maximumName }
	if len(texts) == 0 || len(texts) > maximumNames || slices.ContainsFunc(texts, long) ||
		len(slices.Compact(slices.Clone(texts))) != len(texts) {
		f.Fail(name, "1 to %d different texts of at most %d characters", maximumNames, maximumName)
	}
	return texts
}

// octets reads a member that is base64url.
func (f *fields) octets(name string) []byte {
	b, err := seal.Unbase64(f.Text(name, form.Octets))
	if err != nil || len(b) > maximumOctets {
		f.Fail(name, "at most %d octets in base64url without padding", maximumOctets)
	}
	return b
}
