package columns

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func TestCut(t *testing.T) {
	tests := []struct {
		name, in string
		n        int
		want     string
	}{
		{"fits", "node-1", 6, "node-1"},
		{"middle", "0123456789", 7, "012…789"},
		{"even width", "0123456789", 6, "012…89"},
		{"one column", "0123456789", 1, "…"},
		{"two columns", "0123456789", 2, "0…"},
		{"no column", "0123456789", 0, ""},
		{"negative", "0123456789", -3, ""},
		{"quoted keeps its quotes", "one two three", 9, `"one…ree"`},
		{"escape stays whole", "\x1b\x1b\x1b\x1b", 12, `"\x1b…\x1b"`},
		{"wide letters", "証拠証拠証拠", 7, "証…証拠"},
		{"mark stays on its letter", "aaaae\u0301bbbb", 5, "aa…bb"},
		{"mark at the head", "e\u0301e\u0301e\u0301e\u0301", 3, "e\u0301…e\u0301"},
		{"mark that takes a column", "\x80j\u1038", 5, `"…j` + "\u1038" + `"`},
		{"mark that would stand alone", "\x80j\u1038", 4, `"…"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			check.Equal(t, Cut(test.in, test.n), test.want, "Cut(%q, %d) =", test.in, test.n)
		})
	}
}

func TestCutUsesTheWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[a-z]{30,60}`).Draw(t, "s")
		n := rapid.IntRange(1, 29).Draw(t, "n")
		w := Width(Cut(s, n))
		must.That(t, w == n, "Cut(%q, %d) takes %d columns", s, n, w)
	})
}

func TestWrap(t *testing.T) {
	digest := "sha256:" + strings.Repeat("ab", 32)
	tests := []struct {
		name, in      string
		width, indent int
		want          string
	}{
		{"short", "one two", 20, 0, "one two"},
		{"exact", "one two", 7, 0, "one two"},
		{"one over", "one two", 6, 0, "one\ntwo"},
		{"hanging indent", "one two three", 10, 4, "one\n    two\n    three"},
		{"white space collapses", "one\n  two", 20, 0, "one two"},
		{"paragraphs", "one two\n\nthree", 5, 1, "one\n two\n\n three"},
		{"columns, not bytes", "証拠 証拠 証拠", 9, 0, "証拠 証拠\n証拠"},
		{"digest is not torn", "found " + digest + " here", 20, 2, "found\n  " + digest + "\n  here"},
		{"empty", "", 10, 2, ""},
		{"indent wider than the line", "one two", 2, 5, "one\n     two"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			check.Equal(t, Wrap(test.in, test.width, test.indent), test.want, "Wrap =")
		})
	}
}

func TestWrapKeepsWordsAndWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-z]{1,8}`)).Draw(t, "words")
		width := rapid.IntRange(12, 40).Draw(t, "width")
		indent := rapid.IntRange(0, 4).Draw(t, "indent")
		got := Wrap(strings.Join(words, " "), width, indent)
		must.That(t, strings.Join(strings.Fields(got), " ") == strings.Join(words, " "),
			"words changed: %q", got)
		lines := strings.Split(strings.Repeat(" ", indent)+got, "\n")
		for i, line := range lines {
			must.That(t, Width(line) <= width, "line %q is wider than %d", line, width)
			if i > 0 && Width(lines[i-1])+1+len(strings.Fields(line)[0]) <= width {
				t.Fatalf("line %q was broken too early before %q", lines[i-1], line)
			}
		}
	})
}

// FuzzCut: the cut text fits, and is as safe as before.
func FuzzCut(f *testing.F) {
	for _, s := range []string{"", "a", `"`, "\x1b[0m", "\u202ea", "\xff", "a\u0301\u0301\u0301\u0301\u0301",
		"\U000e0001", "\x80j\u1038"} {
		f.Add(s, 7)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		cut := Cut(s, n)
		w := Width(cut)
		must.That(t, w <= max(n, 0), "Cut(%+q, %d) is %d columns wide: %s", s, n, w, cut)
		must.That(t, safetext.Line(cut) == cut, "Cut(%+q, %d) is %+q, and not safe", s, n, cut)
	})
}
