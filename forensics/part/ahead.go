package part

import (
	"context"
	"iter"

	"github.com/svc-edge/svc-verify/internal/tasks"
)

// Judging names the judge of series, and how many blocks it judges at once. Without a judge
// nothing is judged.
type Judging struct {
	Workers int
	Judge   func(*Series) error // sets Held of a series whose signatures it finds to hold; called by several at once
}

// openedBlock is a block that was read.
type openedBlock struct {
	*seriesReader
	series bool // its copies are series
	err    error
}

// openAhead yields blocks in order, those that are not mixed as they were read and judged.
// With a judge, several are read at once.
func (by Judging) openAhead(ctx context.Context, blocks []alone) iter.Seq2[*alone, openedBlock] {
	if by.Judge == nil || by.Workers < 2 || len(blocks) < 2 {
		return by.openInTurn(ctx, blocks)
	}
	return func(yield func(*alone, openedBlock) bool) {
		ctx, stop := context.WithCancel(ctx)
		order := make(chan (<-chan openedBlock), by.Workers-1)
		defer func() {
			stop()
			for next := range order { // running work ends
				(<-next).release()
			}
		}()
		go by.openEach(ctx, blocks, order)
		for i := range blocks {
			next, more := <-order
			if !more {
				yield(&blocks[i], openedBlock{err: ctx.Err()})
				return
			}
			o := <-next
			goesOn := yield(&blocks[i], o)
			if o.release(); !goesOn {
				return
			}
		}
	}
}

// openEach has blocks opened, and hands on where each is to be had.
func (by Judging) openEach(ctx context.Context, blocks []alone, order chan<- (<-chan openedBlock)) {
	defer close(order)
	for i := range blocks {
		done := make(chan openedBlock, 1)
		select {
		case order <- done:
		case <-ctx.Done():
			return
		}
		go func() {
			var o openedBlock
			if err := tasks.Guard(func() error { o = by.openBlock(ctx, &blocks[i]); return nil }); err != nil {
				o.err = err
			}
			done <- o
		}()
	}
}

// openInTurn yields blocks in order, each read when it is needed.
func (by Judging) openInTurn(ctx context.Context, blocks []alone) iter.Seq2[*alone, openedBlock] {
	return func(yield func(*alone, openedBlock) bool) {
		for i := range blocks {
			o := by.openBlock(ctx, &blocks[i])
			goesOn := yield(&blocks[i], o)
			if o.release(); !goesOn {
				return
			}
		}
	}
}

// openBlock reads a block, unless it is mixed, and has its series judged.
func (by Judging) openBlock(ctx context.Context, b *alone) (o openedBlock) {
	if o.err = ctx.Err(); b.mixed || o.err != nil {
		return o
	}
	o.seriesReader, _ = seriesReaders.Get().(*seriesReader)
	content, err := b.in.readFrame(b.frame, o.buffer)
	if err != nil {
		o.err = err
		return o
	}
	o.buffer = content
	if o.series, o.err = o.openBlock(b, content); !o.series || o.err != nil || by.Judge == nil {
		return o
	}
	for i := range o.block.Series {
		if s := &o.block.Series[i]; !s.Judged() && o.err == nil {
			o.err = by.Judge(s)
		}
	}
	return o
}

// release gives the memory of a block back.
func (o openedBlock) release() {
	if o.seriesReader != nil {
		o.seriesReader.release()
	}
}
