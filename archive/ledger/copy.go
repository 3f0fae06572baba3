package ledger

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

// openCopy opens a copy of a ledger whose writer was killed. What the writer did since
// its last commit has to be undone, and who only reads does not write to the ledger.
func openCopy(ctx context.Context, path string, secret Secret) (_ *Ledger, err error) {
	dir, err := os.MkdirTemp("", "svc-verify-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	copied := filepath.Join(dir, "ledger")
	if err := copyBoth(path, copied); err != nil {
		return nil, err
	}
	c, err := sqlite.Open(copied, sqlite.ReadWrite)
	if err != nil {
		return nil, err
	}
	_, err = c.Number("SELECT count(*) FROM sqlite_schema") // which undoes it first
	if err := errors.Join(err, c.Close()); err != nil {
		return nil, err
	}
	l, err := open(ctx, copied, secret, sqlite.ReadOnly)
	if err != nil {
		return nil, err
	}
	l.path, l.copied = path, dir
	return l, nil
}

// copyBoth copies a ledger and its journal. The error is ErrBusy if another process
// changes them meanwhile.
func copyBoth(path, to string) error {
	var before [2]fs.FileInfo
	for i, suffix := range []string{"", "-journal"} {
		info, err := os.Stat(path + suffix)
		if err == nil {
			err = guard.Copy(path+suffix, to+suffix)
		}
		if err != nil {
			return err
		}
		before[i] = info
	}
	for i, suffix := range []string{"", "-journal"} {
		info, err := os.Stat(path + suffix)
		if err != nil || !os.SameFile(info, before[i]) || info.Size() != before[i].Size() ||
			!info.ModTime().Equal(before[i].ModTime()) {
			return ErrBusy
		}
	}
	return nil
}
