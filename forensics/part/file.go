package part

import (
	"context"
	"slices"
	"sort"
	"sync"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store/block"
)

// firstFrame returns the first of frames of statements that has some from a sequence on.
// A sequence can begin in the frame before the one that begins with it.
func firstFrame(frames []frame, from uint64) int {
	return max(0, sort.Search(len(frames), func(i int) bool { return frames[i].first >= from })-1)
}

func (f *File) ofLog(log facts.Log) logFrames {
	if i, found := slices.BinarySearchFunc(f.x.logs, log, facts.Log.Compare); found {
		return f.logs[i]
	}
	return logFrames{}
}

// fileCopies is a stream of the copies in the blocks of a file.
type fileCopies struct {
	ctx    context.Context
	f      *File
	frames []frame
	from   uint64
	block  block.Reader
	buffer []byte
	kept   []byte
	open   bool
	recent *recentCopies
}

// recentCopies are the copies that were read last. One stays as it is while two more are read.
type recentCopies struct {
	copies [3]Copy
	count  int // of those that were read
}

// next reads the next copy of a block; nil behind the last.
func (l *recentCopies) next(r *block.Reader) (*Copy, error) {
	v, last := &l.copies[l.count%len(l.copies)], &l.copies[(l.count+len(l.copies)-1)%len(l.copies)]
	if more, err := r.Next(v); err != nil || !more {
		return nil, err
	}
	if l.count > 0 && v.Sequence <= last.Sequence && block.CompareCopy(last, v) >= 0 {
		return nil, r.Damaged()
	}
	l.count++
	return v, nil
}

func (f *File) copies(ctx context.Context, log facts.Log, from uint64) stream[Copy] {
	c, _ := cursors.Get().(*fileCopies)
	c.ctx, c.f, c.frames, c.from = ctx, f, f.copiesFrom(log, from), from
	c.recent = new(recentCopies) // they are used longer than the stream
	return c
}

// cursors keep the memory of those that were closed: many read only a few copies.
var cursors = sync.Pool{New: func() any { return &fileCopies{} }}

func (c *fileCopies) close() {
	c.ctx, c.f, c.frames, c.recent, c.open = nil, nil, nil, nil, false
	if cap(c.buffer) <= 4*block.FullWeight {
		cursors.Put(c)
	}
}

// copiesFrom returns the frames that have copies from a sequence on.
func (f *File) copiesFrom(log facts.Log, from uint64) []frame {
	frames := f.ofLog(log).copies
	return frames[sort.Search(len(frames), func(i int) bool { return frames[i].last >= from }):]
}

// firstFrom returns a sequence that no copy of a log from one on is below. It returns false
// if there is no copy.
func (f *File) firstFrom(log facts.Log, from uint64) (uint64, bool) {
	frames := f.copiesFrom(log, from)
	if len(frames) == 0 {
		return 0, false
	}
	return max(from, frames[0].first), true
}

// logRange returns sequences that no copy of a log is below and above. It returns false if
// there is no copy.
func (f *File) logRange(log facts.Log) (first, last uint64, some bool) {
	frames := f.ofLog(log).copies
	if len(frames) == 0 {
		return 0, 0, false
	}
	return frames[0].first, frames[len(frames)-1].last, true
}

func (c *fileCopies) next() (*Copy, error) {
	for {
		if !c.open {
			if more, err := c.nextBlock(); !more || err != nil {
				return nil, err
			}
		}
		v, err := c.recent.next(&c.block)
		if err != nil {
			return nil, err
		}
		if c.open = v != nil; c.open && v.Sequence >= c.from {
			return v, nil
		}
	}
}

// openBlock begins a block whose content was read, with its kept columns, for which there is a
// buffer.
func openBlock(f *File, r *block.Reader, one *frame, content, buffer []byte) (kept []byte, err error) {
	r.Shares, r.Unjudged = f.x.shares, f.keeps
	if err := r.Open(content, one.at); err != nil || !f.keeps {
		return buffer, err
	}
	if kept, err = f.rows.Kept(one.at, buffer); err != nil {
		return buffer, err
	}
	return kept, r.OpenKept(kept, one.at)
}

func (c *fileCopies) nextBlock() (more bool, err error) {
	if len(c.frames) == 0 {
		return false, nil
	}
	if err := c.ctx.Err(); err != nil {
		return false, err
	}
	if c.buffer, err = c.f.readFrame(&c.frames[0], c.buffer); err != nil {
		return false, err
	}
	c.block.Last = len(c.frames) == 1
	if c.kept, err = openBlock(c.f, &c.block, &c.frames[0], c.buffer, c.kept); err != nil {
		return false, err
	}
	c.frames, c.open = c.frames[1:], true
	return true, nil
}
