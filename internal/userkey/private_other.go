//go:build !unix

package userkey

import (
	"io/fs"
	"os"
)

func open(path string) (*os.File, error) { return os.Open(path) }

// private trusts the permissions of the user's own state directory.
func private(string, fs.FileInfo) error { return nil }
