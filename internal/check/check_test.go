package check_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
)

// kept is a test that keeps its failures.
type kept []string

func (k *kept) Helper() {}
func (k *kept) Errorf(format string, args ...any) {
	*k = append(*k, fmt.Sprintf(format, args...))
}

// TestCheck: each comparison that does not hold is one failure.
func TestCheck(t *testing.T) {
	broken := errors.New("broken")
	var k kept
	check.Equal(&k, 1, 1, "same")
	check.That(&k, true, "holds")
	check.OK(&k, nil, "well")
	check.Do(&k, nil, nil)
	check.Equal(&k, 1, 2, "number %d", 7)
	check.Equal[any](&k, "a", nil, "text")
	check.That(&k, false, "%d %%", 7)
	check.OK(&k, check.Err(1, broken), "in %s", "it")
	check.Do(&k, broken, nil, broken)
	check.Fails(&k, broken, "roke", "well")
	check.Fails(&k, broken, "well", "in %s", "vain")
	check.Fails(&k, nil, "", "nothing")
	check.Is(&k, fmt.Errorf("it: %w", broken), broken, "wrapped")
	check.Is(&k, nil, broken, "number %d", 7)
	want := []string{"number 7: found 1, expected 2", `text: found "a", expected <nil>`, "7 %", "in it: broken",
		"broken", "broken", `in vain: found the error broken, expected one with "well"`,
		`nothing: found the error <nil>, expected one with ""`, "number 7: found the error <nil>, expected broken"}
	if !slices.Equal(k, want) {
		t.Errorf("%q, want %q", k, want)
	}
}
