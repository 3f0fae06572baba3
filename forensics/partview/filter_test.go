package partview

import (
	"fmt"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
)

// TestFilter: all transactions come through a filter that came in the order that is asked
// for, and few others, whether there are a hundred thousand or five million.
func TestFilter(t *testing.T) {
	for _, all := range []int{100_000, 5_000_000} {
		if !testing.Short() || all < 1_000_000 {
			tryFilter(t, all)
		}
	}
}

func tryFilter(t *testing.T, all int) {
	const twice = 1000
	f := newFilter(128 * int64(all))
	id := func(n int) string { return fmt.Sprintf("tx-%09d", n) }
	for n := range all {
		f.again(id(n))
	}
	for n := range twice {
		f.again(id(n * (all / twice)))
	}
	passed := 0
	for n := range all {
		passes := f.passes(id(n))
		if passes {
			passed++
		} else if n%(all/twice) == 0 {
			t.Fatalf("%s came twice and does not pass", id(n))
		}
	}
	others := passed - twice
	check.That(t, others <= all/100, "%d of %d pass that came once", others, all)
}
