// Package must has the calls of tests that have to succeed: an error ends the test
// at the line of the caller.
package must

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

// Get returns what gives the value of a call, or ends the test if the call
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
