package unwrap

import (
	"fmt"
	"net/url"
	"regexp"
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

var (
	extendedNumbers = regexp.MustCompile(`:(-?[0-9]+)([,}])`)
	extendedTimes   = regexp.MustCompile(`("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z")`)
)

// TestExtendedJSON: numbers that were altered are reported, and times that cannot be read
// back are a piece. What only looks like extended JSON is no extended JSON.
func TestExtendedJSON(t *testing.T) {
	line := genuine(1)[0]
	altered := strings.Replace(line, `"n":0`, `"n":7`, 1)
	micros := strings.Replace(line, `Z","protocol"`, `55Z","protocol"`, 1)
	quotes := strings.Replace(line, "plain", `{\"$number`, 1)
	for name, c := range map[string]struct {
		text            string
		matches, pieces int
	}{
		"numbers, altered": {forms["MongoDB"](altered), 1, 0},
		"times, altered":   {forms["MongoDB, times"](altered), 0, 1},
		"times, finer":     {forms["MongoDB, times"](micros), 0, 1},
		"no value":         {strings.Replace(line, `"n":0`, `"n":{"$numberLong":"x"}`, 1), 0, 1},
		"in a text":        {quotes, 1, 0},
	} {
		r := new(Finder).Find([]byte(c.text))
		if len(r.Matches) != c.matches || len(r.Pieces) != c.pieces || c.matches > 0 && Holds(r.Matches[0].Body) {
			t.Errorf("%s: %d matches, %d pieces", name, len(r.Matches), len(r.Pieces))
		}
	}
}
