package page

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/trust/trustfile"
	"github.com/svc-edge/svc-verify/verify"
)

// TestStyles: every verdict, state and severity has a colour, and no two that
// must be told apart have the same.
func TestStyles(t *testing.T) {
	for _, word := range []string{
		string(verify.Verified), string(verify.Rejected), string(verify.Inconclusive),
		string(verify.Passed), string(verify.Failed), string(verify.Empty), string(verify.Skipped),
		string(finding.Critical), string(finding.High), string(finding.Medium), string(finding.Info),
		string(trustfile.Warning),
	} {
		if styles[word] == "" {
			t.Errorf("%s has no colour", word)
		}
	}
	if a, b, c := styles["verified"], styles["rejected"], styles["inconclusive"]; a == b || b == c || a == c {
		t.Errorf("verdicts have the colours %s, %s and %s", a, b, c)
	}
}

// TestPainted: colours stand around the words that lead, and are all that
// distinguishes the two forms of a page.
func TestPainted(t *testing.T) {
	p := New()
	p.Headline("rejected", "rejected.json")
	p.Lead("high", func() { p.Prose(2, "high      chain.gap is high "+strings.Repeat("and wide ", 12)) })
	p.Lead("unknown", func() { p.Pairs(Pair{"unknown", "info"}) })
	painted := p.Painted()
	want := "\x1b[1;31mrejected\x1b[0m  rejected.json\n  \x1b[31mhigh\x1b[0m chain.gap is high and wide"
	if !strings.HasPrefix(painted, want) {
		t.Errorf("%q, want %q", painted, want)
	}
	plain := strings.NewReplacer("\x1b[1;31m", "", "\x1b[31m", "", "\x1b[0m", "").Replace(painted)
	if plain != p.String() || strings.Contains(plain, "\x1b") {
		t.Errorf("without colours %q, want %q", plain, p.String())
	}
}

// TestPairs: values stand in one column, and one without spaces that is too wide
// stands below its label.
func TestPairs(t *testing.T) {
	p := New()
	digest := strings.Repeat("0", 72)
	p.Pairs(Pair{"a", "one"}, Pair{"longer", digest}, Pair{"c", strings.Repeat("word ", 16)})
	want := "  a       one\n  longer\n    " + digest + "\n  c       " + strings.Repeat("word ", 13) +
		"word\n          word word\n"
	if p.String() != want {
		t.Errorf("%q\nwant\n%q", p.String(), want)
	}
}

// TestBreak: sections are separated by one empty line.
func TestBreak(t *testing.T) {
	p := New()
	p.Break()
	p.Answer("verified", "a")
	p.Break()
	p.Break()
	p.Heading("b")
	p.Conclude()
	rest := p.Rest()
	rest.Conclude()
	if want := "verified  a\n\nb\n\nverified  a\n"; p.String() != want || rest.String() != "\nverified  a\n" {
		t.Errorf("%q and %q, want %q", p.String(), rest.String(), want)
	}
}
