// Package safetext writes text that is safe to show to a person.
//
// Evidence is hostile: an identifier in a bundle can contain
// an escape sequence that repaints "rejected" as "verified", a newline that
// forges a second status line, or a bidi mark that reorders the line around
// it. Whatever came from evidence, a file name or the command line passes
// through this package on its way to a terminal or a report.
//
// A rune is shown as it is only when all of this holds; anything else is
// written as an escape:
//
//   - it is a letter, mark, number, punctuation or symbol of Unicode, or the
//     ASCII space: no control (C0, C1), format, private-use, unassigned or
//     surrogate code point, no other space, no line or paragraph separator;
//   - it is visible: no variation selector, filler or blank;
//   - it belongs to a left-to-right or neutral script: a terminal that meets a
//     right-to-left letter reorders its neighbours, numbers included;
//   - if it is a combining mark, it sits on a letter or a number, and at most
//     three others sit there before it.
//
// Bytes that are not UTF-8 are escaped one by one.
package safetext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks bounds the combining marks on one letter. Four are enough for
// every living orthography; more only serve to paint over other lines.
const maxMarks = 4

// Quote returns s itself if it is one safe, visible word, and a quoted string
// literal in the syntax of Go otherwise. Empty text, spaces, double quotes
// and every rune the package doc excludes call for the quoted form.
//
// Quote is injective: two different strings never look the same. It is not
// idempotent, as the quoted form needs quotes again.
func Quote(s string) string {
	if s != "" && isPrintable(s) && !strings.ContainsAny(s, ` "`) {
		return s
	}
	safe := s != ""
	var b strings.Builder
	b.WriteByte('"')
	for _, t := range tokensOf(s) {
		safe = safe && t.plain
		b.WriteString(t.inQuotes())
	}
	b.WriteByte('"')
	if safe {
		return s
	}
	return b.String()
}

// Tokens splits [Quote] of s into the pieces that must stay whole: a quotation
// mark, an escape, or a character.
func Tokens(s string) []string {
	plain := Quote(s) == s
	var all []string
	for _, t := range tokensOf(s) {
		if plain {
			all = append(all, t.text)
		} else {
			all = append(all, t.inQuotes())
		}
	}
	if !plain {
		all = append(append([]string{`"`}, all...), `"`)
	}
	return all
}

// Line returns a composed sentence as one safe line: every rune that the
// package doc excludes becomes an escape, all others stay, and no quotes are
// put around it. It is a last line of defence for error messages whose parts
// were quoted when they were composed; it is not injective.
func Line(s string) string {
	if isPrintable(s) {
		return s
	}
	var b strings.Builder
	for _, t := range tokensOf(s) {
		b.WriteString(t.text)
	}
	return b.String()
}

// isPrintable reports whether a text is printable ASCII, as most texts are. It needs no escape.
func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// token is one rune of the input, or one byte that is not UTF-8.
type token struct {
	text  string // the rune itself, or its escape
	plain bool   // needs neither an escape nor quotes around the word
}

// inQuotes returns the token as it is between double quotes.
func (t token) inQuotes() string {
	if t.text == `"` || t.text == `\` {
		return `\` + t.text
	}
	return t.text
}

func tokensOf(s string) []token {
	list := make([]token, 0, len(s))
	marks := maxMarks // no letter yet that a mark could sit on
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			list = append(list, token{text: fmt.Sprintf(`\x%02x`, s[0])})
			marks = maxMarks
		case !isVisible(r) || unicode.Is(unicode.M, r) && marks == maxMarks:
			list = append(list, token{text: escapeRune(r)})
			marks = maxMarks
		default:
			list = append(list, token{text: s[:size], plain: r != ' ' && r != '"'})
			marks = marksAfter(r, marks)
		}
		s = s[size:]
	}
	return list
}

// marksAfter counts the marks on the current letter once r has been shown.
func marksAfter(r rune, marks int) int {
	switch {
	case unicode.Is(unicode.M, r):
		return marks + 1
	case unicode.IsLetter(r), unicode.IsNumber(r):
		return 0
	}
	return maxMarks
}

func escapeRune(r rune) string {
	switch r {
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	switch {
	case r < utf8.RuneSelf:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xFFFF:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// isVisible reports whether r may be shown as it is, its neighbours aside.
func isVisible(r rune) bool {
	return unicode.IsPrint(r) && !unicode.In(r, invisible...) && !unicode.Is(rightToLeft, r)
}

// invisible contains the characters that Unicode counts as letters, marks or symbols, but that
// leave no ink: fillers, variation selectors, the blank Braille pattern.
var invisible = []*unicode.RangeTable{
	unicode.Other_Default_Ignorable_Code_Point,
	unicode.Variation_Selector,
	{R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}}},
}

// rightToLeft holds the blocks whose default bidi class is R or AL (UAX 9,
// DerivedBidiClass.txt).
var rightToLeft = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x0590, Hi: 0x08FF, Stride: 1},
		{Lo: 0xFB1D, Hi: 0xFDFF, Stride: 1},
		{Lo: 0xFE70, Hi: 0xFEFF, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x10800, Hi: 0x10FFF, Stride: 1},
		{Lo: 0x1E800, Hi: 0x1EFFF, Stride: 1},
	},
}
