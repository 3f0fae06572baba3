package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOutput: what cannot be written is refused before anything is, what can be
// replaces what was there only when it is whole, and nothing else is left.
func TestOutput(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, mode := range map[string]os.FileMode{"old": 0o640} {
		if err := os.WriteFile(in(name), []byte("old"), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("old", in("link")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, in("none/file"), in("old/file")} {
		if err := writable(in("new"), path); err == nil {
			t.Errorf("%s can be written", path)
		}
	}
	if err := writable(in("new"), in("old")); err != nil {
		t.Error(err)
	}
	for _, path := range []string{in("new"), in("link"), "/dev/null"} {
		o, err := openOutput(path)
		if err != nil {
			t.Fatal(err)
		}
		o.discard()
	}
	if got := read(t, in("old")); got != "old" {
		t.Errorf("an output that was given up wrote %q", got)
	}
	for _, path := range []string{in("new"), in("link"), "/dev/null"} {
		o, err := openOutput(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := o.write([]byte("content")); err != nil {
			t.Error(err)
		}
		o.discard()
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 || read(t, in("new")) != "content" || read(t, in("old")) != "content" {
		t.Errorf("%v, %v", entries, err)
	}
	if info, err := os.Lstat(in("link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
	if info, err := os.Stat(in("old")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode has changed: %v, %v", info, err)
	}
}

// TestOutputsFirst: node init makes no key while
// a file that it writes besides cannot be written.
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
