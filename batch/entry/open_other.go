//go:build !unix

package entry

import "os"

// openFile opens evidence for reading only.
func openFile(path string) (*os.File, error) { return os.Open(path) }
