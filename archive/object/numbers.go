package object

import (
	"strings"

	"github.com/svc-edge/svc-verify/answer"
)

// Number is a number of things.
type Number struct {
	n    int64
	what string
}

// NumberOf returns a number of things.
func NumberOf(n int64, what string) Number { return Number{n, what} }

// JoinNumbers names the numbers above 0; "" if there are none.
func JoinNumbers(all ...Number) string {
	var parts []string
	for _, one := range all {
		if one.n > 0 {
			parts = append(parts, answer.Number(one.n)+" "+one.what)
		}
	}
	return strings.Join(parts, ", ")
}
