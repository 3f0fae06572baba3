//go:build !unix && !windows

package nodeconfig

import (
	"errors"
	"io/fs"
	"os"
)

// openAny opens a file, or what a symbolic link leads to, for reading.
func openAny(path string) (*os.File, error) { return os.Open(path) }

// openItself fails: nothing shows who may read a file here, so that no secret
// can be shown to be one.
func openItself(string) (*os.File, error) { return nil, errors.ErrUnsupported }

// isLink reports whether openItself failed on a symbolic link.
func isLink(error) bool { return false }

// mayRun reports that no one may execute a file, as nothing shows it.
func mayRun(fs.FileInfo) bool { return false }
