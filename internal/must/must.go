// Package must has the calls of tests that have to succeed: an error ends the test
// at the line of the caller.
package must

import (
	"fmt"

	"github.com/svc-edge/svc-verify/internal/check"
)

// T is a test, of whatever library.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Do ends the test if there is an error.
func Do(t T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Get returns a function that returns the value of a call, or ends the test if the call
// failed: must.Get(os.ReadFile(name))(t).
func Get[V any](value V, err error) func(T) V {
	return func(t T) V {
		t.Helper()
		Do(t, err)
		return value
	}
}

// Two is [Get] for a call that gives two values.
func Two[V, W any](v V, w W, err error) func(T) (V, W) {
	return func(t T) (V, W) {
		t.Helper()
		Do(t, err)
		return v, w
	}
}

// Have returns the value, and panics if there is an error: for helpers that have no test.
func Have[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// ending is a test that ends with its first failure.
type ending struct{ T }

func (e ending) Errorf(format string, args ...any) {
	e.Helper()
	e.Fatal(fmt.Sprintf(format, args...))
}

// Equal is [check.Equal] for a test that then ends.
func Equal[V comparable](t T, found, expected V, label string, args ...any) {
	t.Helper()
	check.Equal(ending{t}, found, expected, label, args...)
}

// That is [check.That] for a test that then ends.
func That(t T, holds bool, sentence string, args ...any) {
	t.Helper()
	check.That(ending{t}, holds, sentence, args...)
}

// OK is [check.OK] for a test that then ends.
func OK(t T, err error, label string, args ...any) {
	t.Helper()
	check.OK(ending{t}, err, label, args...)
}
