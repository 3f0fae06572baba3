package part

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store/block"
)

// Stretch is the next element of a log: a series, or one copy. One of the two is nil.
type Stretch struct {
	Series *Series
	Copy   *Copy
}

// alone is a block of copies. No other block has copies of its sequences, unless it is
// mixed: then those from first to last are read by copies.
type alone struct {
	in          *input
	frame       *frame
	ends        bool // it is the last one of the log in its file
	mixed       bool
	first, last uint64
}

// Stretches yields the copies of a log from a sequence on, in all inputs.
func (m *merged) Stretches(ctx context.Context, log facts.Log, from uint64, by Judging) iter.Seq2[Stretch, error] {
	return func(yield func(Stretch, error) bool) {
		for b, o := range by.openAhead(ctx, blocksOf(m.holds[log], log, from)) {
			s := blockStretches{ctx: ctx, alone: *b, from: from, yield: yield}
			if b.mixed {
				s.copies(m, log)
			} else if err := s.block(o); err != nil {
				yield(Stretch{}, err)
				return
			}
			if s.stopped {
				return
			}
		}
	}
}

// blocksOf returns the blocks of a log that have copies from a sequence on, ascending.
// Those that overlap are one.
func blocksOf(spans []span, log facts.Log, from uint64) (all []alone) {
	for _, s := range spans {
		frames := s.in.copiesFrom(log, from)
		for i := range frames {
			all = append(all, alone{in: s.in, frame: &frames[i], ends: i == len(frames)-1, mixed: s.in.cut,
				first: frames[i].first, last: frames[i].last})
		}
	}
	slices.SortStableFunc(all, func(a, b alone) int { return cmp.Compare(a.first, b.first) })
	kept := all[:0]
	for _, b := range all {
		if n := len(kept) - 1; n >= 0 && (b.first <= kept[n].last || b.mixed && kept[n].mixed) {
			kept[n].mixed, kept[n].last = true, max(kept[n].last, b.last)
			continue
		}
		kept = append(kept, b)
	}
	return kept
}

// blockStretches yields the content of a block.
type blockStretches struct {
	ctx context.Context
	alone
	from    uint64
	yield   func(Stretch, error) bool
	stopped bool
}

// copies yields copies of a content, within the sequences of the block.
func (s *blockStretches) copies(all *merged, log facts.Log) {
	for c, err := range all.Copies(s.ctx, log, max(s.from, s.first)) {
		if err == nil && c.Sequence > s.last {
			return
		}
		if !s.yield(Stretch{Copy: c}, err) || err != nil {
			s.stopped = true
			return
		}
	}
}

// block yields the copies of the block, as a series if they are one.
func (s *blockStretches) block(o openedBlock) (err error) {
	if o.err != nil {
		return o.err
	}
	if o.series {
		for i := range o.block.Series {
			if one := &o.block.Series[i]; !s.stopped && one.Last >= s.from {
				s.stopped = !s.yield(Stretch{Series: one}, nil)
			}
		}
		return nil
	}
	if o.kept, err = openBlock(s.in.File, &o.reader, s.frame, o.buffer, o.kept); err != nil {
		return err
	}
	return s.eachCopy(&o.reader)
}

// eachCopy yields the copies of a block one by one. They stay as they are while the next
// one is read.
func (s *blockStretches) eachCopy(r *block.Reader) error {
	recent := new(recentCopies)
	for {
		v, err := recent.next(r)
		if v == nil || err != nil {
			return err
		}
		v.Arrivals = s.in.moveAll(v.Arrivals)
		if v.Sequence >= s.from && !s.yield(Stretch{Copy: v}, nil) {
			s.stopped = true
			return nil
		}
	}
}

// seriesReader is the memory for reading a block.
type seriesReader struct {
	buffer []byte
	kept   []byte
	reader block.Reader
	block  block.SeriesBlock
}

var seriesReaders = sync.Pool{New: func() any { return new(seriesReader) }}

func (c *seriesReader) release() {
	if cap(c.buffer) <= 4*block.FullWeight {
		seriesReaders.Put(c)
	}
}

// openBlock begins a block, and reports whether its copies are series.
func (c *seriesReader) openBlock(b *alone, content []byte) (bool, error) {
	c.reader.Last = b.ends
	var err error
	if c.kept, err = openBlock(b.in.File, &c.reader, b.frame, content, c.kept); err != nil {
		return false, err
	}
	if !c.block.Open(&c.reader) {
		return false, nil
	}
	for i := range c.block.Series {
		one := &c.block.Series[i]
		if b.in.shuffled && len(one.Begins) > 1 {
			return false, nil
		}
		one.Begins, one.Ends = b.in.moveAll(one.Begins), b.in.moveAll(one.Ends)
	}
	return true, nil
}
