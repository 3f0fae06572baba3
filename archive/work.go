package archive

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/fault"
	"github.com/svc-edge/svc-verify/internal/listing"
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

// window is how many objects each worker may be ahead of the first that is not done.
const window = 64

// work is one object on its way through the workers.
type work struct {
	index uint32
	item  item
	done  chan examined // gets one value
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
func (w *workers) run(outer context.Context, take func(*examined) error, idle func() error) (taken int, err error) {
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	queue, order := make(chan work, w.o.Workers*window/2), make(chan chan examined, w.o.Workers*window)
	fed := make(chan error, 1)
	go func() {
		defer close(order)
		defer close(queue)
		fed <- fault.Guard(func() error { return w.feed(ctx, queue, order) })
	}()
	var running sync.WaitGroup
	for range w.o.Workers {
		running.Go(func() { w.work(ctx, queue) })
	}
	for done := range order {
		x, fault := wait(done, idle)
		if err == nil {
			// No verdict counts before the judge was asked.
			if err = errors.Join(fault, x.err, w.o.Judge.Err()); err == nil {
				err = take(&x)
			}
			if err == nil {
				taken++
			}
		}
		if err != nil {
			cancel() // and go on, until the workers are done
		}
	}
	running.Wait()
	if stopped := outer.Err(); stopped != nil && errors.Is(err, stopped) || errors.Is(err, errBudget) {
		err = nil
	}
	return taken, errors.Join(err, <-fed)
}

// wait waits for an object, and calls idle once if that takes long.
func wait(done <-chan examined, idle func() error) (examined, error) {
	t := time.NewTimer(batchTime)
	defer t.Stop()
	select {
	case x := <-done:
		return x, nil
	case <-t.C:
	}
	err := idle()
	return <-done, err
}

// feed hands out the objects of the queue.
func (w *workers) feed(ctx context.Context, queue chan<- work, order chan<- chan examined) error {
	for _, one := range w.plan.queue.all {
		it, err := w.plan.at(one.index)
		if err != nil {
			return err
		}
		next := work{one.index, it, make(chan examined, 1)}
		select {
		case order <- next.done:
		case <-ctx.Done():
			return nil
		}
		queue <- next
	}
	return nil
}

// work examines objects until there are no more.
func (w *workers) work(ctx context.Context, queue <-chan work) {
	r := object.NewReader(w.root, &w.large)
	for one := range queue {
		at := w.o.Elapsed()
		x := examined{err: errBudget}
		if w.o.Budget == 0 || at < w.o.Budget {
			x = w.guarded(ctx, r, one.item)
		}
		x.index, x.at = one.index, at
		one.done <- x
	}
	_ = r.Close() // folders that were only read
}

// guarded is examine. If the program has a fault, the object could not be read.
func (w *workers) guarded(ctx context.Context, r *object.Reader, it item) (x examined) {
	if err := fault.Guard(func() error { x = w.examine(ctx, r, it); return nil }); err != nil {
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
