package archive

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/listing"
)

// reading is an object that was read whole: the octets that its size, its time and
// its digest are of were the same before and after.
type reading struct {
	size     int64
	modified int64
	sha256   [sha256.Size]byte
	// beginning is the digest of as many octets as were asked for; the zero value if
	// there are fewer.
	beginning [sha256.Size]byte
	content   []byte   // all octets, if they are at most form.MaxBundle
	file      *os.File // the object, else
}

// reader reads objects, one after the other.
type reader struct {
	files  *listing.Reader
	buffer []byte
	large  *sync.Mutex // held by the reader that has a large object in memory
	holds  bool
}

// How large a buffer is at first, so that most bundles have room in it, and from
// which size on an object is large: only one of those is in memory at a time, as it
// takes a multiple of its size to judge it.
const (
	usual = 64 << 10
	large = 1 << 20
)

func newReader(root *listing.Root, lock *sync.Mutex) *reader {
	return &reader{files: root.Reader(), buffer: make([]byte, usual), large: lock}
}

// done gives back what a reading holds: its content is not valid any more.
func (r *reader) done(got *reading) error {
	if r.holds {
		r.buffer, r.holds = make([]byte, usual), false
		r.large.Unlock()
	}
	if got == nil || got.file == nil {
		return nil
	}
	return got.file.Close()
}

func (r *reader) close() error { return r.files.Close() }

// read reads an object. An error of it is tried once more, as is a file that
// changes meanwhile. Beginning is how many octets have a digest of their own; 0 for
// none. A fault is one of the object; it is never that of ctx, which err is. The
// caller calls done before it reads the next one.
func (r *reader) read(ctx context.Context, path string, beginning int64) (got *reading, fault, err error) {
	for range 2 {
		got, fault = r.once(ctx, path, beginning)
		if fault == nil || ctx.Err() != nil || !again(fault) {
			break
		}
	}
	return got, fault, ctx.Err()
}

// again reports whether another try could do better.
func again(fault error) bool {
	return !errors.Is(fault, listing.ErrLink) && !errors.Is(fault, listing.ErrKind) && !errors.Is(fault, listing.ErrGone)
}

// once reads an object once.
func (r *reader) once(ctx context.Context, path string, beginning int64) (_ *reading, err error) {
	f, err := r.files.Open(path)
	if err != nil {
		return nil, err
	}
	before, err := f.Stat()
	if err != nil {
		return nil, errors.Join(listing.Plain(err), f.Close())
	}
	got := &reading{size: before.Size(), modified: before.ModTime().UnixNano()}
	if got.size <= form.MaxBundle {
		err = r.whole(f, got, beginning)
	} else {
		err = r.stream(ctx, f, got, beginning)
	}
	if err == nil {
		var after os.FileInfo
		if after, err = f.Stat(); err == nil &&
			(after.Size() != got.size || after.ModTime().UnixNano() != got.modified) {
			err = listing.ErrChanged
		}
	}
	if err != nil || got.content != nil {
		err = errors.Join(err, f.Close())
	} else {
		got.file = f
	}
	if err != nil {
		return nil, listing.Plain(err)
	}
	return got, nil
}

// whole reads an object into memory.
func (r *reader) whole(f *os.File, got *reading, beginning int64) error {
	if got.size > large && !r.holds {
		r.large.Lock()
		r.holds = true
	}
	if int64(len(r.buffer)) <= got.size {
		r.buffer = make([]byte, got.size+1)
	}
	n, err := io.ReadFull(f, r.buffer[:got.size+1]) // one more, to see that this is the end
	switch {
	case err == nil || int64(n) != got.size && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)):
		return listing.ErrChanged
	case !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF):
		return err
	}
	got.content = r.buffer[:n]
	got.sha256 = sha256.Sum256(got.content)
	if beginning > 0 && beginning <= got.size {
		got.beginning = sha256.Sum256(got.content[:beginning])
	}
	return nil
}

// stream reads an object that is too large for that, and leaves its file open.
func (r *reader) stream(ctx context.Context, f *os.File, got *reading, beginning int64) error {
	all, read := sha256.New(), int64(0)
	for {
		next := int64(len(r.buffer))
		if read < beginning {
			next = min(next, beginning-read)
		}
		n, err := f.Read(r.buffer[:next])
		all.Write(r.buffer[:n])
		read += int64(n)
		if read == beginning && n > 0 {
			all.Sum(got.beginning[:0])
		}
		switch {
		case errors.Is(err, io.EOF) && read == got.size:
			all.Sum(got.sha256[:0])
			return nil
		case errors.Is(err, io.EOF):
			return listing.ErrChanged
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
}
