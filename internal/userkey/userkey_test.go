//go:build unix

package userkey

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestLoad: the key is made once, and no one else may use it.
func TestLoad(t *testing.T) {
	state := filepath.Join(t.TempDir(), "not", "there")
	t.Setenv("XDG_STATE_HOME", state)
	first, err := Load()
	must.That(t, err == nil && first != [Size]byte{}, "%x, %v", first, err)
	if again, err := Load(); again != first || err != nil {
		t.Errorf("%x, %v, want %x", again, err, first)
	}
	for path, want := range map[string]os.FileMode{directory: 0o700, directory + "/" + name: 0o600} {
		if info, err := os.Stat(filepath.Join(state, path)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if other, err := Load(); other == first || err != nil {
		t.Errorf("another directory has the key %x, %v", other, err)
	}
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", t.TempDir())
	if other, err := Load(); other == first || err != nil {
		t.Errorf("below the home directory: %x, %v", other, err)
	}
}

// TestRefused: a place that others could have written to, or that cannot be
// used, gives no key.
func TestRefused(t *testing.T) {
	tests := map[string]func(dir, key string) error{
		"others read the key":      func(_, key string) error { return os.Chmod(key, 0o604) },
		"the group writes the key": func(_, key string) error { return os.Chmod(key, 0o620) },
		"others use the directory": func(dir, _ string) error { return os.Chmod(dir, 0o701) },
		"short key":                func(_, key string) error { return os.Truncate(key, Size-1) },
		"link":                     func(_, key string) error { return moveAndLink(key) },
		"directory is a link":      func(dir, _ string) error { return moveAndLink(dir) },
		"directory is a file": func(dir, _ string) error {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			return os.WriteFile(dir, nil, 0o600)
		},
		"key is a directory": func(_, key string) error {
			if err := os.Remove(key); err != nil {
				return err
			}
			return os.Mkdir(key, 0o700)
		},
	}
	for what, damage := range tests {
		t.Run(what, func(t *testing.T) {
			state := t.TempDir()
			t.Setenv("XDG_STATE_HOME", state)
			must.Get(Load())(t)
			dir := filepath.Join(state, directory)
			must.Do(t, damage(dir, filepath.Join(dir, name)))
			key, err := Load()
			check.That(t, err != nil, "a key: %x", key)
		})
	}
	for _, state := range []string{"relative", "/dev/null"} {
		t.Setenv("XDG_STATE_HOME", state)
		check.That(t, check.Err(Load()) != nil, "XDG_STATE_HOME=%s gives a key", state)
	}
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", "")
	check.That(t, check.Err(Load()) != nil, "without HOME there is a key")
}

func moveAndLink(path string) error {
	if err := os.Rename(path, path+".moved"); err != nil {
		return err
	}
	return os.Symlink(path+".moved", path)
}
