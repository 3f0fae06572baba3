package cliapp

import (
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
)

// TestBounds: a value outside the bounds of its flag is a usage error that names
// them, and one on them is not.
func TestBounds(t *testing.T) {
	p := &Program{Name: "p", Summary: "Take values", ExitCodes: []ExitCode{{0, "done"}}, Examples: []string{"p"},
		Flags: []Flag{
			{Name: "nodes", Kind: Number, Value: "N", Usage: "Nodes", Least: "1", Most: "9"},
			{Name: "count", Kind: Number, Value: "N", Usage: "Count", Least: "1", Default: "1"},
			{Name: "few", Kind: Number, Value: "N", Usage: "Few", Most: "3"},
			{Name: "valid", Kind: Seconds, Value: "D", Usage: "Valid", Least: "1m", Most: "1h"},
			{Name: "wait", Kind: Duration, Value: "D", Usage: "Wait", Least: "1ms"},
		},
		Action: func(*Context) (int, error) { return 0, nil },
	}
	check.Do(t, p.Check())
	for _, c := range []struct{ line, want string }{
		{"--nodes 1", ""}, {"--nodes 9", ""}, {"--nodes 0", "--nodes: expected 1 to 9"},
		{"--nodes 10", "--nodes: expected 1 to 9"},
		{"--count 1", ""}, {"--count 0", "--count: expected at least 1"},
		{"--few 0", ""}, {"--few 3", ""}, {"--few 4", "--few: expected at most 3"},
		{"--valid 1m", ""}, {"--valid 60m", ""}, {"--valid 59s", "--valid: expected 1m to 1h"},
		{"--valid 3601s", "--valid: expected 1m to 1h"},
		{"--valid 90500ms", "--valid: expected whole seconds"}, {"--wait 1ms", ""}, {"--wait 1500us", ""},
		{"--wait 0s", "--wait: expected at least 1ms"},
	} {
		code, _, stderr := call(p, strings.Fields(c.line)...)
		check.That(t, (code == 0) == (c.want == "") && strings.Contains(stderr, c.want), "%s: exit code %d, %s", c.line,
			code, stderr)
	}
	for name, f := range map[string]Flag{
		"default beyond": {Name: "n", Kind: Number, Value: "N", Usage: "N", Default: "0", Least: "1"},
		"least beyond":   {Name: "n", Kind: Number, Value: "N", Usage: "N", Least: "2", Most: "1"},
		"no number":      {Name: "n", Kind: Number, Value: "N", Usage: "N", Least: "one"},
		"of a text":      {Name: "n", Value: "N", Usage: "N", Least: "1"},
		"a text's time":  {Name: "n", Value: "TIME", Usage: "N"},
		"a time's name":  {Name: "n", Kind: Time, Value: "N", Usage: "N"},
	} {
		check.That(t, checkFlag(f) != nil, "%s: the declaration passes", name)
	}
	err := checkFlag(Flag{Name: "n", Kind: Number, Value: "N", Usage: "N", Default: "1", Least: "1",
		Most: "1"})
	check.That(t, err == nil, "%v", err)
}

// TestDurations: days come first, and nothing wraps around.
func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0s": 0, "0": 0, "0d": 0, "90d": 90 * day, "1d12h": 36 * time.Hour, "1d0s": day, "1m30s": 90 * time.Second,
		"1d1.5s":  day + 1500*time.Millisecond,
		"106751d": 106751 * day, "106751d23h47m16s": 106751*day + 23*time.Hour + 47*time.Minute + 16*time.Second,
	} {
		got, err := parseDuration(text)
		check.That(t, err == nil && got == want, "%s: %v %v, expected %v", text, got, err, want)
	}
	for _, text := range []string{"", "d", "-1d", "+1d", "01d", "1.5d", "1d-1s", "1d+1s", "1d 1h", "1h1d", "1d1d", "1D",
		"1w", "90", "-1s",
		"106751d23h47m17s", "106752d", "9223372036854775807d", "92233720368547758080d", "300000000h"} {
		got, err := parseDuration(text)
		check.That(t, err != nil, "%q was read as %v", text, got)
	}
}
