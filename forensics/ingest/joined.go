package ingest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sort"
	"sync"
	"time"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/access"
)

// part is one volume of a set.
type part struct {
	path string
	info fs.FileInfo
}

// Files are a file, or the volumes of one, that are opened by their paths. One of them is open
// at a time, however many there are.
type Files struct {
	parts    []part
	starts   []int64 // where each begins, and where the last ends
	modified time.Time

	mu   sync.Mutex
	open *os.File
	at   int // which one is open
}

// Open opens a file, or the volumes of one in their order. They are regular files; no
// link is followed.
func Open(paths ...string) (*Files, error) {
	var parts []part
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s: expected a regular file, found %s", finding.SourceNotEvidence,
				access.KindOf(info.Mode().Type()))
		}
		parts = append(parts, part{path, info})
	}
	return newFiles(parts), nil
}

func newFiles(parts []part) *Files {
	j := &Files{parts: parts, starts: make([]int64, 1, len(parts)+1)}
	for i, p := range parts {
		j.starts = append(j.starts, j.starts[i]+p.info.Size())
		if p.info.ModTime().After(j.modified) {
			j.modified = p.info.ModTime()
		}
	}
	return j
}

// Size is how many bytes there were when the files were opened.
func (j *Files) Size() int64 { return j.starts[len(j.parts)] }

// Changed reports whether the files changed since they were opened.
func (j *Files) Changed() (bool, error) {
	now, err := j.Stat()
	if err != nil {
		return false, err
	}
	return now.Size() != j.Size() || !now.ModTime().Equal(j.modified), nil
}

// errExchanged means that a volume is another file than before.
var errExchanged = errors.New("exchanged while it was read")

// ReadAt implements io.ReaderAt.
func (j *Files) ReadAt(b []byte, at int64) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for n < len(b) {
		i := sort.Search(len(j.parts), func(i int) bool { return j.starts[i+1] > at })
		if i == len(j.parts) {
			return n, io.EOF
		}
		if err := j.openVolume(i); err != nil {
			return n, err
		}
		most := min(int64(len(b)-n), j.starts[i+1]-at)
		k, err := j.open.ReadAt(b[n:n+int(most)], at-j.starts[i])
		n, at = n+k, at+int64(k)
		if err != nil && (err != io.EOF || int64(k) < most) {
			return n, err
		}
	}
	return n, nil
}

// openVolume opens a volume.
func (j *Files) openVolume(i int) error {
	if j.open != nil && j.at == i {
		return nil
	}
	j.closeFile()
	f, err := access.OpenUnlinked(j.parts[i].path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(info, j.parts[i].info) {
		err = &fs.PathError{Op: "open", Path: j.parts[i].path, Err: errExchanged}
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	j.open, j.at = f, i
	return nil
}

func (j *Files) closeFile() {
	if j.open != nil {
		_ = j.open.Close() // which was only read
		j.open = nil
	}
}

// Close closes the volume that is open.
func (j *Files) Close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closeFile()
}

// Stat returns the present state of the volumes: their size together, and when the latest was
// written.
func (j *Files) Stat() (fs.FileInfo, error) {
	all := together{FileInfo: j.parts[0].info}
	for _, p := range j.parts {
		info, err := os.Lstat(p.path)
		if err != nil {
			return nil, err
		}
		all.size += info.Size()
		if info.ModTime().After(all.modified) {
			all.modified = info.ModTime()
		}
	}
	return all, nil
}

// together describes several files as one.
type together struct {
	fs.FileInfo
	size     int64
	modified time.Time
}

func (t together) Size() int64        { return t.size }
func (t together) ModTime() time.Time { return t.modified }
