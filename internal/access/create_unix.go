//go:build unix

package access

import "os"

// Create makes a new file that only its owner may use, and opens it for writing.
// It returns an error if there is anything at path, a link too.
func Create(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // #nosec G304 -- the user names it
}
