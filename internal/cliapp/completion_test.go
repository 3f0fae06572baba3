package cliapp

import "testing"

// TestCompletionScripts compares the scripts with those that the shells themselves were
// asked about: the module interop/shells runs the golden files.
func TestCompletionScripts(t *testing.T) {
	for _, p := range []*Program{demo(), edge()} {
		for _, shell := range []string{"bash", "zsh", "fish"} {
			code, stdout, stderr := call(p, "completion", shell)
			if code != 0 || stderr != "" {
				t.Fatalf("completion %s: exit code %d, %s", shell, code, stderr)
			}
			golden(t, "completion/"+p.Name+"."+shell, stdout)
		}
		golden(t, p.Name+".1", p.manual())
	}
}
