//go:build !unix

package ingest

import "os"

// open opens evidence for reading only.
func open(path string) (*os.File, error) { return os.Open(path) }
