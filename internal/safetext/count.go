package safetext

import (
	"fmt"
	"strings"
)

// Count writes a number of things, named in the singular: "1 entry", "2 entries".
func Count[N ~int | ~int64 | ~uint64](n N, thing string) string {
	if n != 1 {
		thing = pluralOf(thing)
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Age writes seconds as a whole number of the largest unit that allows it.
func Age(seconds int64) string {
	for _, unit := range []struct {
		name    string
		seconds int64
	}{{"day", 86400}, {"hour", 3600}, {"minute", 60}} {
		if seconds%unit.seconds == 0 {
			return Count(seconds/unit.seconds, unit.name)
		}
	}
	return Count(seconds, "second")
}

// pluralOf is the regular plural of a noun, or of words that end with one.
func pluralOf(noun string) string {
	for _, end := range []string{"s", "x", "z", "ch", "sh"} {
		if strings.HasSuffix(noun, end) {
			return noun + "es"
		}
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.ContainsAny(stem[max(len(stem)-1, 0):], "aeiou") {
		return stem + "ies"
	}
	return noun + "s"
}
