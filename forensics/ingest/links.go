package ingest

import (
	"errors"
	"os"
	"path/filepath"
)

// roots are the real paths of what was given: everything below them is read.
func roots(paths []string) (roots []string) {
	for _, path := range paths {
		if root, err := realPath(path); err == nil && path != "-" {
			roots = append(roots, root)
		}
	}
	return roots
}

// errLink says that a path is a symbolic link itself.
var errLink = errors.New("a symbolic link")

// realPath returns a path without symbolic links in it.
func realPath(path string) (string, error) {
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink != 0 {
		return "", errors.Join(err, errLink)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}
