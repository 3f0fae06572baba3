// Package userkey keeps the secret under which a user's commands remember work:
// 32 random bytes in the user's state directory, which no one else may read or
// write. It is made when it is first needed.
//
// The directory is svc-verify in $XDG_STATE_HOME, or in ~/.local/state, or in
// %LocalAppData% on Windows. The secret proves nothing to anyone else and
// decides nothing: without one, commands work as if nothing were remembered.
//
// In the same directory are the heads of journals that the user's commands saw last, so that
// the next command notices that a journal was edited or cut.
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

// directory and name are the names of the directory, and of the file in it.
const (
	directory = "svc-verify"
	name      = "case.key"
)

// Load returns the user's key, and makes it first if there is none. An error states why there
// can be none.
func Load() (key [Size]byte, err error) {
	dir, err := ownDirectory()
	if err != nil {
		return key, err
	}
	path := filepath.Join(dir, name)
	key, err = readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := createKey(dir, path); err != nil {
		return key, err
	}
	return readKey(path)
}

// ownDirectory returns the directory of the program's state, and makes it first if there is none.
// No one else may use it.
func ownDirectory() (dir string, err error) {
	state, err := stateDirectory()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(state, directory)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is no directory", dir)
	}
	return dir, checkPrivate(dir, info)
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

// readKey reads a key file.
func readKey(path string) (key [Size]byte, err error) {
	octets, err := readOwn(path, Size)
	if err == nil && copy(key[:], octets) != Size {
		err = fmt.Errorf("%s is no key: expected a file of %d octets", path, Size)
	}
	return key, err
}

// readOwn reads a file of at most so many bytes that no one else can use.
func readOwn(path string, most int64) ([]byte, error) {
	f, err := access.OpenUnlinked(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("%s is not as svc-verify makes it: expected a file of at most %d octets", path, most)
	}
	if err := checkPrivate(path, info); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, most))
}

// createKey makes a key file, unless another process was faster.
func createKey(dir, path string) error {
	var key [Size]byte
	rand.Read(key[:]) // never fails
	if err := writeAside(dir, path, key[:], os.Link); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// writeAside writes a file under another name, and puts it into its place.
func writeAside(dir, path string, octets []byte, place func(from, to string) error) error {
	f, err := os.CreateTemp(dir, filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(octets)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return place(f.Name(), path)
}
