package cliapp

import (
	"io"
	"io/fs"
	"os"
)

// IsTerminal reports whether what is written goes to a terminal.
func IsTerminal(w io.Writer) bool {
	if result, ok := w.(*stickyWriter); ok {
		w = result.w
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice != 0
}
