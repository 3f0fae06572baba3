package store_test

import (
	"fmt"
	"strings"
)

// difference says where two texts part.
func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d\nwant %s\ngot  %s", i, strings.Join(a[max(0, i-6):i+1], "\n"), b[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(b), len(a))
}
