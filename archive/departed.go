package archive

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"sort"
	"sync"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/listing"
)

// departed are the objects whose paths are not there any more, by their octets.
type departed struct {
	all []departure // in the order of their digests, and then of their paths
}

// departure is one of them.
type departure struct {
	sum    [sha256.Size]byte
	index  uint32 // among all objects
	taken  uint32 // of the first with its digest: how many were found elsewhere
	before bool   // it was missing before
}

// departed returns the objects of the plan whose paths are not there.
func (p *plan) departed() (*departed, error) {
	d := &departed{}
	for _, index := range p.missing {
		it, err := p.at(index)
		if err != nil {
			return nil, err
		}
		d.all = append(d.all, departure{sum: it.row.sha256, index: index, before: it.row.wrong == Missing})
	}
	slices.SortFunc(d.all, func(a, b departure) int {
		return cmp.Or(bytes.Compare(a.sum[:], b.sum[:]), cmp.Compare(a.index, b.index))
	})
	return d, nil
}

// take returns the next object with this digest, in the order of their paths, or nil.
// Each is found elsewhere only once.
func (d *departed) take(sum [sha256.Size]byte) *departure {
	first := sort.Search(len(d.all), func(i int) bool { return bytes.Compare(d.all[i].sum[:], sum[:]) >= 0 })
	if first == len(d.all) || d.all[first].sum != sum {
		return nil
	}
	next := first + int(d.all[first].taken)
	if next >= len(d.all) || d.all[next].sum != sum {
		return nil
	}
	d.all[first].taken++
	return &d.all[next]
}

// isGone reports whether the folder has nothing, or lacks more than half of what the
// ledger knows and did not miss before. A folder whose objects all moved lacks
// nothing, so that new objects are read before that is said. It takes nothing from d.
func (p *plan) isGone(ctx context.Context, root *listing.Root, d *departed) (gone bool, err error) {
	lacks := func(gone int) bool { return p.known >= 2 && gone*2 > p.known }
	if p.known > 0 && p.listed == 0 {
		return true, nil
	}
	if !lacks(p.gone) || lacks(p.gone-p.fresh) {
		return lacks(p.gone), nil
	}
	moved, err := p.moved(ctx, root, departed{slices.Clone(d.all)})
	return lacks(p.gone - moved), err
}

// moved reads the new objects, and returns how many of the departed they are. Objects
// that were missing before do not count: they are not gone now. It takes from d.
func (p *plan) moved(ctx context.Context, root *listing.Root, d departed) (moved int, err error) {
	r := object.NewReader(root, &sync.Mutex{})
	defer func() { err = errors.Join(err, r.Close()) }()
	for _, one := range p.queue.all {
		it, err := p.at(one.index)
		if err != nil {
			return 0, err
		}
		if it.known {
			continue
		}
		got, fault, err := r.Read(ctx, it.path, 0)
		if err != nil {
			return 0, errors.Join(err, r.Done(got))
		}
		if fault == nil {
			if old := d.take(got.SHA256); old != nil && !old.before {
				moved++
			}
		}
		if err := r.Done(got); err != nil {
			return 0, err
		}
	}
	return moved, nil
}

// order brings the queue into its order, and leaves a sample if one was asked for.
func (p *plan) order(o *Options, r *Result) {
	p.readable = len(p.queue.all)
	if o.Sample > 0 {
		r.sampled(p.queue.sample(o.Sample))
	}
	p.queue.sort()
}

// bitmap is a set of objects.
type bitmap []uint64

func newBitmap(n int) bitmap { return make(bitmap, n/64+1) }

func (b bitmap) set(i uint32)      { b[i/64] |= 1 << (i % 64) }
func (b bitmap) has(i uint32) bool { return b[i/64]>>(i%64)&1 == 1 }
