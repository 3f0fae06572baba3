package nodeconfig

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// openAny opens a file, or what a symbolic link leads to, for reading.
func openAny(path string) (*os.File, error) { return os.Open(path) } // #nosec G304 -- the operator names it

// openItself opens a file or directory for reading. Of a symbolic link, or of
// anything else that leads elsewhere, it opens that itself.
func openItself(path string) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
		nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// isLink reports whether openItself failed on a symbolic link, which it does not.
func isLink(error) bool { return false }

// mayRun reports whether someone may execute a file: here its name decides.
func mayRun(fs.FileInfo) bool { return true }
