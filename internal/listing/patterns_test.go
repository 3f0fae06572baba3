package listing

import (
	"path"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"

	"pgregory.net/rapid"
)

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern   string
		yes, nots string // names, with spaces between them
	}{
		{"*.json", "a.json x/a.json x/y/.json ./a.json", "a.jsonl a.json/b json"},
		{"a?", "ab x/a1", "a abc ab/x"},
		{"[ab].log", "a.log x/b.log", "c.log"},
		{"x/*.json", "x/a.json ./x/a.json", "a.json y/x/a.json x/y/a.json"},
		{"x/**", "x/a x/y/z", "y/x/a a"},
		{"**/x", "x a/x a/b/x", "a/x/b y"},
		{"x/**/a.log", "x/a.log x/1/a.log x/1/2/a.log", "a.log x/1/a.log/2 y/x/a.log"},
		{"**/x/**/y/*", "x/y/z a/x/b/y/c x/x/y/y/z", "x/z a/y/x/z x/y"},
		{"**", "a a/b", ""},
		{"/x/*", "/x/a", "x/a"},
	} {
		p, err := ParsePatterns([]string{"never", c.pattern})
		must.Do(t, err)
		for _, name := range strings.Fields(c.yes) {
			check.That(t, p.Match(name), "%s does not match %s", c.pattern, name)
		}
		for _, name := range strings.Fields(c.nots) {
			check.That(t, !p.Match(name), "%s matches %s", c.pattern, name)
		}
	}
	for _, bad := range []string{"", "[", "a/[b"} {
		check.That(t, check.Err(ParsePatterns([]string{"*", bad})) != nil, "%q is a pattern", bad)
	}
	check.That(t, Patterns(nil).Match("a"), "no patterns leave something out")
}

// matchNaive tries every number of parts for each **.
func matchNaive(pattern, parts []string) bool {
	if len(pattern) == 0 {
		return len(parts) == 0
	}
	if pattern[0] == "**" {
		return matchNaive(pattern[1:], parts) || len(parts) > 0 && matchNaive(pattern, parts[1:])
	}
	if len(parts) == 0 {
		return false
	}
	same, err := path.Match(pattern[0], parts[0])
	return err == nil && same && matchNaive(pattern[1:], parts[1:])
}

func TestPatternsAreAsTheNaiveOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.SliceOfN(rapid.SampledFrom([]string{"**", "a", "b", "*", "a*"}), 1, 6).Draw(t, "pattern")
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab"}), 1, 7).Draw(t, "parts")
		got, want := matchParts(pattern, parts), matchNaive(pattern, parts)
		must.That(t, got == want, "%q on %q: %t, expected %t", pattern, parts, got, want)
	})
}
