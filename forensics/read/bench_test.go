package read_test

import (
	"bytes"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/worst"
	"github.com/svc-edge/svc-verify/internal/must"
)

// hostile are inputs that could take time that grows with the square of their
// size, made of n pieces.
var hostile = map[string]func(n int) string{
	"values on a line":     func(n int) string { return strings.Repeat(`{"a":1}`, n) },
	"events on a line":     func(n int) string { return strings.Repeat(`{"body":{"data":{}}}`, n) + "\n" },
	"torn on a line":       func(n int) string { return strings.Repeat(`{"resourceLogs":[`, n) + "}\n" },
	"torn events":          func(n int) string { return strings.Repeat(`{"body":{"data":`, n) + "}\n" },
	"open lines":           func(n int) string { return strings.Repeat("{\"a\":\n", n) + "\"\n" },
	"open lines in a list": func(n int) string { return "[" + strings.Repeat("{\"a\":[\n", n) + "\"\n" },
	"list, then a quote":   func(n int) string { return "[" + strings.Repeat("{},", n) + "\"\n" },
	"quotes":               func(n int) string { return strings.Repeat("\"", n) },
	"backslashes":          func(n int) string { return "\"" + strings.Repeat("\\", n) + "\"{\"" },
	"brackets":             func(n int) string { return strings.Repeat("[", n) + "{" },
	"commas":               func(n int) string { return "{" + strings.Repeat(",", n) },
	"garbage lines":        func(n int) string { return "{}\n" + strings.Repeat("x\n", n) },
	"names": func(n int) string {
		return `{"resourceLogs":[` +
			strings.Repeat(`{"scopeLogs":[],"resource":{}},`, n)
	},
	"frames":     func(n int) string { return strings.Repeat("\x00\x00\x00\x04\x0a\x02\x12\x00", n) + "\x0f\xff\xff\xff" },
	"lengths":    func(n int) string { return "\x00\x00\x00\x04\x0a\x02\x12\x00" + strings.Repeat("\x0f\xff\x0a\x0a", n) },
	"fields":     func(n int) string { return "\x0a\x00" + strings.Repeat("\x0a\x00", n) },
	"heads":      func(n int) string { return strings.Repeat("POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", n) },
	"gzip heads": func(n int) string { return strings.Repeat("\x1f\x8b\x08\x00", n) },
	"zstd heads": func(n int) string { return strings.Repeat("\x28\xb5\x2f\xfd", n) },
}

func TestHostile(t *testing.T) {
	for name, input := range hostile {
		t.Run(name, func(t *testing.T) { sound(t, []byte(input(500)), read.Options{}) })
	}
}

// counter counts records, and looks at the memory now and then.
type counter struct {
	records, skips int
	peak           uint64
}

func (c *counter) Format(string, read.Format, string) error { return nil }
func (c *counter) Skip(read.Skip) error                     { c.skips++; return nil }
func (c *counter) Record(*read.Record) error {
	if c.records++; c.records%5000 == 0 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		c.peak = max(c.peak, m.HeapAlloc)
	}
	return nil
}

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
		"no event, with digits":     {`{"level":"info","message":"` + digits + `"}`, 6.5}, // repeated
		"no event, with traces":     {damaged, 1},
		"text":                      {text, 1},
		"a body that is text":       {otlp + text + `"}}]}]}]}`, 1},
		"a body that has traces":    {`{"log":` + strconv.Quote(damaged+"\n") + `,"stream":"stdout","time":"t"}`, 1},
		"a document of many values": {`{"resourceLogs":[{"resource":{},"scopeLogs":[]}]}`, 1},
	} {
		looked := must.Get(read.Searched(t.Context(), strings.NewReader(c.record+"\n"), read.Options{}, &Found{}))(t)
		if most := c.times*float64(len(c.record)) + 2; float64(looked) > most {
			t.Errorf("%s: %d octets were searched in %d", name, looked, len(c.record))
		}
	}
}

// TestWorkIsLinear: of twice as much, twice as much is looked at.
func TestWorkIsLinear(t *testing.T) {
	looked := func(input string) int64 {
		return must.Get(read.Looked(t.Context(), bytes.NewReader([]byte(input)), read.Options{}, &Found{}))(t)
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
