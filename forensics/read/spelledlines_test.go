package read_test

import (
	"fmt"
	"maps"
	"strings"
	"unicode/utf16"
)

// spelledLines are spellings with something around each line, or between any two digits.
var spelledLines = map[string]spelling{
	"base64 at 70 columns behind marks":  marked("> > ", "", together(wrapped(70, "\n", std))),
	"base64 at 76 columns behind a name": marked("Mar 12 09:00:01 host dump[1]: ", "", together(wrapped(76, "\n", std))),
	"base64 at 64 columns in literals":   marked("  '", "' +", together(wrapped(64, "\n", std))),
	"base64 at 76 columns in commands":   marked("echo ", " >> audit.b64", together(wrapped(76, "\n", raw))),
	"hex at 64 columns in literals":      marked("    \"", "\"", together(wrapped(64, "\n", hexOf))),
	"hex at 70 columns, continued":       marked("", " \\", together(wrapped(70, "\n", hexOf))),
	"xxd behind marks":                   marked("# ", "", together(xxdOf)),
	"JSON behind marks":                  marked("> ", "", eachLine(indented)),
	"JSON behind a time":                 marked("2026-03-02T09:00:01.5Z app ", "", eachLine(indented)),
	"JSON in comments":                   marked("\t// ", "", eachLine(indented)),
	"hex in words":                       eachLine(func(s string) string { return wrapText(4, " ", hexOf(s)) }),
	"hex in words of four octets":        together(func(s string) string { return wrapText(8, "_", hexOf(s)) + "\n" }),
	"hex with dots":                      eachLine(octetsAs("%02x", ".")),
	"octal with spaces":                  eachLine(octetsAs("%03o", " ")),
	"hex with bars":                      eachLine(octetsAs("%02x", "|")),
	"decimal with bars":                  eachLine(octetsAs("%d", "|")),
	"Chr of octets":                      eachLine(surrounded("Chr(", octetsAs("%d", ") & Chr("), ")")),
	"code points":                        eachLine(runesAs("U+%04X", " ")),
	"code points in braces":              eachLine(runesAs(`\u{%x}`, "")),
	"JSON in lines with marks":           eachLine(func(s string) string { return wrapText(78, "\n  ↪ ", s) }),
	"JSON with commas":                   func(events []string) string { return strings.Join(events, ",\n") + "\n" },
	"units behind %u":                    eachLine(unitsAs("%%u%04X")),
}

// spellings are all of them.
var spellings = func() map[string]spelling {
	all := maps.Clone(spelledEach)
	maps.Copy(all, spelledLines)
	maps.Copy(all, spelledRows)
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

// marked writes a text with something before and behind each of its lines.
func marked(before, behind string, write spelling) spelling {
	return func(events []string) string {
		text := strings.TrimSuffix(write(events), "\n")
		return before + strings.ReplaceAll(text, "\n", behind+"\n"+before) + behind + "\n"
	}
}
