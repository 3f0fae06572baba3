package safetext

import (
	"strconv"
	"unicode/utf8"
)

// How much of a text is shown, in bytes.
const (
	// Glimpse is enough to recognise a place in a document by the beginning of its content.
	Glimpse = 60

	// Value is enough for the values that people compare: identifiers, digests
	// and signatures. The longest of them is an identifier (SPEC 1.5).
	Value = 128

	// phrase is enough for a phrase that quotes such values. A sentence with two
	// of them is still read by people.
	phrase = 400
)

// Excerpt quotes text of the evidence for a sentence: as a string literal of Go,
// printable ASCII in one line. Of a text of more than most bytes it quotes the
// beginning, up to a whole character, and puts "..." behind the quotes.
func Excerpt[T ~string | ~[]byte](text T, most int) string {
	if whole := beginningSize(text, most); whole < len(text) {
		return strconv.QuoteToASCII(string(text[:whole])) + "..."
	}
	return strconv.QuoteToASCII(string(text))
}

// Phrase returns a part of a sentence that may quote evidence as one safe line, as
// [Line] does, and cuts it where it is longer than a sentence bears.
func Phrase(s string) string {
	if whole := beginningSize(s, phrase); whole < len(s) {
		return Line(s[:whole]) + "..."
	}
	return Line(s)
}

// beginningSize is how many bytes at the beginning are whole characters and not more
// than most.
func beginningSize[T ~string | ~[]byte](text T, most int) int {
	if len(text) <= most {
		return len(text)
	}
	for at := most; at > most-utf8.UTFMax && at > 0; at-- {
		if utf8.RuneStart(text[at]) {
			return at
		}
	}
	return most // it is not UTF-8
}

// Cut returns a text. Of one of more than most bytes it returns the beginning, up to
// a whole character, with "..." behind it.
func Cut(s string, most int) string {
	if whole := beginningSize(s, most); whole < len(s) {
		return s[:whole] + "..."
	}
	return s
}
