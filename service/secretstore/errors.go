package secretstore

import (
	"context"
	"fmt"
	"strings"
	"unicode"
)

// Limits on repeating the text of others.
const (
	maxTexts = 8   // of an answer
	maxText  = 300 // bytes
	maxWord  = 48  // bytes; a key in base64 has no blanks
	maxRun   = 8   // bytes that a text may have in common with the token
)

// hiddenText replaces a text that is not repeated.
const hiddenText = "what was said of it is not shown"

// Error returns the status and what the engine said.
func (e *RefusedError) Error() string {
	text := fmt.Sprintf("the store answers with status %d", e.Status)
	if len(e.Errors) > 0 {
		text += ": " + strings.Join(e.Errors, "; ")
	}
	return text
}

// harmless reports whether a text of another party may be shown, and returns it
// in one line. The answering server knows the token and may know keys, and could send
// them back for the log: a text that has a part of the token, the mark of a PEM
// block or a long word is not shown at all.
func harmless(text, token string) (string, bool) {
	if len(text) > 2*maxText {
		return "", false
	}
	words := strings.Fields(text)
	line := strings.Join(words, " ")
	if line == "" || len(line) > maxText || strings.ContainsFunc(line,
		func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsPrint(r) }) {
		return "", false
	}
	for _, word := range words {
		if len(word) > maxWord {
			return "", false
		}
	}
	packed := strings.ToLower(strings.Join(words, ""))
	if strings.Contains(packed, "-begin") || share(packed, strings.ToLower(token)) {
		return "", false
	}
	return line, true
}

// share reports whether a text contains a part of the token that says much of it,
// or the whole of a short one.
func share(text, token string) bool {
	n := min(maxRun, len(token))
	for i := 0; n > 0 && i+n <= len(token); i++ {
		if strings.Contains(text, token[i:i+n]) {
			return true
		}
	}
	return false
}

// broken is the error of a connection. It wraps the error of the context if that
// has ended, and no other: that the request took too long is no end of the
// caller's context.
func broken(ctx context.Context, what string, err error, token string) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", what, ctx.Err())
	}
	text, ok := harmless(err.Error(), token)
	if !ok {
		text = hiddenText
	}
	return fmt.Errorf("%s: %s", what, text)
}
