package cliapp

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/must"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		must.Do(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want := must.Get(os.ReadFile(file))(t)
	diff := cmp.Diff(string(want), got)
	check.That(t, diff == "", "%s (-want +got):\n%s", name, diff)
}

func TestGolden(t *testing.T) {
	for name, line := range map[string]string{
		"help.txt":      "--help",
		"help-many.txt": "many --help",
		"demo.1":        "man",
	} {
		_, stdout, _ := call(demo(), strings.Fields(line)...)
		golden(t, name, stdout)
	}
	golden(t, "demo.md", demo().Markdown())
	_, stdout, _ := call(edge(), "events", "--help")
	golden(t, "help-edge.txt", stdout)
}

// The help of a program with long texts stays within 80 columns, and contains every word of
// them.
func TestHelpWidth(t *testing.T) {
	p := demo()
	long := strings.Repeat("many words explain it ", 20) + "end"
	p.Summary, p.Description = long, long
	p.Flags[2].Usage, p.Commands[0].Summary, p.ExitCodes[1].Meaning = long, long, long
	p.Flags[2].Choices = []string{"result", "alpha-variant", "beta-variant", "text"}
	must.Do(t, p.Check())
	_, help, _ := call(p, "--help")
	for _, line := range strings.Split(help, "\n") {
		check.That(t, columns.Width(line) <= 80 && strings.TrimRight(line, " ") == line,
			"line is too wide or ends in a space: %q", line)
	}
	n := strings.Count(help, "end\n")
	check.That(t, n == 4, "%d of 4 long texts are complete:\n%s", n, help)
}

// The manual page has its sections. The module interop/shells has groff read it.
func TestManual(t *testing.T) {
	for _, p := range []*Program{demo(), edge()} {
		page := p.manualPage()
		for _, section := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS",
			"EXIT STATUS", "EXAMPLES"} {
			check.That(t, strings.Contains(page, "\n.SH "+section+"\n"), "%s: no section %s", p.Name, section)
		}
	}
}

func TestRoff(t *testing.T) {
	tests := map[string]string{
		".request":         `\&.request`,
		"'request":         `\(aqrequest`,
		`a\b`:              `a\eb`,
		"--flag":           `\-\-flag`,
		`say "a" ~^` + "`": `say \(dqa\(dq \(ti\(ha\(ga`,
	}
	for in, want := range tests {
		check.Equal(t, escapeRoff(in), want, "roff(%q) =", in)
	}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name   string
		damage func(*Program)
		want   string
	}{
		{"nothing", func(*Program) {}, ""},
		{"reserved flag", func(p *Program) { p.Flags[0].Name = "help" }, "reserved or declared twice"},
		{"flag twice", func(p *Program) { p.Flags[0].Name = "trust" }, "reserved or declared twice"},
		{"shared flag twice", func(p *Program) { p.Shared = []Flag{{Name: "jobs", Value: "N", Usage: "x"}} },
			"reserved or declared twice"},
		{"flag name", func(p *Program) { p.Flags[0].Name = "$(x)" }, "not a plain word"},
		{"choice", func(p *Program) { p.Flags[2].Choices[1] = "a b" }, "not a plain word"},
		{"default", func(p *Program) { p.Flags[2].Default = "no" }, "default of flag output"},
		{"number default", func(p *Program) { p.Commands[0].Flags[1].Default = "0x1" }, "default of flag jobs"},
		{"no usage", func(p *Program) { p.Flags[0].Usage = "" }, "usage is empty"},
		{"no placeholder", func(p *Program) { p.Flags[0].Value = "" }, "placeholder"},
		{"switch with placeholder", func(p *Program) { p.Commands[0].Flags[4].Value = "X" }, "placeholder"},
		{"switch required", func(p *Program) { p.Commands[0].Flags[4].Required = true }, "not required"},
		{"required with default", func(p *Program) { p.Flags[0].Default = "x" }, "required and has a default"},
		{"command twice", func(p *Program) { p.Commands[1].Name = "many" }, "declared twice"},
		{"command of the wrapper", func(p *Program) { p.Commands[1].Name = "man" }, "declared twice"},
		{"command help", func(p *Program) { p.Commands[1].Name = "help" }, "reserved"},
		{"command name", func(p *Program) { p.Commands[1].Name = "Ex plain" }, "not a plain word"},
		{"no summary", func(p *Program) { p.Commands[1].Summary = "" }, "summary"},
		{"no action", func(p *Program) { p.Commands[1].Action = nil }, "either an action or commands"},
		{"group with action", func(p *Program) { p.Commands[3].Action = show }, "either an action or commands"},
		{"group with arguments", func(p *Program) { p.Commands[3].Args = "X" }, "no flags or arguments"},
		{"wide example", func(p *Program) { p.Examples[0] += strings.Repeat(" ", 60) }, "wider than 80"},
		{"example of another program", func(p *Program) { p.Examples[0] = "other x" }, "does not call demo"},
		{"exit codes in prose", func(p *Program) { p.Commands[0].Description = "Checks. Exit codes: 0 if all is well." },
			"speaks of exit codes"},
		{"exit code twice", func(p *Program) { p.Commands[0].ExitCodes = []ExitCode{{0, "all is well"}, {0, "done"}} },
			"listed twice"},
		{"exit code of the program twice", func(p *Program) { p.ExitCodes = append(p.ExitCodes, ExitCode{1, "bad"}) },
			"listed twice"},
		{"exit code that the program lacks", func(p *Program) { p.Commands[0].ExitCodes = []ExitCode{{7, "odd"}} },
			"no exit code 7"},
		{"exit code without a meaning", func(p *Program) { p.Commands[0].ExitCodes = []ExitCode{{0, ""}} },
			"meaning of exit code 0"},
		{"example that fails", func(p *Program) { p.Commands[0].Examples = []string{"demo many a"} },
			"--trust FILE is missing"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := demo()
			test.damage(p)
			err := p.Check()
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("Check = %v, want %q", err, test.want)
			}
		})
	}
	check.Do(t, edge().Check())
}

func TestDidYouMean(t *testing.T) {
	commands := []string{"batch", "ingest", "inspect", "walk", "show", "gaps"}
	tests := map[string]string{
		"bacth": "batch", "batches": "batch", "inspct": "inspect", "injest": "ingest", "wlak": "walk",
		"x": "", "": "", "quarantine": "", strings.Repeat("batch", 40): "",
	}
	for word, want := range tests {
		if want != "" {
			want = "; did you mean " + want + "?"
		}
		check.Equal(t, DidYouMean(word, commands), want, "DidYouMean(%q) =", word)
	}
}

func TestArity(t *testing.T) {
	const many = int(^uint(0) >> 1)
	tests := []struct {
		decl        string
		least, most int
	}{
		{"", 0, 0}, {"CODE", 1, 1}, {"A B", 2, 2}, {"PATH...", 1, many}, {"[PATH...]", 0, many}, {"[PATH]", 0, 1},
		{"A [B...]", 1, many}, {"A [B]", 1, 2},
	}
	for _, test := range tests {
		least, most := argumentCount(test.decl)
		check.That(t, least == test.least && most == test.most, "arity(%q) = %d, %d", test.decl, least, most)
	}
}
