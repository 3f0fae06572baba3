//go:build !unix

package receive

// limitFiles is for tests of a full disk, which need a limit of the system.
func limitFiles(uint64) error { return nil }
