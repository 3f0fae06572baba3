package pki

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteSecret puts a private file in its place, whole and durable or not at all.
func WriteSecret(path string, content []byte) error { return WriteFile(path, content, 0o600) }

// WriteFile puts a file in its place, whole and durable or not at all.
func WriteFile(path string, content []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return SyncDirectory(filepath.Dir(path))
}

// SyncDirectory makes files that were made or renamed in a directory durable.
func SyncDirectory(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
