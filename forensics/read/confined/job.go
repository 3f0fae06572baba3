package confined

import (
	"context"
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

// ErrNoWall says that this system cannot confine a child.
var ErrNoWall = errors.New("this system cannot confine the library that would decode it (no seccomp): " +
	"--unconfined decodes it all the same")

// How long a child may let its parent wait for a file altogether: so much, and more for
// each byte of the file and of what it decodes to.
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

// Item is what comes next in a file.
type Item struct {
	Kind   ItemKind
	Name   []byte // of a member, link or table; hostile
	Row    []byte // valid until the next call
	Status Status
	Text   []byte // what a library said to a status; hostile
}

// ItemKind is the kind of an item.
type ItemKind byte

// The kinds. A member's content is read from the job, and End says how that ended; a lost one
// has none.
const (
	Member ItemKind = ItemKind(isMember)
	End    ItemKind = ItemKind(isEnd)
	Lost   ItemKind = ItemKind(isLost)
	Link   ItemKind = ItemKind(isLink)
	Table  ItemKind = ItemKind(isTable)
	Row    ItemKind = ItemKind(isRow)
	Note   ItemKind = ItemKind(isNote)
	Final  ItemKind = ItemKind(isFinal)
)

// Open starts to decode a file. The caller closes the job. It returns [ErrNoWall] where no
// child can be confined, unless the source allows that.
func Open(ctx context.Context, s Source) (*Job, error) { return children.open(ctx, s) }

func (p *pool) open(ctx context.Context, s Source) (*Job, error) {
	i := placeOf(s.Format)
	if i < 0 {
		return nil, fmt.Errorf("no such format: %q", s.Format)
	}
	w, err := p.borrow()
	if err != nil {
		return nil, err
	}
	if w.wall == noWall && !s.Unconfined {
		p.giveBack(w)
		return nil, ErrNoWall
	}
	j := &Job{pool: p, worker: w, once: decoders[i].once, patience: leastPatience + patienceFor(s.Size)}
	j.stop = context.AfterFunc(ctx, func() { _ = w.cmd.Process.Kill() })
	if err := w.ask(request{format: byte(i), size: s.Size, most: int64(s.Members)}, s.Octets); err != nil {
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
	w.end()
}

// mostRow bounds a row, which is at most what the memory of a child holds.
const mostRow = mostMemory

// Next returns what comes next. Final is the last. An error says why nothing more can be
// read of the file; all items before are good.
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
	k, text, err := j.message()
	if err != nil {
		return Item{}, err
	}
	it := Item{Kind: ItemKind(k)}
	switch k {
	case isMember:
		j.within, it.Name = true, text
	case isLost, isLink, isTable:
		it.Name = text
	case isRow:
		it.Row = text
	case isEnd, isNote, isFinal:
		j.done = k == isFinal
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

// message reads a message, with the patience that is left.
func (j *Job) message() (kind, []byte, error) {
	k, size, err := j.head()
	if err != nil {
		return k, nil, err
	}
	if size > mostRow || k != isRow && size > mostText+1 {
		return k, nil, j.fail(errEnded)
	}
	text := make([]byte, size)
	return k, text, j.fill(text)
}

func (j *Job) head() (kind, int, error) {
	if j.failed != nil {
		return 0, 0, j.failed
	}
	before := j.worker.used
	k, size, err := j.worker.head(j.patience)
	return k, size, j.waited(before, size, err)
}

func (j *Job) fill(p []byte) error {
	before := j.worker.used
	return j.waited(before, 0, j.worker.read(p, j.patience))
}

// waited takes in what the parent waited, and so many bytes that come.
func (j *Job) waited(before time.Duration, size int, err error) error {
	j.patience += patienceFor(int64(size)) - (j.worker.used - before)
	if err == nil && j.patience <= 0 {
		err = errEnded
	}
	return j.fail(err)
}

func (j *Job) fail(err error) error {
	if err != nil {
		j.failed = err
	}
	return err
}

// Read reads the content of the member that Next returned last. It returns io.EOF at its
// end, also where that is damage: the next item is End, with its status.
func (j *Job) Read(p []byte) (int, error) {
	for j.left == 0 {
		if !j.within {
			return 0, io.EOF
		}
		k, size, err := j.head()
		switch {
		case err != nil:
			return 0, err
		case k == isData:
			j.left = size
		case k == isEnd && size <= mostText+1:
			text := make([]byte, size)
			if err := j.fill(text); err != nil {
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
	if err := j.fill(p[:n]); err != nil {
		return 0, err
	}
	j.left -= n
	return n, nil
}
