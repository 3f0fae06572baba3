package ingest

import (
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// noteWriteAheadLog notes the write-ahead log next to an SQLite file, if it was not given: it has the
// rows that were written last. One that is given is searched like any other file.
func (in *ingest) noteWriteAheadLog(g *Source) error {
	if in.walking || g.Absolute == "" {
		return nil
	}
	magic := make([]byte, len(sqlite.Magic))
	// A failure to read is found again when the file itself is read.
	if _, err := g.File.ReadAt(magic, 0); err != nil || string(magic) != sqlite.Magic {
		return nil
	}
	other := g.Path + "-wal"
	info, err := os.Lstat(other)
	if err != nil || info.Size() == 0 || in.named[filepath.Clean(other)] {
		return nil
	}
	return in.refusePath(other, finding.SourceUnreadable, "not given: rows that were written last may be only here; "+
		"give it, too, or a copy of the database after PRAGMA wal_checkpoint")
}
