// Package userkey keeps the secret under which a user's commands remember work:
// 32 random octets in the user's state directory, which no one else may read or
// write. It is made when it is first needed.
//
// The directory is svc-verify in $XDG_STATE_HOME, or in ~/.local/state, or in
// %LocalAppData% on Windows. The secret proves nothing to anyone else and
// decides nothing: without one, commands work as if nothing were remembered.
package userkey

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/svc-edge/svc-verify/internal/access"
)

// Size is the size of a key.
const Size = 32

// name is that of the directory, and of the file in it.
const (
	directory = "svc-verify"
	name      = "case.key"
)

// Load returns the user's key, and makes it first if there is none. An error
// says why there can be none.
func Load() (key [Size]byte, err error) {
	state, err := stateDirectory()
	if err != nil {
		return key, err
	}
	return load(filepath.Join(state, directory))
}

func stateDirectory() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		if !filepath.IsAbs(dir) {
			return "", errors.New("XDG_STATE_HOME is no absolute path")
		}
		return dir, nil
	}
	if runtime.GOOS == "windows" {
		return os.UserCacheDir() // %LocalAppData%
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(home) {
		return "", errors.New("HOME is no absolute path")
	}
	return filepath.Join(home, ".local", "state"), nil
}

// load loads the key of a directory.
func load(dir string) (key [Size]byte, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return key, err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return key, err
	}
	if !info.IsDir() {
		return key, fmt.Errorf("%s is no directory", dir)
	}
	if err := private(dir, info); err != nil {
		return key, err
	}
	path := filepath.Join(dir, name)
	key, err = read(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := create(dir, path); err != nil {
		return key, err
	}
	return read(path)
}

// read reads a key file.
func read(path string) (key [Size]byte, err error) {
	f, err := access.OpenUnlinked(path)
	if err != nil {
		return key, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return key, err
	}
	if !info.Mode().IsRegular() || info.Size() != Size {
		return key, fmt.Errorf("%s is no key: expected a file of %d octets", path, Size)
	}
	if err := private(path, info); err != nil {
		return key, err
	}
	_, err = io.ReadFull(f, key[:])
	return key, err
}

// create makes a key file, unless another process was faster.
func create(dir, path string) error {
	var key [Size]byte
	rand.Read(key[:]) // never fails
	f, err := os.CreateTemp(dir, name+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(key[:])
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
