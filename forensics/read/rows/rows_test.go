package rows_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/read/rows"
)

func TestText(t *testing.T) {
	var r rows.Text
	for range 2 {
		r.Open()
		r.Name([]byte(`a"`))
		r.String([]byte("\x00\"\\\xff"))
		r.Name([]byte("b"))
		r.Begin('[')
		r.Int(-1)
		r.Begin('{')
		r.End('}')
		r.Begin('{')
		r.Name([]byte("x"))
		r.Bool(true)
		r.End('}')
		r.Float(0.5)
		r.Float(math.Inf(1))
		r.End(']')
		r.Name([]byte("c"))
		r.Time(1772442000, 5)
		r.Name([]byte("d"))
		r.Octets([]byte("\xff\x00"))
		r.Name([]byte("e"))
		r.Octets([]byte("ü"))
		const want = `{"a\"":"\u0000\"\\` +
			"\xff" + `","b":[-1,{},{"x":true},0.5,null],"c":"2026-03-02T09:00:00.000000005Z",` +
			`"d":"/wA=","e":"ü"}`
		if got := string(r.Close()); got != want {
			t.Fatalf("\n got %s\nwant %s", got, want)
		}
	}
}

// TestAppendString: a written string is read back as it was.
func TestAppendString(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.String().Draw(rt, "s")
		var back string
		if err := json.Unmarshal(rows.AppendString(nil, []byte(s)), &back); err != nil || utf8.ValidString(s) && back != s {
			rt.Fatalf("%q %v", back, err)
		}
	})
}

func TestColumns(t *testing.T) {
	long := strings.Repeat("é", 200)
	got := rows.Columns([][]byte{[]byte("a"), []byte("a#2"), []byte("a"), []byte("a"), []byte("\xff"),
		[]byte(long), []byte(long)})
	seen := map[string]bool{}
	for i, name := range got {
		if seen[string(name)] || !utf8.Valid(name) || len(name) > 300 || i < 2 && len(name) != 1+2*i {
			t.Errorf("%d: %q", i, name)
		}
		seen[string(name)] = true
	}
	var many [][]byte
	for i := range 100_000 {
		many = append(many, fmt.Appendf(nil, "c%d", i%2))
	}
	if got := rows.Columns(many); string(got[99_999]) != "c1#50000" {
		t.Errorf("%s", got[99_999])
	}
}
