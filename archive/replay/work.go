package replay

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/fault"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// pool judges objects side by side.
type pool struct {
	r       *run
	ctx     context.Context
	readers []*listing.Reader
}

func (r *run) workers(ctx context.Context) *pool {
	p := &pool{r: r, ctx: ctx}
	for range max(r.o.Workers, 1) {
		p.readers = append(p.readers, r.root.Reader())
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
			p.r.o.Progress(tasks[i].path, p.r.result.Objects)
		}
	}
	return p.ctx.Err()
}

// judge says what becomes of one object. Its error is none of the object.
func (r *run) judge(ctx context.Context, reader *listing.Reader, t *task) (judged, error) {
	j := judged{path: t.path, fault: t.fault}
	if j.fault != nil {
		return j, nil
	}
	if j.believed = r.believes(t.row); j.believed {
		j.before, j.after, j.sum = t.row.Judgement, t.row.Judgement, t.row.SHA256
		j.why = r.scope.touches(&j.before)
		if len(j.why) == 0 && !r.o.All {
			return j, nil
		}
	}
	fault, err := r.read(ctx, reader, t, &j)
	if fault != nil && err == nil {
		j.fault = &Fault{Unreadable, object.PathText(t.path), safetext.Line(fault.Error())}
		if errors.Is(fault, errAltered) {
			j.fault = &Fault{Altered, object.PathText(t.path), ""}
		}
	}
	if err != nil {
		return judged{}, err
	}
	return j, nil
}

// believes reports whether a row tells the verdict before the change.
func (r *run) believes(row *ledger.Object) bool {
	return row != nil && row.Context == r.context && row.Wrong == ""
}

// errAltered says that an object is not the one of the ledger.
var errAltered = errors.New("its octets are not those of the ledger")

// large is from which size on only one object is in memory at a time: it takes a
// multiple of its size to judge it.
const large = 1 << 20

// read reads an object and judges it. A fault is one of the object.
func (r *run) read(ctx context.Context, reader *listing.Reader, t *task, j *judged) (fault, err error) {
	f, fault := reader.Open(t.path)
	if fault != nil {
		return fault, nil
	}
	defer f.Close()
	info, fault := f.Stat()
	if fault != nil {
		return fault, nil
	}
	if info.Size() > large {
		r.large.Lock()
		defer r.large.Unlock()
	}
	if info.Size() > object.Most {
		return r.file(ctx, f, t, j)
	}
	octets, fault := io.ReadAll(io.LimitReader(f, object.Most+1))
	switch {
	case fault != nil:
		return fault, nil
	case len(octets) > object.Most:
		return listing.ErrChanged, nil
	}
	j.sum = sha256.Sum256(octets)
	return r.both(t, j, func(judge *object.Judge) (object.Judgement, error) { return judge.Octets(ctx, octets) })
}

// file judges an object that is too large to be read into memory.
func (r *run) file(ctx context.Context, f *os.File, t *task, j *judged) (fault, err error) {
	hash := sha256.New()
	size, fault := io.Copy(hash, f)
	if fault != nil {
		return fault, nil
	}
	hash.Sum(j.sum[:0])
	return r.both(t, j, func(judge *object.Judge) (object.Judgement, error) {
		return judge.File(ctx, object.File{Octets: f, Size: size, SHA256: j.sum})
	})
}

// both judges an object before and after the change, as far as that is needed.
func (r *run) both(t *task, j *judged, judge func(*object.Judge) (object.Judgement, error)) (fault, err error) {
	if t.row != nil && t.row.SHA256 != j.sum {
		return errAltered, nil
	}
	if j.first = !j.believed; j.first {
		if j.before, err = judge(r.before); err != nil {
			return split(err)
		}
		j.after, j.why = j.before, r.scope.touches(&j.before)
	}
	if j.again = len(j.why) > 0 || r.o.All; j.again {
		if j.after, err = judge(r.after); err != nil {
			return split(err)
		}
	}
	return nil, nil
}

// split tells an error of an object from others.
func split(err error) (fault, other error) {
	if errors.Is(err, object.ErrChanged) {
		return err, nil
	}
	return nil, err
}
