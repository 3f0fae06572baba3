package read_test

import (
	"fmt"
	"maps"
	"strings"
	"unicode/utf16"
)

// spelledLines are spellings with something between any two digits.
var spelledLines = map[string]spelling{
	"hex in words":                eachLine(func(s string) string { return wrapText(4, " ", hexOf(s)) }),
	"hex in words of four octets": together(func(s string) string { return wrapText(8, "_", hexOf(s)) + "\n" }),
	"hex with dots":               eachLine(octetsAs("%02x", ".")),
	"octal with spaces":           eachLine(octetsAs("%03o", " ")),
	"hex with bars":               eachLine(octetsAs("%02x", "|")),
	"decimal with bars":           eachLine(octetsAs("%d", "|")),
	"Chr of octets":               eachLine(surrounded("Chr(", octetsAs("%d", ") & Chr("), ")")),
	"code points":                 eachLine(runesAs("U+%04X", " ")),
	"code points in braces":       eachLine(runesAs(`\u{%x}`, "")),
	"units behind %u":             eachLine(unitsAs("%%u%04X")),
}

// spellings are all of them.
var spellings = func() map[string]spelling {
	all := maps.Clone(spelledEach)
	maps.Copy(all, spelledLines)
	return all
}()

// runesAs writes each character in a format.
func runesAs(format, between string) func(string) string {
	return func(s string) string {
		var all []string
		for _, r := range s {
			all = append(all, fmt.Sprintf(format, r))
		}
		return strings.Join(all, between)
	}
}

// unitsAs writes each unit of UTF-16 in a format.
func unitsAs(format string) func(string) string {
	return func(s string) (out string) {
		for _, u := range utf16.Encode([]rune(s)) {
			out += fmt.Sprintf(format, u)
		}
		return out
	}
}
