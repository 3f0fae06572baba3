package read

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
)

// TestMembersOf: a value is named by its first members, quoted, however many and
// long they are.
func TestMembersOf(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for value, want := range map[string]string{
		`{}`:                      "",
		`7`:                       "",
		`{"a":1,"b c":{"d":[2]}}`: `, with the members "a", "b c"`,
		"{\"\x1b[2J\u202e\":0}":   `, with the members "\x1b[2J\u202e"`,
		`{"` + long + `":0}`:      `, with the members "` + long[:longestMember] + `"...`,
		`{"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0}`: `, with the members "1", "2", "3", "4", "5", "6" and 2 more`,
	} {
		check.Equal(t, membersOf([]byte(value)), want, "%.60s", value)
	}
}

// TestEBCDIC: frames and letters of other character sets are no text in EBCDIC, wherever the
// looked-at part of them ends.
func TestEBCDIC(t *testing.T) {
	text := func(s string) []byte { return bytes.Repeat([]byte(s), 100) }
	genuine := text("\xc1\x40\x93\x89\x95\x85\x40\x96\x86\x40\xa3\x85\xa7\xa3\x25")
	check.That(t, isEBCDIC(genuine), "text in EBCDIC is none")
	for skipped := range 4 {
		for name, b := range map[string][]byte{
			"a frame in UTF-8":       text("\u250c\u2500\u2500\u2500\u252c\u2500\u2500\u2510"),
			"a frame of a codepage":  text("\xda\xc4\xc4\xc4\xc2\xc4\xc4\xc5\xc1\xbf"),
			"text in Japanese":       text("\u8a3c\u660e\u66f8\u306f\u767a\u884c"),
			"text in Russian, 1251":  text("\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0! "),
			"text in French, latin1": text("\xe9t\xe9 \xe0 la plage "),
		} {
			check.That(t, !isEBCDIC(b[skipped:]), "%s, from %d on", name, skipped)
		}
	}
}

// TestWindowIsBounded: while a line is looked for, the window grows to the needs of a unit of
// the largest size, and not to twice that.
func TestWindowIsBounded(t *testing.T) {
	const unit = 5 << 20 // no power of two
	for name, c := range map[string]struct {
		line int
		ok   bool
	}{
		"short":          {100, true},
		"at the limit":   {unit, true},
		"over the limit": {unit + 1, false},
		"far over it":    {4 * unit, false},
	} {
		in := newInput(io.MultiReader(strings.NewReader(strings.Repeat("x", c.line-1)), strings.NewReader("\n{}\n")), unit)
		line, ok := in.peekLine(0, unit)
		check.That(t, ok == c.ok && (!ok || len(line) == c.line), "%s: %d bytes, %v", name, len(line), ok)
		most := unit + firstWindow
		check.That(t, len(in.buf) <= most, "%s: a window of %d bytes, want at most %d", name, len(in.buf), most)
		check.That(t, name != "short" || len(in.buf) == firstWindow,
			"%s: a window of %d bytes", name, len(in.buf))
	}
	// A caller that asks for more than a unit gets it all the same.
	in := newInput(bytes.NewReader(make([]byte, 2*unit)), unit)
	got := in.peekBytes(2 * unit)
	check.That(t, len(got) == 2*unit, "%d bytes, want %d", len(got), 2*unit)
}
