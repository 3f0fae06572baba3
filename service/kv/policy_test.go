package kv

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestCovers: a pattern covers what the regular expression of the same meaning
// matches.
func TestCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(parts ...string) string {
		var b strings.Builder
		for range 1 + r.IntN(5) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		return b.String()
	}
	rounds, covered := 50_000, 0
	if testing.Short() {
		rounds = 5_000
	}
	for range rounds {
		pattern, path := draw("a", "b", "/", "/+/", "a/b"), draw("a", "b", "/", "+", "a/b")
		if r.IntN(2) == 0 {
			pattern += "*"
		}
		if (Rule{Path: pattern}).check() != nil {
			continue
		}
		segments := strings.Split(strings.TrimSuffix(pattern, "*"), "/")
		for i, s := range segments {
			if segments[i] = regexp.QuoteMeta(s); s == "+" {
				segments[i] = "[^/]*"
			}
		}
		expression := "^" + strings.Join(segments, "/")
		if !strings.HasSuffix(pattern, "*") {
			expression += "$"
		}
		want := regexp.MustCompile(expression).MatchString(path)
		must.Equal(t, covers(pattern, path), want, "%q covers %q", pattern, path)
		if want {
			covered++
		}
	}
	check.That(t, covered >= rounds/100, "only %d were covered", covered)
}
