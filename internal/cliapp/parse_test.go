package cliapp

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

const declared = `# a comment
$trust: --trust FILE required: Whom to trust
$jobs: --jobs N number least=1 most=9 default=4: How many
  at once
$both: trust jobs

[demo] Check things
about: One: paragraph.
about: Another,
  of two lines.
exit 0: done
exit 2: could not work
--output one-of=text|json one-of=csv default=text: What to print
flags: trust
example: demo --trust t.json

[many] Check many things
args: PATH...
exit 0: all are good
flags: both
--title TEXT list default=A title: Its title
--from time: From then on
--quiet switch: No progress
example: demo many --trust t.json \
    a.json

[trust] Work on trust

[trust lint] Look at it
`

func TestParse(t *testing.T) {
	act := func(*Context) (int, error) { return 0, nil }
	got, err := Parse(declared, map[string]Action{"": act, "many": act, "trust lint": act})
	must.Do(t, err)
	trust := Flag{Name: "trust", Value: "FILE", Usage: "Whom to trust", Required: true}
	want := &Program{
		Name: "demo", Summary: "Check things", Description: "One: paragraph.\n\nAnother, of two lines.",
		ExitCodes: []ExitCode{{0, "done"}, {2, "could not work"}},
		Examples:  []string{"demo --trust t.json"},
		Flags: []Flag{{Name: "output", Choices: []string{"text", "json", "csv"}, Default: "text",
			Usage: "What to print"}, trust},
		Commands: []*Command{
			{Name: "many", Summary: "Check many things", Args: "PATH...",
				ExitCodes: []ExitCode{{0, "all are good"}},
				Examples:  []string{"demo many --trust t.json \\\n    a.json"},
				Flags: []Flag{trust,
					{Name: "jobs", Kind: Number, Value: "N", Least: "1", Most: "9", Default: "4", Usage: "How many at once"},
					{Name: "title", Kind: List, Value: "TEXT", Default: "A title", Usage: "Its title"},
					{Name: "from", Kind: Time, Value: "TIME", Usage: "From then on"},
					{Name: "quiet", Kind: Switch, Usage: "No progress"},
				}},
			{Name: "trust", Summary: "Work on trust", Commands: []*Command{{Name: "lint", Summary: "Look at it"}}},
		},
	}
	diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Program{}, "Action"), cmpopts.IgnoreFields(Command{}, "Action"),
		cmpopts.IgnoreUnexported(Command{}))
	check.That(t, diff == "", "%v", diff)
	check.That(t, got.Action != nil && got.Commands[0].Action != nil && got.Commands[1].Commands[0].Action != nil,
		"an action is missing")
}

func TestParseIsStrict(t *testing.T) {
	tests := []struct{ old, text, want string }{
		{"$both: trust jobs", "$both: trust none", "line 5: there is no flag $none"},
		{"$both", "$trust", "line 5: $trust occurs twice"},
		{"# a comment", "about: Nothing.", "line 1: about is before the first command"},
		{"exit 0: done", "exit none: done", "invalid syntax"},
		{"args: PATH...", "args: A\nargs: B", "args is unknown, or occurs twice"},
		{"args: PATH...", "arg: A", "arg is unknown, or occurs twice"},
		{"args: PATH...", "args", "args has no value"},
		{"FILE required", "FILE requird", "flag trust: requird is unknown, or one placeholder too many"},
		{"FILE required", "FILE NAME", "flag trust: NAME is unknown, or one placeholder too many"},
		{"FILE required", "file", "flag trust: file is unknown, or one placeholder too many"},
		{"[trust lint]", "[trst lint]", "trst lint has no group, or occurs twice"},
		{"[trust lint]", "[many]", "many has no group, or occurs twice"},
		{"[trust lint]", "[trust look]", `there is an action for "trust lint", and no such command`},
	}
	for _, test := range tests {
		_, err := Parse(strings.Replace(declared, test.old, test.text, 1), map[string]Action{"trust lint": nil})
		check.That(t, err != nil && strings.Contains(err.Error(), test.want), "%s: %v, want %s", test.text, err, test.want)
	}
}

// TestParseTime: a date is midnight UTC, and a zone is not lost.
func TestParseTime(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-03-02T09:00:00Z":           at,
		"2026-03-02T10:00:00+01:00":      at,
		"2026-03-01T23:30:00-09:30":      at,
		"2026-03-02":                     at.Add(-9 * time.Hour),
		"2026-03-02T09:00:00.123456789Z": at.Add(123456789),
	} {
		got, err := ParseTime(text)
		check.That(t, err == nil && got.Equal(want), "%s: %v, %v, want %v", text, got, err, want)
	}
}

func TestWithoutZone(t *testing.T) {
	for text, want := range map[string]string{
		"2026-07-01T00:00:00":       "2026-07-01T00:00:00Z",
		"2026-07-01 23:59:59":       "2026-07-01T23:59:59Z",
		"2026-07-01T00:00:00.250":   "2026-07-01T00:00:00.25Z",
		"2026-07-01T12:30":          "2026-07-01T12:30:00Z",
		"2026-07-01 12:30":          "2026-07-01T12:30:00Z",
		"2026-07-01T00:00:00Z":      "",
		"2026-07-01T00:00:00+02:00": "",
		"2026-07-01":                "",
		"2026-02-30T00:00:00":       "",
		"2026-07-01T24:00:00":       "",
		"yesterday":                 "",
		"":                          "",
	} {
		if got := withoutZone(text); (got == "") != (want == "") || !strings.HasSuffix(got, " "+want) && want != "" {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
