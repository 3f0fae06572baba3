package must_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

// failed is a test that keeps its end.
type failed struct{ err any }

func (f *failed) Helper()           {}
func (f *failed) Fatal(args ...any) { f.err = args[0] }

// TestMust: an error ends the test, and without one the values come.
func TestMust(t *testing.T) {
	for _, want := range []error{nil, errors.New("broken")} {
		for name, call := range map[string]func(t must.T) bool{
			"Do":  func(t must.T) bool { must.Do(t, nil, want); return true },
			"Get": func(t must.T) bool { return must.Get(1, want)(t) == 1 },
			"OK":  func(t must.T) bool { must.OK(t, want, "it"); return true },
			"Two": func(t must.T) bool { a, b := must.Two(1, "b", want)(t); return a == 1 && b == "b" },
		} {
			f := &failed{}
			if !call(f) || fmt.Sprint(f.err) != fmt.Sprint(want) && f.err != "it: broken" {
				t.Errorf("%s: the test ended with %v, want %v", name, f.err, want)
			}
		}
	}
	f := &failed{}
	must.Equal(f, 1, 1, "same")
	must.That(f, true, "holds")
	if f.err != nil {
		t.Errorf("the test ended with %v", f.err)
	}
	if must.Equal(f, 1, 2, "number %d", 7); f.err != "number 7: found 1, expected 2" {
		t.Errorf("the test ended with %v", f.err)
	}
}
