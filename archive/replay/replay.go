package replay

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/tasks"
	"github.com/svc-edge/svc-verify/verify"
)

// Options define the change to rehearse, and the archive.
type Options struct {
	Dir      string
	Old, New Under

	// Known are the rows of a ledger under the user's key, in the order of their
	// paths; nil without a ledger.
	Known   iter.Seq2[*ledger.Object, error]
	Remarks []string // the parts of the ledger that are not believed
	Doubt   bool     // the ledger was altered, so that missing objects are not known
	All     bool     // verify also objects that the change cannot touch

	Workers  int    // how many objects are judged at once, at least 1
	TempDir  string // for temporary cases
	Progress func(path string, objects int64)
}

// Run rehearses a change. If ctx is done, the result covers the objects before, and records
// this. An error is none of an object.
func Run(ctx context.Context, o Options) (_ *Result, err error) {
	root, err := listing.Open(o.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	r := &run{o: o, scope: scopeOf(o.Old, o.New), context: o.Old.Context(), root: root,
		before: judge(o, o.Old), after: judge(o, o.New),
		result: newResult(o)}
	if err := r.all(ctx); err != nil && ctx.Err() == nil {
		return nil, err
	}
	if err := errors.Join(r.before.Err(), r.after.Err()); err != nil {
		return nil, err
	}
	r.result.Stopped = ctx.Err() != nil
	r.result.conclude()
	return r.result, nil
}

func judge(o Options, u Under) *object.Judge {
	return object.NewJudge(object.Options{Root: u.Root, Policy: u.Policy, TempDir: o.TempDir, Workers: max(o.Workers, 1)})
}

// run is one replay.
type run struct {
	o             Options
	scope         scope
	context       object.Context // of rows that are believed
	root          *listing.Root
	before, after *object.Judge
	result        *Result
	large         sync.Mutex // held by the worker that has a large object in memory
}

// task is one object: as the folder has it, the ledger, or both.
type task struct {
	ledger.Pair[*ledger.Object]
	fault *Fault // known before it is read
}

// all judges the objects of the folder and the ledger side by side, and counts them in the order of their paths.
func (r *run) all(ctx context.Context) error {
	work := tasks.Work[task, judged]{Workers: max(r.o.Workers, 1), Start: r.startWorker, Take: func(j judged) error {
		r.result.add(&j)
		if r.o.Progress != nil {
			r.o.Progress(j.path, r.result.Objects)
		}
		return ctx.Err()
	}}
	return errors.Join(work.Run(ctx, func(yield func(task, error) bool) {
		known := r.o.Known
		if known == nil {
			known = func(func(*ledger.Object, error) bool) {}
		}
		for pair, err := range ledger.Join(r.root.All(ctx), known, ledger.PathOf) {
			if pair.Known {
				row := *pair.Row // the ledger uses the row again
				pair.Row = &row
			}
			if !yield(task{pair, faultOf(&pair)}, err) {
				return
			}
		}
	}), ctx.Err())
}

// startWorker begins a worker.
func (r *run) startWorker() (do func(context.Context, task) (judged, error), end func()) {
	reader := object.NewReader(r.root, &r.large)
	return func(ctx context.Context, t task) (judged, error) { return r.judge(ctx, reader, &t) },
		func() { _ = reader.Close() } // it was read from only
}

// faultOf returns why an object cannot be read, as far as that is known before; nil if
// it is there.
func faultOf(p *ledger.Pair[*ledger.Object]) *Fault {
	path := object.PathText(p.Path)
	switch {
	case p.There && p.Entry.Err != nil:
		return &Fault{Unreadable, path, p.Entry.Err.Error()}
	case p.There:
		return nil
	case p.Unlisted != nil:
		return &Fault{Unreadable, path, "its folder could not be listed"}
	}
	return &Fault{Missing, path, ""}
}

// UseLedger makes the rows of a ledger known, as far as it can be believed, and reads the
// policy before the change from its newest run. It is the policy after the change too, except
// for the caller's demands.
func (o *Options) UseLedger(ctx context.Context, l *ledger.Ledger, asked verify.Policy) error {
	o.Known = l.Objects(ctx)
	switch l.Standing() {
	case ledger.Foreign:
		o.Remarks = append(o.Remarks, "verdicts of the ledger, which is another user's")
		return nil
	case ledger.Changed:
		o.Remarks = append(o.Remarks, "the ledger, which was altered: "+l.Fault().Error())
		o.Doubt = true
		return nil
	}
	number, _ := l.Newest()
	if number == 0 {
		return nil
	}
	newest, err := l.Run(number)
	if err != nil {
		return err
	}
	o.Old.Policy, o.New.Policy = newest.Policy, newest.Policy
	if asked.MinimumApprovals > 0 {
		o.New.Policy.MinimumApprovals = asked.MinimumApprovals
	}
	if !asked.LegacyBefore.IsZero() {
		o.New.Policy.LegacyBefore = asked.LegacyBefore
	}
	if asked.TenantID != "" {
		o.New.Policy.TenantID = asked.TenantID
	}
	return nil
}
