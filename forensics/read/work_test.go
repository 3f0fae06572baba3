package read_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/read/readtest"
)

// hard are inputs of n parts that invite to look at the same octets again and again.
func hard(n int) map[string]string {
	torn := func(again string) string {
		var b strings.Builder
		for i := range n / 2 {
			fmt.Fprintf(&b, "{\"k%06d\":[\n", i)
		}
		for i := range n / 2 {
			fmt.Fprintf(&b, "{\"k%06d\":[%s\n", i, again)
		}
		return b.String()
	}
	return map[string]string{
		"values and spaces":          strings.Repeat("{}", n) + strings.Repeat(" ", 2*n) + "\n",
		"values and spaces, no end":  strings.Repeat("{}", n) + strings.Repeat(" \t", n),
		"values and garbage":         strings.Repeat("{}x", n) + "\n",
		"values, garbage and spaces": strings.Repeat("{} x ", n) + strings.Repeat(" ", n) + "\n",
		"strings":                    strings.Repeat(`""`, n) + strings.Repeat(" ", n),
		"starts":                     strings.Repeat(`{"body":{"data":`, n) + "\n",
		"starts that end":            strings.Repeat(`{"body":{"data":`, n) + "}\n",
		"starts and garbage":         "{}" + strings.Repeat(`x{"body":{"data":1}}`, n) + "\n",
		"starts in a list":           "[" + strings.Repeat(`{"resourceLogs":["`, n) + "\n",
		"starts in a list, closed":   "[" + strings.Repeat(`{"resourceLogs":["`, n) + "}\n",
		"open brackets":              strings.Repeat("[", n),
		"open objects":               strings.Repeat(`{"a":`, n),
		"open objects on lines":      strings.Repeat("{\"a\":\n", n),
		"open lines":                 strings.Repeat("{\n", n),
		"torn lines twice":           torn(""),
		"torn lines, closed":         torn("]}"),
		"quotes":                     strings.Repeat("\"\n", n),
		"backslashes":                `"` + strings.Repeat(`\\`, n),
	}
}

// TestWorkIsLinear: of twice as much, twice as much is looked at.
func TestWorkIsLinear(t *testing.T) {
	looked := func(input string) int64 {
		n, err := read.Looked(t.Context(), bytes.NewReader([]byte(input)), read.Options{}, &readtest.Found{})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	const n = 40_000
	half, whole := hard(n), hard(2*n)
	for _, name := range slices.Sorted(maps.Keys(half)) {
		once, twice := looked(half[name]), looked(whole[name])
		if once == 0 || float64(twice) > 2.2*float64(once) {
			t.Errorf("%s: %d octets looked at in %d, %d in %d", name, once, len(half[name]), twice, len(whole[name]))
		}
	}
}
