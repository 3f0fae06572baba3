package finding

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// small is a text with one code.
const small = `# A comment.

$again: Do it
  again.

[group] some things
severity: high
effect: none

thing.wrong
const: finding.ThingWrong
says: {path} is wrong
perhaps: one
perhaps: two
next: Wait. $again Then stop.
`

// parseAll parses every block of a text.
func parseAll(text string) (all []Entry, err error) {
	x, err := newIndex(text)
	if err != nil {
		return nil, err
	}
	for i := range x.blocks {
		e, err := x.parseBlock(i)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

func TestParse(t *testing.T) {
	all, err := parseAll(small)
	must.Do(t, err)
	want := Entry{Code: "thing.wrong", Group: "group", Severity: High, Effect: None, Subject: Log, Bearing: Integrity,
		Sentence: "{path} is wrong", Explanations: []string{"one", "two"}, Next: "Wait. Do it again. Then stop.",
		constants: []string{"finding.ThingWrong"}}
	check.That(t, len(all) == 1 && fmt.Sprintf("%+v", all[0]) == fmt.Sprintf("%+v", want), "%+v", all)
}

// TestParseIsStrict: each change makes the text invalid, and the error names the place.
func TestParseIsStrict(t *testing.T) {
	const lacks = "line 10: thing.wrong lacks a severity, an effect, a sentence, a next step or a constant"
	for _, tt := range []struct{ old, new, want string }{
		{"effect: none", "effect: non", `line 8: effect cannot be "non"`},
		{"severity: high", "severity: worst", `line 7: severity cannot be "worst"`},
		{"severity: high\n", "", "line 9: thing.wrong lacks a severity"},
		{"effect: none\n", "effect:\n", "line 8: effect: has no value"},
		{"says: {path} is wrong\n", "", lacks},
		{"next: Wait. $again Then stop.\n", "", lacks},
		{"const: finding.ThingWrong\n", "", lacks},
		{"perhaps: one", "maybe: one", "line 13: unknown key maybe"},
		{"perhaps: one", "says: it", "line 13: says has no value, or occurs twice"},
		{"perhaps: one", "blames: nobody", `line 13: blames cannot be "nobody"`},
		{"perhaps: one", "elsewhere: no", `line 13: elsewhere cannot be "no"`},
		{"perhaps: one", "lacks: nothing", `line 13: lacks cannot be "nothing"`},
		{"$again Then", "$anew Then", "line 15: there is no text $anew"},
		{"[group]", "group", "is not a code of a group"},
		{"[group]", "[group", "or its name does not end"},
		{"thing.wrong\n", "thing wrong\n", `line 10: "thing wrong" is not a code`},
		{"# A comment.", "says: early", `line 1: "says: early" is not a code`},
		{"thing.wrong\n", "\nthing.wrong\n", "line 10: a blank line too many"},
	} {
		changed := strings.Replace(small, tt.old, tt.new, 1)
		if _, err := parseAll(changed); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q in the place of %q: %v, want %s", tt.new, tt.old, err, tt.want)
		}
	}
	for _, more := range []string{"\nthing.wrong\n", "\n[group] again\n", "\nthing.new\nwas: thing.wrong\n",
		"was: thing.old thing.old\n", "was: thing.old\n\nthing.old\n", "was: thing.old\ncheck: a\n"} {
		_, err := parseAll(small + more)
		check.That(t, err != nil && strings.Contains(err.Error(), "twice"), "%q at the end: %v", more, err)
	}
}

// TestOlderCode: a code that became another one has the entry of that one.
func TestOlderCode(t *testing.T) {
	e, ok := Lookup("bag.unreadable")
	check.That(t, ok && e.Code == "object.unreadable" && e.Severity == Medium, "%v, %+v", ok, e)
}

// TestText: the embedded text is valid, and uses every text that it shares.
func TestText(t *testing.T) {
	must.Do(t, check.Err(parseAll(text)))
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\$([a-z-]+): `).FindAllStringSubmatch(text, -1) {
		if n := len(regexp.MustCompile(`\$`+m[1]+`\b[^-]`).FindAllString(text, -1)); n < 2 || seen[m[1]] {
			t.Errorf("no code uses the text $%s, or it occurs twice", m[1])
		}
		seen[m[1]] = true
	}
	for i, line := range strings.Split(text, "\n") {
		check.That(t, len(line) <= 120 && strings.TrimRight(line, " \t") == line,
			"line %d is too long, or ends with a space", i+1)
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		must.Do(b, check.Err(parseAll(text)))
	}
}
