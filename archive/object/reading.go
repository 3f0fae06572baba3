package object

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/svc-edge/svc-verify/internal/listing"
)

// Reading is an object that was read whole: the bytes that its size, time and digest describe
// were the same before and after.
type Reading struct {
	Size     int64
	Modified int64
	SHA256   [sha256.Size]byte
	// Beginning is the digest of the requested number of first bytes; the zero value if there
	// are fewer.
	Beginning [sha256.Size]byte
	Content   []byte   // all bytes, if they are at most Most
	File      *os.File // the object, else
}

// Reader reads objects, one after the other.
type Reader struct {
	files  *listing.Reader
	buffer []byte
	large  *sync.Mutex // held by the reader that has a large object in memory
	holds  bool
}

// The initial size of a buffer, in which most bundles have room, and the size from which an
// object is large: only one of those is in memory at a time, as judging it needs a multiple of
// its size.
const (
	usual = 64 << 10
	large = 1 << 20
)

// NewReader returns a reader of a folder. Readers with one lock have one large object in memory.
func NewReader(root *listing.Root, lock *sync.Mutex) *Reader {
	return &Reader{files: root.Reader(), buffer: make([]byte, usual), large: lock}
}

// Done releases the resources of a reading: its content is no longer valid.
func (r *Reader) Done(got *Reading) error {
	if r.holds {
		r.buffer, r.holds = make([]byte, usual), false
		r.large.Unlock()
	}
	if got == nil || got.File == nil {
		return nil
	}
	return got.File.Close()
}

// Close closes the folders that the reader has open.
func (r *Reader) Close() error { return r.files.Close() }

// Read reads an object. An error of it is tried once more, as is a file that changes
// meanwhile. Beginning is the number of first bytes that have a digest of their own; 0 for
// none. A fault is an error of the object, never of ctx; err is the error of ctx. The caller
// calls Done before it reads the next one.
func (r *Reader) Read(ctx context.Context, path string, beginning int64) (got *Reading, fault, err error) {
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
func (r *Reader) once(ctx context.Context, path string, beginning int64) (_ *Reading, err error) {
	f, err := r.files.Open(path)
	if err != nil {
		return nil, err
	}
	before, err := f.Stat()
	if err != nil {
		return nil, errors.Join(listing.Plain(err), f.Close())
	}
	got := &Reading{Size: before.Size(), Modified: before.ModTime().UnixNano()}
	if got.Size <= Most {
		err = r.whole(f, got, beginning)
	} else {
		err = r.stream(ctx, f, got, beginning)
	}
	if err == nil {
		var after os.FileInfo
		if after, err = f.Stat(); err == nil &&
			(after.Size() != got.Size || after.ModTime().UnixNano() != got.Modified) {
			err = listing.ErrChanged
		}
	}
	if err != nil || got.Content != nil {
		err = errors.Join(err, f.Close())
	} else {
		got.File = f
	}
	if err != nil {
		return nil, listing.Plain(err)
	}
	return got, nil
}

// whole reads an object into memory.
func (r *Reader) whole(f *os.File, got *Reading, beginning int64) error {
	if got.Size > large && !r.holds {
		r.large.Lock()
		r.holds = true
	}
	if int64(len(r.buffer)) <= got.Size {
		r.buffer = make([]byte, got.Size+1)
	}
	n, err := io.ReadFull(f, r.buffer[:got.Size+1]) // one more, to see that this is the end
	switch {
	case err == nil || int64(n) != got.Size && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)):
		return listing.ErrChanged
	case !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF):
		return err
	}
	got.Content = r.buffer[:n]
	got.SHA256 = sha256.Sum256(got.Content)
	if beginning > 0 && beginning <= got.Size {
		got.Beginning = sha256.Sum256(got.Content[:beginning])
	}
	return nil
}

// stream reads an object that is too large for that, and leaves its file open.
func (r *Reader) stream(ctx context.Context, f *os.File, got *Reading, beginning int64) error {
	all, in := sha256.New(), listing.Cancellable(ctx, f)
	first, err := io.CopyBuffer(all, io.LimitReader(in, beginning), r.buffer)
	if first == beginning && first > 0 {
		all.Sum(got.Beginning[:0])
	}
	rest := int64(0)
	if err == nil {
		rest, err = io.CopyBuffer(all, in, r.buffer)
	}
	if all.Sum(got.SHA256[:0]); err == nil && first+rest != got.Size {
		err = listing.ErrChanged
	}
	return err
}

// Reading judges an object that was read. The error is as of [Judge.File].
func (j *Judge) Reading(ctx context.Context, got *Reading) (Judgement, error) {
	if got.File == nil {
		return j.Octets(ctx, got.Content)
	}
	return j.File(ctx, File{got.File, got.Size, got.SHA256})
}
