package house_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// measured are figures of speed and of size for each thing, and words for them. A machine
// makes them true or false, so they are in docs/performance.md alone, next to the command that
// measures them.
var measured = regexp.MustCompile(`(?i)\d\s?(ns|µs|ms|[kmgt]i?b/s)\b` +
	`|\b(octets?|bytes?|[kmg]i?b) (for each|for every|per|an?) (event|object|bundle|proof|file|log|record)\b` +
	`|\bin (a few |some )?(minutes|seconds)\b|\b(million|billion)s? (of )?(events|objects|bundles|proofs)\b` +
	`|\b(constant|flat) memory\b|\bmemory (is|stays) (flat|constant)\b|\btimes (as fast|faster)\b|\bunder \w+ minutes?\b` +
	`|\b(one|single) static (binary|file)\b`)

// unmeasured are lines with figures that a test holds or is run with.
var unmeasured = map[string]string{
	"docs/cli.md": "`TestCost`, `TestBombs`",
}

// TestStatementsAreMeasured: sentences about speed and size in documents and helps are next to
// the command that measures them.
func TestStatementsAreMeasured(t *testing.T) {
	for _, bad := range []string{"a core takes some 10 µs for an event", "about 60 octets for each event",
		"64 cores read a billion events in minutes", "one static binary", "its memory is flat", "up to 6 KiB a bundle",
		"130 MB/s", "twice, in seconds", "5 times as fast"} {
		check.That(t, measured.MatchString(bad), "%q passes", bad)
	}
	for _, good := range []string{"at most 16 MiB", "within 300 seconds", "expected a duration such as 30s", "a static file"} {
		check.That(t, !measured.MatchString(good), "%q does not pass", good)
	}
	read := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/man/*", "service/docs/*.md", "service/docs/man/*",
		"*/README.md", "*/*/README.md", "*/*/*/README.md"} {
		names := must.Get(filepath.Glob(pattern))(t)
		for _, name := range names {
			name = filepath.ToSlash(name)
			if name == "CHANGELOG.md" || name == "docs/performance.md" || name == "docs/formats.md" {
				continue
			}
			text := must.Get(os.ReadFile(name))(t)
			read++
			for i, line := range strings.Split(string(text), "\n") {
				if found := measured.FindString(line); found != "" && !(unmeasured[name] != "" && strings.Contains(line, unmeasured[name])) {
					t.Errorf("%s:%d: %q: write it in docs/performance.md, beside the command that measures it", name, i+1, found)
				}
			}
		}
	}
	check.That(t, read >= 40, "only %d documents were read", read)
}
