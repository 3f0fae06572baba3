package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

// TestOutputsFirst: node init makes no key while a file that it writes besides cannot be
// written.
func TestOutputsFirst(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "config.json")
	must.Do(t, os.WriteFile(config, []byte(`{"tenant_id":"acme","node_id":"mesh-oslo-1","state_directory":"state"}`),
		0o600))
	blocked := filepath.Join(dir, "state", publicFile)
	must.Do(t, os.MkdirAll(blocked, 0o700))
	initialise := func() (int, bool) {
		code, _, _ := run("node", "init", "--config", config)
		_, err := os.Stat(filepath.Join(dir, "state", "identity.key"))
		return code, err == nil
	}
	if code, made := initialise(); code != 2 || made {
		t.Errorf("exit %d, a key was made: %t", code, made)
	}
	must.Do(t, os.Remove(blocked))
	must.Do(t, os.Chmod(filepath.Join(dir, "state"), 0o700))
	if code, made := initialise(); code != 0 || !made {
		t.Errorf("exit %d, a key was made: %t", code, made)
	}
}
