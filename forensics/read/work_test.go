package read_test

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/harness/worst"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestOneSearch: a record is searched once for the beginnings of events, or once with its
// body and once without.
func TestOneSearch(t *testing.T) {
	digits := strings.Repeat("0123456789abcdef", 40)
	text := strings.Repeat("a line of text about previous_hash, ", 40)
	damaged := `{"level":"info","previous_hash":1,"skip_hash":2,"log_id":3,"key_id":4,"message":"` + text + `"}`
	const otlp = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"`
	for name, c := range map[string]struct {
		record string
		times  float64
	}{
		"no event":                  {`{"level":"info","message":"` + text + `"}`, 1},
		"no event, with digits":     {`{"level":"info","message":"` + digits + `"}`, 6},
		"no event, with traces":     {damaged, 1},
		"text":                      {text, 1},
		"a body that is text":       {otlp + text + `"}}]}]}]}`, 1},
		"a body that has traces":    {`{"log":` + strconv.Quote(damaged+"\n") + `,"stream":"stdout","time":"t"}`, 1},
		"a document of many values": {`{"resourceLogs":[{"resource":{},"scopeLogs":[]}]}`, 1},
	} {
		looked := must.Get(read.Searched(t.Context(), strings.NewReader(c.record+"\n"), read.Options{}, &dumps.Found{}))(t)
		if most := c.times*float64(len(c.record)) + 2; float64(looked) > most {
			t.Errorf("%s: %d octets were searched in %d", name, looked, len(c.record))
		}
	}
}

// TestWorkIsLinear: of twice as much, twice as much is looked at.
func TestWorkIsLinear(t *testing.T) {
	looked := func(input string) int64 {
		return must.Get(read.Looked(t.Context(), bytes.NewReader([]byte(input)), read.Options{}, &dumps.Found{}))(t)
	}
	n := chance.Sized(10_000, 2_000)
	half, whole := worst.Texts(n), worst.Texts(2*n)
	for _, name := range slices.Sorted(maps.Keys(half)) {
		once, twice := looked(half[name]), looked(whole[name])
		if once == 0 || float64(twice) > 2.2*float64(once) {
			t.Errorf("%s: %d octets looked at in %d, %d in %d", name, once, len(half[name]), twice, len(whole[name]))
		}
	}
}
