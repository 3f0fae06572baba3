// Package answertest has hostile texts for the tests of all forms of answers.
package answertest

import (
	"regexp"
	"strings"
	"unicode"

	"pgregory.net/rapid"
)

// Hostile are texts that would do something in a page, a table, a terminal or a log. None
// is empty.
var Hostile = []string{
	"\x1b[2J<script>alert(1)</script>](https://evil.example) {0} `|` @all #1\r\n::error::x\u202e\xff\x00]]>\ufffe",
	"]]></failure></testcase><!--", `"/><script>`, "::error::x", "%0A::error::x", "%25", "a,line=1::b",
	"\n| a | b |\n|---|---|\n", `\|`, `\\|`, "``|`", "|", "# heading", "- item", "1. item", "```\n", "<details open>",
	"{{.Command}}", "{0}", "](#x)", "[a](b)", "@org/team", "org/repo#1", "GH-12", ":tada:", "javascript:alert(1)",
	"//evil.example/x", "file:///etc/passwd", "C:\\x", "../../x", "/", ".", "-", " ", "\\", "\u202e\u2066\ufeff",
	"\ud7ff\ufffe", "&amp;&#0;", "--", "]]>", "\x1b]8;;http://evil\x07", strings.Repeat("\xf0\x9f\x98\x80", 400),
	`<script>alert(1)</script><img src=x onerror=alert(1)>`,
	`"><svg onload=alert(1)>'--></style></title></pre></textarea>`,
	"\x1b[2J\x1b[32m\n# verified\r\u009b31m\u202e\u200b\u2028\x07\x7f\u2066",
	"[click](javascript:alert(1)) ![x](https://evil.example/x) https://evil.example www.evil.example a@evil.example",
	"```\n| a | b |\n|---|---|\n<details>` `` |\n\n- [x] done\n\n> quote\n***\n12. one",
	"=cmd|'/c calc'!A1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "\uff1d1",
	"{{.Title}}{{define \"sign\"}}", "`", "`` a`", "$x^2$", "&lt;b&gt;", "#finding-1",
}

// Texts draws a text. Some part of it is likely to mean something in a form.
func Texts() *rapid.Generator[string] {
	piece := rapid.OneOf(rapid.SampledFrom(Hostile), rapid.String(),
		rapid.StringMatching("[`|\\\\<>&@#:/\\[\\](){}%,\"']{1,8}"))
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 3).Draw(t, "text"), "")
	})
}

// UnsafeAt is the index of the first rune that is not visible, -1 if there is none. A
// line feed is the form's.
func UnsafeAt(s string) int {
	return strings.IndexFunc(s, func(r rune) bool {
		return r != '\n' &&
			(unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp))
	})
}

// Tag matches a tag of a page.
var Tag = regexp.MustCompile(`<[^>]*>`)

var (
	value  = regexp.MustCompile(`="[^"]*"`)
	breaks = regexp.MustCompile(`<span class="(?:whole|digest)">((?:[^<]|<wbr>)*)</span>`)
)

// Skeleton is the markup of a page without texts, values and marks of line ends.
func Skeleton(page string) string {
	_, body, _ := strings.Cut(page, "</style>")
	body = strings.ReplaceAll(breaks.ReplaceAllString(body, "$1"), "<wbr>", "")
	return value.ReplaceAllString(strings.Join(Tag.FindAllString(body, -1), "\n"), "")
}
