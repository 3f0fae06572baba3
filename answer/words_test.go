package answer

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/safetext"

	"pgregory.net/rapid"
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
		if got, err := words(text); err != nil || string(got) != want {
			t.Errorf("%q became %s, %v", text, got, err)
		}
	}
}

// TestWordsKeepText: whatever a text is, it can be read and copied as it was.
func TestWordsKeepText(t *testing.T) {
	tags := regexp.MustCompile(`<[^>]*>`)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.String(),
			rapid.StringMatching(`[0-9a-f]{30,70}|[ -/<>"&]{1,9}`))).Draw(t, "text"), "")
		got, err := words(text)
		if plain := html.UnescapeString(tags.ReplaceAllString(string(got), "")); err != nil ||
			plain != safetext.Line(text) {
			t.Fatalf("%q became %q, %v", text, plain, err)
		}
	})
}
