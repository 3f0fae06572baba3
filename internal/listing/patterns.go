package listing

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Patterns choose files by name: by the path below a folder that was named, the last part of a
// file that was named itself, or the name of a member in its archive.
//
// A pattern without a slash is matched with the last part of a name. One with slashes is
// matched with the whole of it, part by part, and its part ** matches any number of parts, or
// none. Parts match as in [path.Match].
type Patterns []string

// ParsePatterns returns an error if one is not a pattern.
func ParsePatterns(texts []string) (Patterns, error) {
	for _, text := range texts {
		if _, err := path.Match(text, ""); err != nil || text == "" {
			return nil, fmt.Errorf("%s is not a pattern of names", safetext.Quote(text))
		}
	}
	return texts, nil
}

// Match reports whether one of the patterns matches a name. No patterns match every name.
func (p Patterns) Match(name string) bool {
	parts := strings.Split(path.Clean(name), "/")
	return len(p) == 0 || slices.ContainsFunc(p, func(pattern string) bool {
		if !strings.Contains(pattern, "/") {
			return matchParts([]string{pattern}, parts[len(parts)-1:])
		}
		return matchParts(strings.Split(pattern, "/"), parts)
	})
}

// matchParts matches all parts. Where they differ, only the last ** before has to take one more.
func matchParts(pattern, parts []string) bool {
	at, n, again, from := 0, 0, -1, 0
	for n < len(parts) {
		if at < len(pattern) && pattern[at] == "**" {
			again, from = at, n
			at++
			continue
		}
		if at < len(pattern) {
			if same, _ := path.Match(pattern[at], parts[n]); same { // ParsePatterns refuses a bad pattern
				at, n = at+1, n+1
				continue
			}
		}
		if again < 0 {
			return false
		}
		from++
		at, n = again+1, from
	}
	return !slices.ContainsFunc(pattern[at:], func(part string) bool { return part != "**" })
}
