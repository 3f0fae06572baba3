package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOutputsFirst: node init makes no key while a file that it writes besides cannot be
// written.
func TestOutputsFirst(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "config.json")
	if err := os.WriteFile(config, []byte(`{"tenant_id":"acme","node_id":"mesh-oslo-1","state_directory":"state"}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	blocked := filepath.Join(dir, "state", publicFile)
	if err := os.MkdirAll(blocked, 0o700); err != nil {
		t.Fatal(err)
	}
	initialise := func() (int, bool) {
		code, _, _ := run("node", "init", "--config", config)
		_, err := os.Stat(filepath.Join(dir, "state", "identity.key"))
		return code, err == nil
	}
	if code, made := initialise(); code != 2 || made {
		t.Errorf("exit %d, a key was made: %t", code, made)
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "state"), 0o700); err != nil {
		t.Fatal(err)
	}
	if code, made := initialise(); code != 0 || !made {
		t.Errorf("exit %d, a key was made: %t", code, made)
	}
}
