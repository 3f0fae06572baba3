//go:build !unix

package userkey

import "io/fs"

// private trusts the permissions of the user's own state directory.
func private(string, fs.FileInfo) error { return nil }
