package answer

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// TestWords: a line ends in a digest between groups alone, and times, names and
// paths are marked to stay whole.
func TestWords(t *testing.T) {
	digest := strings.Repeat("0123456789abcdef", 4)
	torn := strings.TrimSuffix(strings.Repeat("0123456789abcdef<wbr>", 4), "<wbr>")
	for text, want := range map[string]string{
		"plain words, and no more":   "plain words, and no more",
		"event 9, " + digest + ", b": `event 9, <span class="digest">` + torn + `</span>, b`,
		"at 2026-03-02T09:04:02Z":    `at <span class="whole">2026-03-02T09:04:02Z</span>`,
		"node/mesh-1 a<b-c":          `<span class="whole">node/<wbr>mesh-1</span> <span class="whole">a&lt;b-c</span>`,
		digest[:31]:                  digest[:31],
		digest + "0":                 `<span class="digest">` + torn + `<wbr>0</span>`,
	} {
		got, err := breakableWords(text)
		check.That(t, err == nil && string(got) == want, "%q became %s, %v", text, got, err)
	}
}

// TestWordsKeepText: whatever a text is, it can be read and copied as it was.
func TestWordsKeepText(t *testing.T) {
	tags := regexp.MustCompile(`<[^>]*>`)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.String(),
			rapid.StringMatching(`[0-9a-f]{30,70}|[ -/<>"&]{1,9}`))).Draw(t, "text"), "")
		got, err := breakableWords(text)
		if plain := html.UnescapeString(tags.ReplaceAllString(string(got), "")); err != nil ||
			plain != safetext.Line(text) {
			t.Fatalf("%q became %q, %v", text, plain, err)
		}
	})
}

// TestLabel: a long name is cut, and still another than every other name.
func TestLabel(t *testing.T) {
	long := strings.Repeat("x", mostName)
	got := Label(long)
	check.That(t, got == long, "found %s", got)
	names := []string{Label(long + "a"), Label(long + "b"), Label(long), Label(`"` + long)}
	slices.Sort(names)
	check.That(t, len(slices.Compact(names)) == 4, "found %q", names)
	if got := Sentence(strings.Repeat("é", MostSentence)); got != strings.Repeat("é", MostSentence/2)+"..." {
		t.Errorf("%d octets", len(got))
	}
}

// TestLeft: a cut is reported with its size and with where the whole list is.
func TestLeft(t *testing.T) {
	for want, l := range map[string]Left{
		"": Rest{}.Left(-1, "logs"), "2 more logs": Rest{}.Left(2, "logs"),
		`3 more logs, in "a b"`:            Rest{File: "a b", Command: "walk"}.Left(3, "logs"),
		"4 more logs, in what walk writes": Rest{Command: "walk"}.Left(4, "logs"),
	} {
		check.Equal(t, l.Sentence(), want, "%+v", l)
	}
	got := LeftOut(Left{}, Left{N: 1, Of: "x"})
	check.That(t, len(got) == 1 && got[0] == "Left out: 1 more x.", "found %q", got)
	if got := len(Noted(make([]int, MostNotes+1), func(int) string { return "" }, "note")); got != MostNotes {
		t.Errorf("%d notes", got)
	}
}
