package unwrap

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// byteaInCopyOf writes a line as PostgreSQL copies a bytea with bytea_output = escape.
func byteaInCopyOf(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		switch {
		case c == '\\':
			b.WriteString(`\\\\`)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// TestFormOfSeveralValues: each value of a form is decoded by itself, however far from the
// others it is. There a plus sign is a space; in the path of a URL it is a plus sign.
func TestFormOfSeveralValues(t *testing.T) {
	const words = "plain words with a+b & c=d"
	want := eventsWith("a", "b", "c", "d", "e", "f", "g", "h", words, "i", words)
	var form []string
	for _, line := range want {
		form = append(form, "line[]="+url.QueryEscape(line))
	}
	for _, between := range []string{"&", "&n=1&"} {
		var f Finder
		var got []string
		for _, m := range f.Find([]byte("POST / body=x&" + strings.Join(form, between) + "&end=1")).Matches {
			got = append(got, string(m.Body))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", between, diff)
		}
	}
}
