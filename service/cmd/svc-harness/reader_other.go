//go:build !unix

package main

import "os"

// awaitNoReader cannot tell here; a write to what is closed fails.
func awaitNoReader(*os.File) bool { return false }
