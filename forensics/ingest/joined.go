package ingest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sort"
	"sync"
	"time"

	"github.com/svc-edge/svc-verify/internal/access"
)

// part is one volume of a set.
type part struct {
	path string
	info fs.FileInfo
}

// joined is one file out of volumes. One of them is open at a time, however many
// there are.
type joined struct {
	parts  []part
	starts []int64 // where each begins, and where the last ends

	mu   sync.Mutex
	open *os.File
	at   int // which one is open
}

func newJoined(parts []part) *joined {
	j := &joined{parts: parts, starts: make([]int64, 1, len(parts)+1)}
	for i, p := range parts {
		j.starts = append(j.starts, j.starts[i]+p.info.Size())
	}
	return j
}

func (j *joined) size() int64 { return j.starts[len(j.parts)] }

// errExchanged says that a volume is another file than before.
var errExchanged = errors.New("exchanged while it was read")

// ReadAt implements io.ReaderAt.
func (j *joined) ReadAt(b []byte, at int64) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for n < len(b) {
		i := sort.Search(len(j.parts), func(i int) bool { return j.starts[i+1] > at })
		if i == len(j.parts) {
			return n, io.EOF
		}
		if err := j.use(i); err != nil {
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

// use opens a volume.
func (j *joined) use(i int) error {
	if j.open != nil && j.at == i {
		return nil
	}
	j.close()
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

func (j *joined) close() {
	if j.open != nil {
		_ = j.open.Close() // which was only read
		j.open = nil
	}
}

// Close closes the volume that is open.
func (j *joined) Close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.close()
}

// Stat says what the volumes are now: their size together, and when the latest was
// written.
func (j *joined) Stat() (fs.FileInfo, error) {
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

// together is what several files are.
type together struct {
	fs.FileInfo
	size     int64
	modified time.Time
}

func (t together) Size() int64        { return t.size }
func (t together) ModTime() time.Time { return t.modified }
