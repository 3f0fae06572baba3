//go:build !unix

package casefile

import (
	"errors"
	"io/fs"
	"os"
)

func openSource(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("expected a regular file")}
	}
	return os.Open(path)
}
