package confined

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// Source is a file to decode.
type Source struct {
	Format  string // "7z", "rar", "avro" or "sqlite"
	Octets  io.ReaderAt
	Size    int64
	Members int // how many members or tables it may have

	// Unconfined also decodes where the system cannot confine a child.
	Unconfined bool
}

// ErrNoWall means that this system cannot confine a child.
var ErrNoWall = errors.New("this system cannot confine the library that would decode it (no seccomp): " +
	"--unconfined decodes it all the same")

// How long a child may let its parent wait for a file altogether: so much, and more for each
// byte of the file and of its decoded form.
const (
	leastPatience = time.Minute
	slowest       = 1 << 20 // bytes in a second
)

// Job is a file that is being decoded. It is used by one goroutine.
type Job struct {
	pool     *pool
	worker   *worker
	once     bool
	patience time.Duration // that is left
	left     int           // of the message that Read is within
	within   bool          // a member: Read has not come to its end
	end      Item          // of that member
	failed   error
	done     bool
	stop     func() bool
}

// Item is the next item in a file.
type Item struct {
	Kind   Kind
	Name   []byte // of a member, link or table; hostile
	Row    []byte // valid until the next call
	Status Status
	Text   []byte // a library's text on the status; hostile
}

// Open starts to decode a file. The caller closes the job. It returns [ErrNoWall] where no
// child can be confined, unless the source allows that.
func Open(ctx context.Context, s Source) (*Job, error) { return children.open(ctx, s) }

func (p *pool) open(ctx context.Context, s Source) (*Job, error) {
	i := placeOf(s.Format)
	if i < 0 {
		return nil, fmt.Errorf("no such format: %q", s.Format)
	}
	w, err := p.borrowChild()
	if err != nil {
		return nil, err
	}
	if w.wall == noWall && !s.Unconfined {
		p.giveBack(w)
		return nil, ErrNoWall
	}
	j := &Job{pool: p, worker: w, once: decoders[i].once, patience: leastPatience + patienceFor(s.Size)}
	j.stop = context.AfterFunc(ctx, func() { _ = w.cmd.Process.Kill() })
	if err := w.sendRequest(request{format: byte(i), size: s.Size, most: int64(s.Members)}, s.Octets); err != nil {
		j.Close()
		return nil, fmt.Errorf("%w: %w", errStart, err)
	}
	return j, nil
}

// patienceFor is how long so many bytes may take.
func patienceFor(size int64) time.Duration { return time.Duration(size) * (time.Second / slowest) }

// Close gives the child back, or ends it if it has not come to the end of the file.
func (j *Job) Close() {
	if j.worker == nil {
		return
	}
	w := j.worker
	j.worker = nil
	if stopped := j.stop(); stopped && j.done && !j.once {
		j.pool.giveBack(w)
		return
	}
	w.endChild()
}

// mostRow bounds a row, which must fit into the memory of a child.
const mostRow = mostMemory

// Next returns the next item. Final is the last. An error is the reason why nothing more can
// be read of the file; all items before are good.
func (j *Job) Next() (Item, error) {
	if j.within { // the caller did not read the member to its end
		if _, err := io.Copy(io.Discard, j); err != nil {
			return Item{}, err
		}
	}
	if j.end.Kind != 0 {
		end := j.end
		j.end = Item{}
		return end, nil
	}
	k, text, err := j.readMessage()
	if err != nil {
		return Item{}, err
	}
	it := Item{Kind: k}
	switch k {
	case Member:
		j.within, it.Name = true, text
	case Lost, Link, Table:
		it.Name = text
	case Row:
		it.Row = text
	case End, Note, Final:
		j.done = k == Final
		return it.withStatus(text)
	default:
		return Item{}, errEnded
	}
	return it, nil
}

// withStatus returns the item with the status that begins a text.
func (it Item) withStatus(text []byte) (Item, error) {
	if len(text) == 0 {
		return Item{}, errEnded
	}
	it.Status, it.Text = Status(text[0]), text[1:]
	return it, nil
}

// readMessage reads a message, with the patience that is left.
func (j *Job) readMessage() (Kind, []byte, error) {
	k, size, err := j.readHead()
	if err != nil {
		return k, nil, err
	}
	if size > mostRow || k != Row && size > mostText+1 {
		return k, nil, j.fail(errEnded)
	}
	text := make([]byte, size)
	return k, text, j.fillBuffer(text)
}

// readHead reads the head of a message. For the bytes that it announces there is more patience.
func (j *Job) readHead() (Kind, int, error) {
	var b [headSize]byte
	err := j.fillBuffer(b[:])
	size := int(binary.LittleEndian.Uint32(b[1:]))
	j.patience += patienceFor(int64(size))
	return Kind(b[0]), size, err
}

func (j *Job) fillBuffer(p []byte) error {
	if j.failed != nil {
		return j.failed
	}
	before := j.worker.used
	err := j.worker.readFull(p, j.patience)
	if j.patience -= j.worker.used - before; err == nil && j.patience <= 0 {
		err = errEnded
	}
	return j.fail(err)
}

func (j *Job) fail(err error) error {
	j.failed = err
	return err
}

// Read reads the content of the member that Next returned last. It returns io.EOF at its
// end, also where that is damage: the next item is End, with its status.
func (j *Job) Read(p []byte) (int, error) {
	for j.left == 0 {
		if !j.within {
			return 0, io.EOF
		}
		k, size, err := j.readHead()
		switch {
		case err != nil:
			return 0, err
		case k == isData:
			j.left = size
		case k == End && size <= mostText+1:
			text := make([]byte, size)
			if err := j.fillBuffer(text); err != nil {
				return 0, err
			}
			j.within = false
			if j.end, err = (Item{Kind: End}).withStatus(text); err != nil {
				return 0, j.fail(err)
			}
		default:
			return 0, j.fail(errEnded)
		}
	}
	n := min(len(p), j.left)
	if err := j.fillBuffer(p[:n]); err != nil {
		return 0, err
	}
	j.left -= n
	return n, nil
}
