package cliapp

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

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

// What only a real process shows: its exit code and its two streams.
func TestProcess(t *testing.T) {
	tests := []struct {
		name, program, line string
		code                int
		stdout, stderr      string // what the stream holds; "" for an empty stream
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
			if err := cmd.Run(); cmd.ProcessState == nil {
				t.Fatal(err)
			}
			if code := cmd.ProcessState.ExitCode(); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			checkStream(t, "stdout", stdout.String(), test.stdout)
			checkStream(t, "stderr", stderr.String(), test.stderr)
		})
	}
}

func checkStream(t *testing.T, name, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) || want == "" && got != "" {
		t.Errorf("%s is %q, want %q", name, got, want)
	}
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
