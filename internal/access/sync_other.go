//go:build !unix

package access

// SyncFolder does nothing: such a system has no way to bring names to the disk.
func SyncFolder(string) error { return nil }
