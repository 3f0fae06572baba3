package object

import "fmt"

// Sentences are the text of an answer next to its numbers.
type Sentences []string

// Say adds a sentence, if it is true.
func (s *Sentences) Say(is bool, format string, args ...any) {
	if is {
		*s = append(*s, fmt.Sprintf(format, args...))
	}
}
