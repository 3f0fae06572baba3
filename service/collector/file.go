package collector

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/svc-edge/svc-verify/harness/pki"
)

// file is a file of lines, with full ones beside it: logs-000001.jsonl beside
// logs.jsonl.
type file struct {
	path     string
	maxBytes int64
	f        *os.File
	size     int64
	rotated  int // how many full files there are
}

// openFile opens or makes a file. What is behind the last line feed is of a
// request that was never answered, and is cut off.
func openFile(path string, maxBytes int64) (*file, error) {
	l := &file{path: path, maxBytes: maxBytes}
	for l.exists(l.fullName(l.rotated + 1)) {
		l.rotated++
	}
	if err := l.open(); err != nil {
		return nil, err
	}
	content, err := io.ReadAll(l.f)
	if err == nil {
		l.size = int64(bytes.LastIndexByte(content, '\n') + 1)
		err = l.f.Truncate(l.size)
	}
	if err != nil {
		return nil, errors.Join(err, l.f.Close())
	}
	return l, nil
}

func (l *file) open() (err error) {
	if l.f, err = os.OpenFile(l.path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600); err != nil {
		return err
	}
	l.size = 0
	return pki.SyncDirectory(filepath.Dir(l.path))
}

func (l *file) exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// fullName is the name of a full file.
func (l *file) fullName(number int) string {
	extension := filepath.Ext(l.path)
	return fmt.Sprintf("%s-%06d%s", strings.TrimSuffix(l.path, extension), number, extension)
}

// add adds a line, which ends with its line feed. It is on disk when add
// returns, or else not there.
func (l *file) add(line []byte) error {
	if l.size > 0 && l.size+int64(len(line)) > l.maxBytes {
		if err := l.rotate(); err != nil {
			return err
		}
	}
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

// rotate puts the file away and begins a new one.
func (l *file) rotate() error {
	if err := os.Rename(l.path, l.fullName(l.rotated+1)); err != nil {
		return err
	}
	l.rotated++
	return errors.Join(l.f.Close(), l.open())
}
