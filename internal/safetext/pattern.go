package safetext

import (
	"regexp"
	"sync"
)

// Pattern returns a regular expression, which is compiled when it is first asked for: a run of
// a program needs few of its patterns. It panics then if the text is none.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
