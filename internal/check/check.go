// Package check has comparisons for tests that continue after a failure. The functions of
// package must end the test.
package check

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// T is a test, of whatever library.
type T interface {
	Helper()
	Errorf(format string, args ...any)
}

// Equal fails the test if two values differ. The label names the value.
func Equal[V comparable](t T, found, expected V, label string, args ...any) {
	t.Helper()
	if found != expected {
		t.Errorf("%s: found %s, expected %s", fmt.Sprintf(label, args...), shown(found), shown(expected))
	}
}

func shown(value any) string {
	if text, ok := value.(string); ok {
		return strconv.Quote(text)
	}
	return fmt.Sprint(value)
}

// That fails the test with a sentence unless a condition holds.
func That(t T, holds bool, sentence string, args ...any) {
	t.Helper()
	if !holds {
		t.Errorf(sentence, args...)
	}
}

// OK fails the test if there is an error. The label names the call.
func OK(t T, err error, label string, args ...any) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", fmt.Sprintf(label, args...), err)
	}
}

// Do fails the test for each error.
func Do(t T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Errorf("%v", err)
		}
	}
}

// Fails fails the test unless there is an error that has a text. The label names the call.
func Fails(t T, err error, text, label string, args ...any) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: found the error %v, expected one with %q", fmt.Sprintf(label, args...), err, text)
	}
}

// Is fails the test unless an error is, or wraps, another one. The label names the call.
func Is(t T, err, expected error, label string, args ...any) {
	t.Helper()
	if !errors.Is(err, expected) {
		t.Errorf("%s: found the error %v, expected %v", fmt.Sprintf(label, args...), err, expected)
	}
}

// Err is the error of a call that gives a value too.
func Err[V any](_ V, err error) error { return err }
