package archive

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/spool"
)

// plan contains every object of a run, from the folder and from the ledger, in the order of
// paths. Of each, memory has a few bytes and the rest is in a temporary file.
type plan struct {
	items   *spool.File
	listed  int      // names that the folder has
	known   int      // objects that were not missing before
	gone    int      // of those, how many have a path that is not there
	fresh   int      // names that the ledger does not know
	missing []uint32 // the items that are known and whose path is not there
	queue   queue
	ignored run.Ignored // files that are passed over
	kept    run.Ignored // evidence in the ledger that the patterns cover: it is examined all the same

	readable int // objects that could be read
}

func (p *plan) close() error { return p.items.Close() }

// planner makes a plan.
type planner struct {
	plan    *plan
	context object.Context // of the run
	o       *Options
	number  int64    // of the run
	sampler *sampler // nil if there is no sample
	buffer  []byte
}

// newPlan joins the listing of a folder with the rows of a ledger, for the run with a number.
// Both come in path order.
func newPlan(o Options, number int64, list iter.Seq2[listing.Entry, error],
	rows iter.Seq2[*ledger.Object, error]) (_ *plan, err error) {
	items, err := spool.New(o.TempDir)
	if err != nil {
		return nil, err
	}
	ignored := run.Ignored{Patterns: append(listing.Patterns{}, o.Ignore...), Paths: []string{}}
	p := &planner{plan: &plan{items: items, ignored: ignored, kept: ignored}, context: o.Judge.Context(),
		o: &o, number: number}
	if o.Sample > 0 {
		p.sampler = newSampler(o.Seed)
	}
	if err := p.join(list, rows); err != nil {
		return nil, errors.Join(err, items.Close())
	}
	return p.plan, nil
}

// join goes through both side by side.
func (p *planner) join(list iter.Seq2[listing.Entry, error], rows iter.Seq2[*ledger.Object, error]) error {
	for pair, err := range ledger.Examined(ledger.Join(list, rows, ledger.PathOf), &p.plan.ignored) {
		if err != nil {
			return err
		}
		it := item{path: pair.Path, leaves: p.leavesLedger(&pair)}
		if pair.There && !it.leaves {
			p.enter(&it, &pair.Entry)
		}
		if pair.Known {
			p.known(&it, pair.Row, pair.Unlisted)
		}
		it.done = it.there && pair.Known && p.done(&it, &pair.Entry)
		if err := p.add(&it); err != nil {
			return err
		}
	}
	return nil
}

// enter fills in an object's state in the folder.
func (p *planner) enter(it *item, e *listing.Entry) {
	it.there, it.size = true, e.Size
	if e.Err != nil {
		it.fault = e.Err.Error()
	}
	p.plan.listed++
}

// known fills in an object's state in the ledger.
func (p *planner) known(it *item, row *ledger.Object, unlisted error) {
	it.known, it.row = true, shorten(row, p.context)
	if it.leaves {
		return
	}
	if unlisted != nil {
		it.there, it.fault = true, "its folder: "+unlisted.Error()
	}
	if it.row.wrong != Missing {
		p.plan.known++
		if !it.there {
			p.plan.gone++
		}
	}
}

// done reports whether the object was read in the current run, before it was interrupted, and
// nothing requires reading it again.
func (p *planner) done(it *item, e *listing.Entry) bool {
	row := &it.row
	return row.readIn == p.number && !p.o.isStale(row.readAt) && row.wrong == "" && row.current &&
		e.Err == nil && e.Size == row.size && e.Modified == row.modified
}

// add appends an item, and queues it if it can be read.
func (p *planner) add(it *item) error {
	index := uint32(p.plan.items.Len()) // #nosec G115 -- memory holds no more
	switch {
	case it.done, it.leaves:
	case it.there && it.fault == "":
		one := queued{index: index, readAt: it.row.readAt, first: !it.known || it.row.failed()}
		if isAhead(one.readAt, p.o.At) {
			one.readAt = 0
		}
		if p.sampler != nil && !one.first {
			one.tag = p.sampler.tag(it.path)
		}
		p.plan.queue = append(p.plan.queue, one)
	case !it.there:
		p.plan.missing = append(p.plan.missing, index)
	}
	if !it.known {
		p.plan.fresh++
	}
	p.buffer = it.append(p.buffer[:0])
	return p.plan.items.Add(p.buffer)
}

// at returns an item.
func (p *plan) at(index uint32) (it item, err error) {
	b, err := p.items.At(int(index))
	if err == nil {
		err = it.parse(b)
	}
	return it, err
}

// isGone reports whether the folder has nothing, or lacks more than half of the objects that
// the ledger knows and did not miss before. A folder whose objects all moved lacks nothing, so
// that new objects are read before that is said. It does not change d.
func (p *plan) isGone(ctx context.Context, root *listing.Root, d *departed) (gone bool, err error) {
	lacks := func(gone int) bool { return p.known >= 2 && gone*2 > p.known }
	if p.known > 0 && p.listed == 0 {
		return true, nil
	}
	if !lacks(p.gone) || lacks(p.gone-p.fresh) {
		return lacks(p.gone), nil
	}
	moved, err := p.moved(ctx, root, departed{octets: slices.Clone(d.octets), found: map[uint32]bool{}})
	return lacks(p.gone - moved), err
}

// moved reads the new objects, and returns how many of the departed they are. Objects that
// were missing before do not count: they are not gone now. It changes d.
func (p *plan) moved(ctx context.Context, root *listing.Root, d departed) (moved int, err error) {
	r := object.NewReader(root, &sync.Mutex{})
	defer func() { err = errors.Join(err, r.Close()) }()
	for _, one := range p.queue {
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
			if old := d.takeOctets(got.SHA256); old != nil && !old.before {
				moved++
			}
		}
		if err := r.Done(got); err != nil {
			return 0, err
		}
	}
	return moved, nil
}

// order sorts the queue, and leaves only a sample if one was requested.
func (p *plan) order(o *Options, r *Result) {
	p.readable = len(p.queue)
	if o.Sample > 0 {
		r.sampled(p.queue.sample(o.Sample))
	}
	p.queue.sort()
}
