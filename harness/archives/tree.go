package archives

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Tree is the content of an archive by path: relative, with slashes, any bytes but
// NUL. Folders are there for the files in them.
type Tree map[string]File

// File is one entry of an archive.
type File struct {
	Octets   []byte
	Modified time.Time
	Link     string // where the symbolic link leads; "" for a regular file
	Denied   bool   // no one but root can read it
}

// Regular reports whether it is a file that can be read.
func (f File) Regular() bool { return f.Link == "" && !f.Denied }

// Same reports whether both are the same on disk.
func (f File) Same(g File) bool {
	return f.Link == g.Link && f.Denied == g.Denied && f.Modified.Equal(g.Modified) && bytes.Equal(f.Octets, g.Octets)
}

// Clone returns a copy, which shares the bytes.
func (t Tree) Clone() Tree { return maps.Clone(t) }

// Paths returns all paths, in ascending order of bytes.
func (t Tree) Paths() []string { return slices.Sorted(maps.Keys(t)) }

// Write makes a directory that has the tree before have this one. A nil tree
// before is an empty directory.
func (t Tree) Write(dir string, before Tree) error {
	for _, name := range before.Paths() {
		if now, ok := t[name]; ok && now.Same(before[name]) {
			continue
		}
		if err := removeFile(dir, name); err != nil {
			return err
		}
	}
	for _, name := range t.Paths() {
		was, ok := before[name]
		if ok && was.Same(t[name]) {
			continue
		}
		if err := t[name].write(diskPath(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// diskPath is where a path is on disk. [filepath.Join] would clean the name.
func diskPath(dir, name string) string {
	return dir + string(filepath.Separator) + strings.ReplaceAll(name, "/", string(filepath.Separator))
}

// removeFile removes a file, and the folders that are empty without it.
func removeFile(dir, name string) error {
	if err := os.Remove(diskPath(dir, name)); err != nil {
		return err
	}
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		entries, err := os.ReadDir(diskPath(dir, folder))
		if err != nil || len(entries) > 0 {
			return err
		}
		if err := os.Remove(diskPath(dir, folder)); err != nil {
			return err
		}
	}
	return nil
}

func (f File) write(name string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if f.Link != "" {
		return os.Symlink(f.Link, name)
	}
	mode := fs.FileMode(0o644)
	if f.Denied {
		mode = 0
	}
	err := os.WriteFile(name, f.Octets, 0o644)
	return errors.Join(err, os.Chtimes(name, f.Modified, f.Modified), os.Chmod(name, mode))
}
