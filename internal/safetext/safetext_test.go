package safetext

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func TestQuote(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"word", "node-1", "node-1"},
		{"path", `C:\evidence\a.json`, `C:\evidence\a.json`},
		{"digest", "sha256:9f2c", "sha256:9f2c"},
		{"accents", "Zürich", "Zürich"},
		{"Han", "証拠", "証拠"},
		{"combining mark on a letter", "e\u0301", "e\u0301"},
		{"Devanagari vowel sign", "कि", "कि"},
		{"empty", "", `""`},
		{"space", "a b", `"a b"`},
		{"looks quoted", `"a"`, `"\"a\""`},
		{"quote inside", `a"b`, `"a\"b"`},
		{"backslash in a quoted string", `a\ b`, `"a\\ b"`},
		{"escape sequence", "\x1b[32mok", `"\x1b[32mok"`},
		{"C1 control CSI", "\u009b1m", `"\u009b1m"`},
		{"NUL and DEL", "a\x00b\x7f", `"a\x00b\x7f"`},
		{"line breaks", "a\r\nb\tc", `"a\r\nb\tc"`},
		{"line and paragraph separator", "a\u2028b\u2029", `"a\u2028b\u2029"`},
		{"next line", "a\u0085b", `"a\u0085b"`},
		{"bidi override", "a\u202eb", `"a\u202eb"`},
		{"bidi isolate", "a\u2066b\u2069", `"a\u2066b\u2069"`},
		{"Arabic letter mark", "a\u061cb", `"a\u061cb"`},
		{"Hebrew letter", "a\u05d0", `"a\u05d0"`},
		{"Arabic presentation form", "\ufe8d", `"\ufe8d"`},
		{"zero-width space and joiner", "a\u200bb\u200d", `"a\u200bb\u200d"`},
		{"byte order mark", "\ufeffa", `"\ufeffa"`},
		{"soft hyphen", "a\u00adb", `"a\u00adb"`},
		{"tag character", "a\U000e0041", `"a\U000e0041"`},
		{"variation selector", "a\ufe0f", `"a\ufe0f"`},
		{"combining grapheme joiner", "a\u034f", `"a\u034f"`},
		{"Hangul filler", "a\u3164", `"a\u3164"`},
		{"blank Braille pattern", "a\u2800", `"a\u2800"`},
		{"no-break space", "a\u00a0b", `"a\u00a0b"`},
		{"ideographic space", "a\u3000b", `"a\u3000b"`},
		{"private use", "\ue000", `"\ue000"`},
		{"unassigned", "\U0001fbff", `"\U0001fbff"`},
		{"noncharacter", "\uffff", `"\uffff"`},
		{"invalid byte", "a\xffb", `"a\xffb"`},
		{"overlong slash", "\xc0\xaf", `"\xc0\xaf"`},
		{"surrogate", "\xed\xa0\x80", `"\xed\xa0\x80"`},
		{"real replacement character", "\ufffd", "\ufffd"},
		{"mark at the start", "\u0338=", `"\u0338="`},
		{"mark on punctuation", "=\u0338", `"=\u0338"`},
		{"fifth mark", "a\u0300\u0301\u0302\u0303\u0304", "\"a\u0300\u0301\u0302\u0303\\u0304\""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			check.Equal(t, Quote(test.in), test.want, "Quote(%+q) =", test.in)
			checkSafe(t, Quote(test.in))
		})
	}
}

func TestLine(t *testing.T) {
	in := "bundle \"a b\": \x1b[2J forged\nsvc-verify: verified \\o/"
	want := `bundle "a b": \x1b[2J forged\nsvc-verify: verified \o/`
	check.Equal(t, Line(in), want, "Line =")
}

// nasty draws text in which quotes, escapes and the characters that they represent are common,
// so that collisions would be found.
func nasty() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{`"`, `\`, `\n`, "\n", `\x1b`, "\x1b", `\u202e`, "\u202e", "\xff", `\xff`, "ÿ", " ", "a",
			"\u0301", "…", "界", "\ufe0f"}),
		rapid.String(),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "pieces"), "")
	})
}

func TestQuoteInjective(t *testing.T) {
	seen := map[string]string{}
	rapid.Check(t, func(t *rapid.T) {
		s := nasty().Draw(t, "s")
		q := Quote(s)
		old, ok := seen[q]
		must.That(t, !ok || old == s, "Quote(%+q) == Quote(%+q) == %s", old, s, q)
		seen[q] = s
		got := unquote(t, q)
		must.That(t, got == s, "Quote(%+q) = %s reads back as %+q", s, q, got)
	})
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// unquote is the inverse of Quote. That it exists proves Quote injective.
func unquote(t fataler, q string) string {
	t.Helper()
	if !strings.HasPrefix(q, `"`) {
		return q
	}
	s, err := strconv.Unquote(q)
	if err != nil {
		t.Fatalf("%s is no string literal: %v", q, err)
	}
	return s
}

// checkSafe is the oracle: it names the characters that must never appear, by Unicode category
// and by the standard's own property tables.
func checkSafe(t fataler, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Fatalf("%q is not UTF-8", out)
	}
	for _, r := range out {
		if unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Bidi_Control,
			unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
			unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Adlam) {
			t.Fatalf("%+q holds %U", out, r)
		}
		if unicode.IsSpace(r) && r != ' ' {
			t.Fatalf("%+q holds the space %U", out, r)
		}
	}
}

func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "a", `"`, "\x1b[0m", "\u202ea", "\xff",
		"a\u0301\u0301\u0301\u0301\u0301", "\U000e0001"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := Quote(s)
		checkSafe(t, q)
		got := unquote(t, q)
		must.That(t, got == s, "Quote(%+q) = %s reads back as %+q", s, q, got)
		checkSafe(t, Line(s))
		joined := strings.Join(Tokens(s), "")
		must.That(t, joined == q, "Tokens(%+q) join to %s, Quote is %s", s, joined, q)
	})
}

// TestPrintable: short texts of printable ASCII take a short way to the same line.
func TestPrintable(t *testing.T) {
	for first := range 256 {
		for second := range 256 {
			s := string([]byte{byte(first), byte(second)})
			line, quoted, safe := "", `"`, true
			for _, one := range tokensOf(s) {
				line, quoted, safe = line+one.text, quoted+one.inQuotes(), safe && one.plain
			}
			if quoted += `"`; safe {
				quoted = s
			}
			if Line(s) != line || Quote(s) != quoted {
				t.Errorf("%q: %s and %s", s, Line(s), Quote(s))
			}
		}
	}
}
