package collector

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/harness/pki"
)

// file is a file of lines.
type file struct {
	f    *os.File
	size int64
}

// openFile opens or makes a file. The bytes after the last line feed belong to a request that
// was never answered, and are cut off.
func openFile(path string) (*file, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	l := &file{f: f}
	content, err := io.ReadAll(f)
	if err == nil {
		l.size = int64(bytes.LastIndexByte(content, '\n') + 1)
		err = f.Truncate(l.size)
	}
	if err = errors.Join(err, pki.SyncDirectory(filepath.Dir(path))); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

// add adds a line, which ends with its line feed. It is on disk when add
// returns, or else not there.
func (l *file) add(line []byte) error {
	_, err := l.f.Write(line)
	if err == nil {
		err = l.f.Sync()
	}
	if err != nil {
		return errors.Join(err, l.f.Truncate(l.size))
	}
	l.size += int64(len(line))
	return nil
}
