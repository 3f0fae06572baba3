package cliapp

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// start runs the test binary as the named program, see TestMain.
func start(t *testing.T, program, line string) *exec.Cmd {
	t.Helper()
	self := must.Get(os.Executable())(t)
	cmd := exec.Command(self, strings.Fields(line)...)
	cmd.Env = append(os.Environ(), asProgram+"="+program,
		"TRUST=t.json", "DEMO_TRUST=t.json", "SVC_VERIFY_TRUST=t.json", "CLI_TEMPLATE_ERROR_DEBUG=1")
	return cmd
}

// Only a real process shows its exit code and its two streams.
func TestProcess(t *testing.T) {
	tests := []struct {
		name, program, line string
		code                int
		stdout, stderr      string // the content of the stream, which may be empty
	}{
		{"success", "demo", "many --trust t.json a.json", 0, `args=["a.json"]`, ""},
		{"help", "demo", "--help", 0, "Usage:", ""},
		{"rejected", "demo", "reject", 1, "", ""},
		{"usage", "demo", "mny", 2, "", "has no command mny"},
		{"environment is not read", "demo", "many a.json", 2, "", "--trust FILE is missing"},
		{"panic", "demo", "panic", 2, "", "internal error"},
		{"panic in a goroutine", "crash", "--evidence a --trust b", 2, "", "in a goroutine"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			cmd := start(t, test.program, test.line)
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			must.That(t, cmd.ProcessState != nil, "%v", err)
			check.Equal(t, cmd.ProcessState.ExitCode(), test.code, "exit code")
			checkStream(t, "stdout", stdout.String(), test.stdout)
			checkStream(t, "stderr", stderr.String(), test.stderr)
		})
	}
}

func checkStream(t *testing.T, name, got, want string) {
	t.Helper()
	check.That(t, strings.Contains(got, want) && (want != "" || got == ""), "%s is %q, want %q", name, got, want)
}

// A result that was lost is not delivered.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("needs the device /dev/full, on which every write fails")
	}
	defer full.Close()
	cmd := start(t, "demo", "explain CODE")
	cmd.Stdout = full
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != ExitFailure {
		t.Errorf("ended with %v, want exit code %d", err, ExitFailure)
	}
}

// TestCompletionScripts compares the scripts with the golden files. The module interop/shells
// has the shells themselves run svc-verify's scripts.
func TestCompletionScripts(t *testing.T) {
	for _, p := range []*Program{demo(), edge()} {
		for _, shell := range []string{"bash", "zsh", "fish"} {
			code, stdout, stderr := call(p, "completion", shell)
			must.That(t, code == 0 && stderr == "", "completion %s: exit code %d, %s", shell, code, stderr)
			golden(t, "completion/"+p.Name+"."+shell, stdout)
		}
		golden(t, p.Name+".1", p.manualPage())
	}
}

// TestCandidates asks for the words that may follow a line, as the scripts do.
func TestCandidates(t *testing.T) {
	const top = "many explain show trust reject fail clash panic exit quit typo completion man "
	for line, want := range map[string]string{
		"demo":                            top + "--evidence --trust --output --help",
		"demo --output":                   "result brief text",
		"demo --output =":                 "result brief text",
		"demo --output = text":            top + "--evidence --trust --output --help",
		"demo --output=brief":             top + "--evidence --trust --output --help",
		"demo -output brief trust":        "lint diff --help",
		"demo --evidence":                 "",
		"demo --evidence many":            top + "--evidence --trust --output --help",
		"demo many":                       "--trust --jobs --wait --type --quiet --help",
		"demo many --quiet":               "--trust --jobs --wait --type --quiet --help",
		"demo many --":                    "",
		"demo trust":                      "lint diff --help",
		"demo trust lint x":               "--help",
		"demo many --unknown trust x.txt": "--trust --jobs --wait --type --quiet --help",
		"demo completion":                 "bash zsh fish --help",
		"edge -ca status":                 "status events completion man -ca -event-wait -watch -help",
		"edge -ca x -watch events":        "-help",
	} {
		p := demo()
		if strings.HasPrefix(line, "edge") {
			p = edge()
		}
		code, stdout, stderr := call(p, append([]string{"completion", "zsh", "--"}, strings.Fields(line)...)...)
		var got []string
		for candidate := range strings.Lines(stdout) {
			word, _, _ := strings.Cut(candidate, "\t")
			got = append(got, word)
		}
		check.That(t, code == 0 && stderr == "" && strings.Join(got, " ") == want, "%s: exit code %d, %s\n got %q\nwant %q",
			line, code, stderr, got, want)
	}
}
