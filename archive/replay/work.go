package replay

import (
	"context"
	"errors"
	"sync"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/fault"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// pool judges objects side by side.
type pool struct {
	r       *run
	ctx     context.Context
	readers []*object.Reader
}

func (r *run) workers(ctx context.Context) *pool {
	p := &pool{r: r, ctx: ctx}
	for range max(r.o.Workers, 1) {
		p.readers = append(p.readers, object.NewReader(r.root, &r.large))
	}
	return p
}

func (p *pool) close() {
	for _, reader := range p.readers {
		_ = reader.Close() // it was read from only
	}
}

// do judges some objects, and counts them in their order.
func (p *pool) do(tasks []task) error {
	results, faults := make([]judged, len(tasks)), make([]error, len(p.readers))
	next := make(chan int)
	var workers sync.WaitGroup
	for w, reader := range p.readers {
		workers.Go(func() {
			for i := range next {
				if faults[w] == nil {
					faults[w] = fault.Guard(func() (err error) {
						results[i], err = p.r.judge(p.ctx, reader, &tasks[i])
						return err
					})
				}
			}
		})
	}
	for i := range tasks {
		next <- i
	}
	close(next)
	workers.Wait()
	if err := errors.Join(faults...); err != nil && p.ctx.Err() == nil {
		return err
	}
	for i := range results {
		if results[i].path == "" { // it was not judged any more
			return p.ctx.Err()
		}
		p.r.result.add(&results[i])
		if p.r.o.Progress != nil {
			p.r.o.Progress(tasks[i].Path, p.r.result.Objects)
		}
	}
	return p.ctx.Err()
}

// judge judges one object. Its error is none of the object.
func (r *run) judge(ctx context.Context, reader *object.Reader, t *task) (judged, error) {
	j := judged{path: t.Path, fault: t.fault}
	if j.fault != nil {
		return j, nil
	}
	if j.believed = r.believes(t.Row); j.believed {
		j.before, j.after, j.sum = t.Row.Judgement, t.Row.Judgement, t.Row.SHA256
		j.why = r.scope.touches(&j.before)
		if len(j.why) == 0 && !r.o.All {
			return j, nil
		}
	}
	fault, err := r.read(ctx, reader, t, &j)
	if fault != nil && err == nil {
		j.fault = &Fault{Unreadable, object.PathText(t.Path), safetext.Line(fault.Error())}
		if errors.Is(fault, errAltered) {
			j.fault = &Fault{Altered, object.PathText(t.Path), ""}
		}
	}
	if err != nil {
		return judged{}, err
	}
	return j, nil
}

// believes reports whether a row has the verdict before the change.
func (r *run) believes(row *ledger.Object) bool {
	return row != nil && row.Context == r.context && row.Wrong == ""
}

// errAltered reports that an object is not the one in the ledger.
var errAltered = errors.New("its octets are not those of the ledger")

// read reads an object, and judges it before and after the change, as far as that is
// needed. A fault is one of the object.
func (r *run) read(ctx context.Context, reader *object.Reader, t *task, j *judged) (fault, err error) {
	got, fault, err := reader.Read(ctx, t.Path, 0)
	defer func() { _ = reader.Done(got) }() // a file that was only read
	if fault != nil || err != nil {
		return fault, err
	}
	j.sum = got.SHA256
	if t.Row != nil && t.Row.SHA256 != j.sum {
		return errAltered, nil
	}
	if j.first = !j.believed; j.first {
		if j.before, err = r.before.Reading(ctx, got); err != nil {
			return split(err)
		}
		j.after, j.why = j.before, r.scope.touches(&j.before)
	}
	if j.again = len(j.why) > 0 || r.o.All; j.again {
		if j.after, err = r.after.Reading(ctx, got); err != nil {
			return split(err)
		}
	}
	return nil, nil
}

// split separates an error of an object from others.
func split(err error) (fault, other error) {
	if errors.Is(err, object.ErrChanged) {
		return err, nil
	}
	return nil, err
}
