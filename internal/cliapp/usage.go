package cliapp

import (
	"fmt"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// usageError is a mistake in the command line. It is reported with a pointer
// to the help.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

// Usagef returns an error that says the command line is wrong, for what an
// action finds only with all flags at hand, such as two that exclude each
// other.
func Usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// DidYouMean returns a question that names the candidate closest to word, to
// be appended to a message, or "" if none is close.
func DidYouMean(word string, candidates []string) string {
	best, least := "", max(2, len(word)/3)+1
	for _, candidate := range candidates {
		if d := distance(word, candidate); d < least && d < len(candidate) {
			best, least = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", safetext.Quote(best))
}

// maxGuess bounds the words for which a suggestion is looked for.
const maxGuess = 64

// distance returns the edit distance of two words, two neighbours in the wrong
// order counting as one edit.
func distance(a, b string) int {
	if len(a) > maxGuess || len(b) > maxGuess {
		return maxGuess
	}
	var before, last []int // rows i-2 and i-1 of the table
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(last[j]+1, row[j-1]+1, replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
