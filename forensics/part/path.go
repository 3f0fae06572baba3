package part

import (
	"container/list"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/svc-edge/svc-verify/internal/access"
)

// mostOpen is how many parts are open as files at once. A process may have at least
// twice as many on all systems.
const mostOpen = 100

// OpenPath opens the part of a file, as [Open] does. Thousands of parts can be open at
// once: files that were not read for the longest time are closed, and opened again when
// they are needed. Errors do not name the file.
func OpenPath(ctx context.Context, path string, key *Key) (*File, error) {
	p := &pathReader{path: path}
	info, err := p.stat()
	if err != nil {
		return nil, access.WithoutPath(err)
	}
	f := &File{from: p, close: p.Close, size: info.Size()}
	if err := f.openFile(ctx, key); err != nil {
		return nil, access.WithoutPath(errors.Join(err, p.Close()))
	}
	return f, nil
}

// pathReader reads a file that is open only while it is in use.
type pathReader struct {
	path string
	mu   sync.Mutex
	file *os.File
	info fs.FileInfo // of the file that was opened first
	at   *list.Element
}

// opened is the readers that have their file open. Those that were opened last are
// behind.
var opened struct {
	mu  sync.Mutex
	all list.List
}

func (p *pathReader) stat() (fs.FileInfo, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.openOnce()
	return p.info, err
}

// openOnce opens the file, if it is not. The caller has the lock.
func (p *pathReader) openOnce() error {
	if p.file != nil {
		return nil
	}
	f, err := access.OpenRegular(p.path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && p.info != nil && (!os.SameFile(info, p.info) || info.Size() != p.info.Size()) {
		err = errors.New("another file has taken the place of the one that was opened")
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	p.file, p.info = f, info
	p.makeRoom()
	return nil
}

// makeRoom counts the file as open, and closes another one if there are too many.
func (p *pathReader) makeRoom() {
	opened.mu.Lock()
	defer opened.mu.Unlock()
	p.at = opened.all.PushBack(p)
	for e := opened.all.Front(); e != p.at && opened.all.Len() > mostOpen; {
		other := e.Value.(*pathReader)
		next := e.Next()
		if other.mu.TryLock() { // else it is read
			opened.all.Remove(e)
			other.file.Close() // #nosec G104 -- it was only read
			other.file, other.at = nil, nil
			other.mu.Unlock()
		}
		e = next
	}
}

// ReadAt reads at a place of the file.
func (p *pathReader) ReadAt(b []byte, at int64) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.openOnce(); err != nil {
		return 0, err
	}
	return p.file.ReadAt(b, at)
}

// Close closes the file, if it is open.
func (p *pathReader) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		return nil
	}
	opened.mu.Lock()
	opened.all.Remove(p.at)
	opened.mu.Unlock()
	err := p.file.Close()
	p.file = nil
	return err
}

var _ io.ReaderAt = (*pathReader)(nil)
