//go:build !unix

package main

import "os"

// awaitNoReader cannot tell here; a write to a closed output fails.
func awaitNoReader(*os.File) bool { return false }
