package cliapp

import (
	"fmt"

	"github.com/xrash/smetrics"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// usageError is a mistake in the command line. It is reported with a pointer
// to the help.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

// Usagef returns an error that reports a wrong command line. An action uses it for faults that
// only all flags together show, such as two that exclude each other.
func Usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// maxGuess bounds the words for which a suggestion is looked for.
const maxGuess = 64

// DidYouMean returns a question that names the candidate closest to word, to
// be appended to a message, or "" if none is close.
func DidYouMean(word string, candidates []string) string {
	best, least := "", max(2, len(word)/3)+1
	if len(word) > maxGuess {
		return ""
	}
	for _, candidate := range candidates {
		if d := smetrics.WagnerFischer(word, candidate, 1, 1, 1); d < least && d < len(candidate) {
			best, least = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", safetext.Quote(best))
}
