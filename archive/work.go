package archive

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/tasks"
)

// examined is an object of the queue that was read, or could not be.
type examined struct {
	index    uint32 // among all objects
	item     item
	fault    string // why its bytes could not be read; "" if they were
	size     int64
	modified int64
	sha256   [sha256.Size]byte
	same     bool // the bytes that the ledger has

	continues bool              // logs whose beginning are the bytes that the ledger has
	judged    *object.Judgement // nil if the verdict of the ledger counts
	at        time.Duration     // when it was begun, since the run was
	err       error             // of the run
}

// task is an object to examine.
type task struct {
	index uint32
	item  item
}

// errBudget ends a run whose time is over.
var errBudget = errors.New("the time is over")

// workers read and judge the objects of a queue.
type workers struct {
	o     *Options
	root  *listing.Root
	plan  *plan
	reuse bool // verdicts of the ledger count
	large sync.Mutex
}

// run has the workers examine the objects of the queue, and calls take with each in
// the order of the queue, until the budget is spent or the context is done. It calls
// idle while an object takes long. It returns how many it took.
func (w *workers) run(ctx context.Context, take func(*examined) error, idle func() error) (taken int, err error) {
	work := tasks.Work[task, *examined]{Workers: w.o.Workers, Start: w.startWorker, Idle: idle,
		Take: func(x *examined) error {
			err := w.o.Judge.Err() // no verdict counts before the judge was asked
			if err == nil {
				err = take(x)
			}
			if err == nil {
				taken++
			}
			return err
		}}
	err = work.Run(ctx, w.eachTask)
	if stopped := ctx.Err(); stopped != nil && errors.Is(err, stopped) || errors.Is(err, errBudget) {
		err = nil
	}
	return taken, err
}

// eachTask yields the objects of the queue.
func (w *workers) eachTask(yield func(task, error) bool) {
	for _, one := range w.plan.queue {
		it, err := w.plan.at(one.index)
		if !yield(task{one.index, it}, err) || err != nil {
			return
		}
	}
}

// startWorker begins a worker.
func (w *workers) startWorker() (do func(context.Context, task) (*examined, error), end func()) {
	r := object.NewReader(w.root, &w.large)
	return func(ctx context.Context, one task) (*examined, error) {
		at := w.o.Elapsed()
		if w.o.Budget != 0 && at >= w.o.Budget {
			return nil, errBudget
		}
		x := w.guarded(ctx, r, one.item)
		x.index, x.at = one.index, at
		return &x, x.err
	}, func() { _ = r.Close() } // folders that were only read
}

// guarded is examine. If the program has a fault, the object could not be read.
func (w *workers) guarded(ctx context.Context, r *object.Reader, it item) (x examined) {
	if err := tasks.Guard(func() error { x = w.examine(ctx, r, it); return nil }); err != nil {
		return examined{item: it, fault: err.Error()}
	}
	return x
}

// examine reads an object, and judges it unless the ledger's verdict counts.
func (w *workers) examine(ctx context.Context, r *object.Reader, it item) (x examined) {
	for range 2 {
		x = w.attempt(ctx, r, it)
		if !errors.Is(x.err, object.ErrChanged) {
			return x
		}
	}
	x.err, x.fault = nil, listing.ErrChanged.Error()
	return x
}

// attempt examines an object once. It may have changed between reading and judging:
// the error is then [object.ErrChanged].
func (w *workers) attempt(ctx context.Context, r *object.Reader, it item) (x examined) {
	x.item = it
	beginning := int64(0)
	if it.known && it.row.kind == object.Logs {
		beginning = it.row.size
	}
	var got *object.Reading
	defer func() { _ = r.Done(got) }() // a file that was only read; also after a panic
	got, fault, err := r.Read(ctx, it.path, beginning)
	if x.err = err; err != nil {
		return x
	}
	if fault != nil {
		x.fault = fault.Error()
		return x
	}
	x.size, x.modified, x.sha256 = got.Size, got.Modified, got.SHA256
	x.same = it.known && x.sha256 == it.row.sha256
	if w.reuse && x.same && it.row.current && !it.row.brief {
		return x
	}
	judged, err := w.o.Judge.Reading(ctx, got)
	if x.err = err; err == nil {
		x.judged = &judged
		x.continues = beginning > 0 && beginning < x.size && got.Beginning == it.row.sha256 && judged.Kind == object.Logs
	}
	return x
}
