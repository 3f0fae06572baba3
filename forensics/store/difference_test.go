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
			n := 0 // where the lines part
			for n < min(len(a[i]), len(b[i])) && a[i][n] == b[i][n] {
				n++
			}
			n = max(0, n-200)
			return fmt.Sprintf("line %d, octet %d\nwant %.400s\ngot  %.400s", i, n, a[i][n:], b[i][n:])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(b), len(a))
}
