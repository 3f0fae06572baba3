//go:build heavy

package read_test

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/must"
)

// Time is linear, however quotes and lines tempt to look again.
func TestCSVWorkIsLinear(t *testing.T) {
	texts := func(n int) map[string]string {
		return map[string]string{
			"open quotes":   strings.Repeat("x,\"y\n", n),
			"closed within": strings.Repeat("x,\"y\"z\n", n),
			"lines":         "x,\"" + strings.Repeat("\n", n),
			"empty quotes":  strings.Repeat("x,\"\"\"\"\"\"\n", n),
			"odd quotes":    strings.Repeat("\"\"\"\n", n),
			"delimiters":    strings.Repeat(",", n),
			"torn at last":  strings.Repeat("\"a\n", n/2) + strings.Repeat("b\n", n/2),
		}
	}
	looked := func(text string) int64 {
		n := must.Get(read.Looked(t.Context(), strings.NewReader("a,b\n1,2\n3,4\n5,6\n7,8\n"+text),
			read.Options{}, &Found{}))(t)
		return n
	}
	half, whole := texts(150_000), texts(300_000)
	for name := range half {
		once, twice := looked(half[name]), looked(whole[name])
		if float64(twice) > 2.2*float64(once) || twice > 16*int64(len(whole[name])) {
			t.Errorf("%s: %d octets looked at in %d, %d in %d", name, once, len(half[name]), twice, len(whole[name]))
		}
	}
}
