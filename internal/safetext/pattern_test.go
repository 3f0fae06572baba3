package safetext

import "testing"

// TestPattern: a pattern is compiled at its first use, and once.
func TestPattern(t *testing.T) {
	Pattern(`(`)
	number := Pattern(`^[0-9]+$`)
	first := number()
	if number() != first || !number().MatchString("07") || number().MatchString("x7") {
		t.Error("the pattern is another one")
	}
}
