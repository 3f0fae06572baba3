package cliapp

import (
	"go/parser"
	"go/token"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func TestUnderstood(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"root action", "--evidence a --trust b",
			`args=[] evidence="a" given=true trust="b" given=true output="result" given=false`},
		{"default is not given", "--evidence a --trust b --output result",
			`args=[] evidence="a" given=true trust="b" given=true output="result" given=true`},
		{"value replaces the default", "--evidence a --trust b --output brief",
			`args=[] evidence="a" given=true trust="b" given=true output="brief" given=true`},
		{"flag after the argument", "many a.json --trust b c.json",
			`args=["a.json" "c.json"] trust="b" given=true jobs=4 wait=0s type=[] quiet=false`},
		{"single dash and =", "many -trust=b -jobs 7 x",
			`args=["x"] trust="b" given=true jobs=7 wait=0s type=[] quiet=false`},
		{"value with dash", "many --trust=--x -- -y",
			`args=["-y"] trust="--x" given=true jobs=4 wait=0s type=[] quiet=false`},
		{"list with comma", "many --trust b --type a,b --type c x",
			`args=["x"] trust="b" given=true jobs=4 wait=0s type=["a,b" "c"] quiet=false`},
		{"all kinds", "many --trust b --jobs 0 --wait 1m30s --quiet x",
			`args=["x"] trust="b" given=true jobs=0 wait=1m30s type=[] quiet=true`},
		{"standard input", "show -", `args=["-"]`},
		{"argument help", "explain help", `args=["help"]`},
		{"argument h after --", "show -- h", `args=["h"]`},
		{"argument help in a group", "trust lint help", `args=["help"]`},
		{"argument named like a command", "show many trust", `args=["many" "trust"]`},
		{"argument named like a flag given", "many --trust x trust",
			`args=["trust"] trust="x" given=true jobs=4 wait=0s type=[] quiet=false`},
		{"completion flag as argument", "show -- --generate-bash-completion", `args=["--generate-bash-completion"]`},
		{"flag-like after --", "show -- --help --version", `args=["--help" "--version"]`},
		{"second -- is an argument", "show -- --", `args=["--"]`},
		{"no optional argument", "show", `args=[]`},
		{"nested command", "trust diff a b", `args=["a" "b"]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := call(demo(), strings.Fields(test.line)...)
			check.That(t, code == 0 && stdout == test.want && stderr == "", "exit code %d\n got %s\nwant %s\nstderr %q", code,
				stdout, test.want, stderr)
		})
	}
}

func TestUsageErrors(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"unknown command", "mny", `demo has no command mny; did you mean many?`},
		{"unknown command far off", "quarantine", "demo has no command quarantine\n"},
		{"unknown command in a group", "trust lnit f", `demo trust has no command lnit; did you mean lint?`},
		{"help in a group", "trust help", `write --help after the command`},
		{"help on nothing", "help mny", `demo has no command mny; did you mean many?`},
		{"json without an output", "many --json x", `demo many has no flag --json`},
		{"group alone", "trust", `demo trust needs a command: one of lint, diff`},
		{"argument too many", "explain a b", `unexpected argument b: demo explain takes CODE`},
		{"argument where none", "reject x", `unexpected argument x: demo reject takes no argument`},
		{"word after -- at the root", "--evidence a --trust b -- many", `unexpected argument many`},
		{"unknown shell", "completion bsah", `no script for bsah: the shells are bash, zsh, fish`},
		{"argument missing", "many --trust t", `missing argument: demo many takes PATH...`},
		{"two arguments, one given", "trust diff a", `missing argument: demo trust diff takes A B`},
		{"unknown flag", "many --trus t x", `demo many has no flag --trus; did you mean trust?`},
		{"bundled short flags", "many -qv x", `demo many has no flag --qv`},
		{"three dashes", "many ---trust t x", `demo many has no flag ---trust`},
		{"completion flag", "show --generate-bash-completion", `demo show has no flag --generate-bash-completion`},
		{"version after a command", "many --version", `demo many has no flag --version`},
		{"value is missing", "many x --trust", `--trust needs a value: FILE`},
		{"flag taken for a value", "--evidence --trust y",
			`--evidence needs a value, but --trust follows; if that is the value, write --evidence=--trust`},
		{"help taken for a value", "--evidence --help", `--evidence needs a value, but --help follows`},
		{"help with a value", "--help=yes", `has no flag --help`},
		{"given twice", "many --trust a --trust b x", `the flag was given twice`},
		{"given twice, same value", "many --trust a -trust=a x", `the flag was given twice`},
		{"default given twice", "many --trust a --jobs 4 --jobs 4 x", `the flag was given twice`},
		{"switch twice", "many --trust a --quiet --quiet x", `the flag was given twice`},
		{"switch with a value", "many --trust a --quiet=false x", `--quiet takes no value, found false`},
		{"empty value", "many --trust= x", `the value is empty`},
		{"empty list value", "many --trust t --type= x", `the value is empty`},
		{"flag of a value", "--evidence a --trust b --output tex", `invalid value "tex" for flag --output: expected one of`},
		{"not a choice", "--evidence a --trust b --output tex", `expected one of result, brief, text; did you mean text?`},
		{"required", "many x", `--trust FILE is missing: Whom to trust`},
		{"required at the root", "", `--evidence FILE is missing`},
		{"hexadecimal", "many --trust t --jobs 0x10 x", `expected a decimal number`},
		{"octal", "many --trust t --jobs 010 x", `expected a decimal number`},
		{"underscore", "many --trust t --jobs 1_0 x", `expected a decimal number`},
		{"sign", "many --trust t --jobs +1 x", `expected a decimal number`},
		{"negative", "many --trust t --jobs=-1 x", `expected a decimal number`},
		{"too large", "many --trust t --jobs 99999999999999999999 x", `the number is too large`},
		{"fraction", "many --trust t --jobs 1.0 x", `expected a decimal number`},
		{"bad duration", "many --trust t --wait 30 x", `expected a duration such as`},
		{"negative duration", "many --trust t --wait=-1s x", `expected a duration such as`},
		{"root flag before a command", "--trust t many x", `--trust has no effect before the command many`},
		{"root flag before a group", "--output text trust lint f", `--output has no effect before the command trust`},
		{"root flag after a command", "explain --evidence e CODE",
			`--evidence is not for demo explain; it belongs to demo without a command`},
		{"error of the action", "clash", `--a and --b exclude each other`},
		{"hostile command", "\x1b[2J\u202e", `demo has no command "\x1b[2J\u202e"`},
		{"hostile value", "many --trust t --jobs \x1b[2J x", `\x1b[2J`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := call(demo(), strings.Split(test.line, " ")...)
			if test.line == "" {
				code, stdout, stderr = call(demo())
			}
			check.That(t, code == ExitFailure && stdout == "" && strings.Contains(stderr, test.want),
				"exit code %d, stdout %q, stderr\n%s\nwant %s", code, stdout, stderr, test.want)
			check.That(t, strings.HasPrefix(stderr, "demo: ") && strings.Contains(stderr, " --help' for usage.\n") &&
				strings.Count(stderr, "\n") == 2, "stderr is not one sentence and one hint: %q", stderr)
		})
	}
}

func TestEmptyArgument(t *testing.T) {
	code, stdout, stderr := call(demo(), "show", "a", "")
	check.That(t, code == ExitFailure && stdout == "" && strings.Contains(stderr, "argument 2 is empty"),
		"exit code %d, stdout %q, stderr %q", code, stdout, stderr)
}

func TestExitCodes(t *testing.T) {
	tests := []struct {
		line   string
		code   int
		stderr string
	}{
		{"reject", 1, ""},
		{"fail", 2, `demo: reading \x1b[2J: broken\ndemo: verified`},
		{"panic", 2, `demo: internal error: no \x1b[2J luck: nothing was decided: report it with the lines that follow`},
		{"exit", 2, "internal error"},
		{"quit", 2, "demo: gone"},
		{"typo", 2, "internal error"},
	}
	for _, test := range tests {
		t.Run(test.line, func(t *testing.T) {
			code, stdout, stderr := call(demo(), test.line)
			check.That(t, code == test.code && stdout == "" && (stderr == "") == (test.stderr == ""),
				"exit code %d, stdout %q, stderr %q", code, stdout, stderr)
			check.That(t, strings.Contains(stderr, test.stderr) && !strings.Contains(stderr, "\x1b"), "stderr %q, want %q",
				stderr, test.stderr)
		})
	}
	_, _, stderr := call(demo(), "panic")
	check.That(t, strings.Contains(stderr, "goroutine"), "no stack trace: %q", stderr)
}

func TestFailedWrite(t *testing.T) {
	for _, line := range []string{"--help", "--version", "explain CODE", "man", "completion bash"} {
		var stderr strings.Builder
		code := demo().Run(strings.Fields(line), strings.NewReader(""), brokenWriter{}, &stderr)
		check.That(t, code == ExitFailure && strings.Contains(stderr.String(), "short write"),
			"%s: exit code %d, stderr %q", line, code, stderr.String())
	}
}

func TestHelpAndVersion(t *testing.T) {
	for _, line := range []string{"--help", "-h", "-help", "many --help", "many --trust t -h", "trust --help",
		"trust lint --help", "completion bash --help"} {
		code, stdout, stderr := call(demo(), strings.Fields(line)...)
		check.That(t, code == 0 && strings.Contains(stdout, "\nUsage:\n  demo") && stderr == "",
			"%s: exit code %d, stdout %q, stderr %q", line, code, stdout, stderr)
	}
	if code, stdout, stderr := call(demo(), "--version"); code != 0 || stdout != "demo 1.2.3\n" || stderr != "" {
		t.Errorf("--version: exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func TestSharedFlags(t *testing.T) {
	tests := []struct {
		line   string
		code   int
		stdout string
		stderr string
	}{
		{"-ca x -watch events", 0, `ca=x watch=true wait=30s args=[]`, ""},
		{"--ca=x -event-wait 5s status", 0, `ca=x watch=false wait=5s args=[]`, ""},
		{"-ca events events", 0, `ca=events watch=false wait=30s args=[]`, ""},
		{"events -ca x", 2, "", "-ca is before the command: edge -ca ... events"},
		{"-ca x", 2, "", "edge needs a command: one of status, events, completion, man"},
		{"status", 2, "", "-ca PATH is missing"},
		{"-ca x -ca y status", 2, "", "the flag was given twice"},
		{"-cax y status", 2, "", "edge has no flag -cax"},
		{"-ca x status events", 2, "", "unexpected argument events"},
		{"", 2, "", "edge needs a command"},
	}
	for _, test := range tests {
		t.Run(test.line, func(t *testing.T) {
			code, stdout, stderr := call(edge(), strings.Fields(test.line)...)
			check.That(t, code == test.code && stdout == test.stdout && strings.Contains(stderr, test.stderr),
				"exit code %d, stdout %q, stderr %q", code, stdout, stderr)
		})
	}
	code, _, stderr := call(edge(), "man")
	check.That(t, code == 0, "man asks for shared flags: %s", stderr)
}

// Run under -race: no run shares anything with another.
func TestParallelRuns(t *testing.T) {
	p := demo()
	var wait sync.WaitGroup
	for i := range 16 {
		wait.Go(func() {
			arg := strconv.Itoa(i)
			for _, line := range []string{"--help", "man", "completion zsh", "mny", "panic"} {
				p.Run(strings.Fields(line), strings.NewReader(""), io.Discard, io.Discard)
			}
			want := `args=["` + arg + `"] trust="` + arg + `"`
			_, stdout, _ := call(p, "many", "--trust", arg, arg)
			check.That(t, strings.HasPrefix(stdout, want), "run %d read %s", i, stdout)
		})
	}
	wait.Wait()
}

// Whatever the words are: no panic, an exit code of the contract, and nothing
// on standard output if the line was refused.
func TestAnyLine(t *testing.T) {
	word := rapid.OneOf(
		rapid.SampledFrom([]string{"many", "show", "explain", "trust", "lint", "help", "h", "--", "-", "--help", "-h",
			"--version", "--trust", "--trust=x", "--jobs", "--jobs=3", "--quiet", "--type", "--evidence",
			"--output=text", "a", "", "--generate-bash-completion"}),
		rapid.String(),
	)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(word, 0, 7).Draw(t, "words")
		code, stdout, stderr := call(demo(), words...)
		refused := strings.HasPrefix(stderr, "demo: ")
		switch {
		case strings.Contains(stderr, "internal error"):
			must.That(t, len(words) != 0 && strings.Contains("panic exit typo", words[0]), "%q: %s", words, stderr)
		case refused && (code != ExitFailure || stdout != ""):
			t.Fatalf("%q refused with exit code %d, stdout %q", words, code, stdout)
		case !refused && code == ExitFailure:
			t.Fatalf("%q: exit code 2 without a reason", words)
		}
	})
}

// FuzzArguments: words after "--" arrive unchanged.
func FuzzArguments(f *testing.F) {
	f.Add("help", "--trust")
	f.Add("--", "-")
	f.Add("\x00", "\xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		if a == "" || b == "" {
			t.Skip("an empty argument is refused")
		}
		var got []string
		p := &Program{Name: "p", Action: nil,
			Commands: []*Command{{Name: "c", Args: "[X...]", Action: func(c *Context) (int, error) {
				got = c.Args
				return 0, nil
			}}}}
		if code, _, stderr := call(p, "c", "--", a, b); code != 0 || len(got) != 2 || got[0] != a || got[1] != b {
			t.Fatalf("exit code %d, arguments %q, stderr %s", code, got, stderr)
		}
	})
}

// The environment is reached through package os or syscall; neither is
// imported, and the built-in flags of urfave/cli, which would read it, are not
// used.
func TestNoEnvironment(t *testing.T) {
	entries := must.Get(os.ReadDir("."))(t)
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file := must.Get(parser.ParseFile(token.NewFileSet(), entry.Name(), nil, parser.ImportsOnly))(t)
		for _, spec := range file.Imports {
			if path, _ := strconv.Unquote(spec.Path.Value); path == "os" || path == "syscall" {
				t.Errorf("%s imports %s", entry.Name(), path)
			}
		}
	}
}
