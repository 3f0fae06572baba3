package read_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
)

// TestDigitsAroundEvents: digits that nothing decodes leave a text open in which events
// stand, before and behind them, and no other text.
func TestDigitsAroundEvents(t *testing.T) {
	event := string(genuineEvents(1)[0])
	digits := strings.Repeat("5Hq7RtzLmE9", 9)
	digest := strings.Repeat("0123456789abcdef", 4)
	for name, c := range map[string]struct {
		text string
		open bool
	}{
		"before an event":     {"key: " + digits + "\nlog: " + event + " done\n", true},
		"behind an event":     {"log: " + event + " done\nkey: " + digits + "\n", true},
		"between events":      {"log: " + event + "\n" + digits + "\nlog: " + event + "\n", true},
		"without an event":    {"key: " + digits + "\nlog: none\n", false},
		"a digest":            {"log: " + event + " done\nsha256:" + digest + "\n", false},
		"words":               {"log: " + event + " done\nwhat else is there\n", false},
		"in a value":          {event + "\n" + `{"key":"` + digits + `"}` + "\n", false},
		"in the event's line": {"key=" + digest + " log: " + event + "\n", false},
		"a ruler":             {"log: " + event + " done\n" + strings.Repeat("=", 90) + "\n", false},
	} {
		found := sound(t, []byte(c.text), read.Options{})
		open := slices.ContainsFunc(found.Skips, func(s read.Skip) bool { return s.Code.Entry().Effect != finding.None })
		if open != c.open {
			t.Errorf("%s: open %v, want %v: %+v", name, open, c.open, found.Skips)
		}
	}
}
