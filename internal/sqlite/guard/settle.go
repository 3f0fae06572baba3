package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Settle moves everything from the write-ahead log into the one file. held is true
// if others, who have the file open, keep it from that.
func (k *Kind) Settle(c *sqlite.Conn) (held bool, err error) {
	// A connection that only turned the log on, and read nothing since, cannot settle it.
	if _, err := c.Number("SELECT count(*) FROM sqlite_schema"); err != nil {
		return false, err
	}
	busy, err := c.Number("PRAGMA wal_checkpoint(TRUNCATE)")
	if err == nil && busy == 0 {
		err = c.Exec("PRAGMA journal_mode=DELETE")
	}
	if busy != 0 || errors.Is(err, sqlite.ErrLocked) {
		return true, nil
	}
	if err != nil {
		err = fmt.Errorf("close the %s, which is its file and the -wal next to it until that works: %w", k.Name, err)
	}
	return false, err
}

// Owns reports whether a file is the one at a path, or one next to it that belongs to it.
func Owns(path string, info fs.FileInfo) bool {
	for _, suffix := range beside {
		if own, err := os.Stat(path + suffix); err == nil && os.SameFile(own, info) {
			return true
		}
	}
	own, err := os.Stat(path)
	return err == nil && os.SameFile(own, info)
}
