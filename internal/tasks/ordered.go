// Package tasks works on many tasks at once, and hands the results over in the order of the tasks. It makes an error
// of a panic, so that a mistake in a reader costs the one thing that it read, and one elsewhere the run.
package tasks

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync"
	"time"
)

// idleAfter is how long a result is waited for before [Work.Idle] is called.
const idleAfter = time.Second

// Work describes how tasks are done.
type Work[T, R any] struct {
	Workers int // at least 1
	Ahead   int // how many tasks each worker may be ahead of the first that is not done; 64 if 0
	// Start is called by each worker. It returns how a task is done, and how the worker ends.
	Start func() (do func(context.Context, T) (R, error), end func())
	// Take gets each result. Results come in the order of the tasks, one at a time.
	Take func(R) error
	// Idle is called once for each result that is waited for longer than a second; it can be nil.
	Idle func() error
}

// result is the outcome of a task.
type result[R any] struct {
	value R
	err   error
}

// job is a task on its way through the workers.
type job[T, R any] struct {
	task T
	done chan result[R] // gets one value
}

// Run does all tasks, until one fails, or Take returns an error, or ctx is done. It is then no error that other tasks
// were not begun.
func (w *Work[T, R]) Run(ctx context.Context, tasks iter.Seq2[T, error]) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ahead := w.Workers * cmp.Or(w.Ahead, 64)
	queue, order := make(chan job[T, R], ahead/2), make(chan chan result[R], ahead)
	fed := make(chan error, 1)
	go func() {
		defer close(order)
		defer close(queue)
		fed <- Guard(func() error { return feedTasks(ctx, tasks, queue, order) })
	}()
	var running sync.WaitGroup
	for range w.Workers {
		running.Go(func() { w.doTasks(ctx, queue) })
	}
	for done := range order {
		r, failed := w.waitFor(done)
		if err == nil {
			err = errors.Join(failed, r.err)
		}
		if err == nil {
			err = w.Take(r.value)
		}
		if err != nil {
			cancel() // and go on, until the workers are done
		}
	}
	running.Wait()
	return errors.Join(err, <-fed)
}

// feedTasks hands out the tasks.
func feedTasks[T, R any](ctx context.Context, tasks iter.Seq2[T, error], queue chan<- job[T, R],
	order chan<- chan result[R]) error {
	for task, err := range tasks {
		if err != nil {
			return err
		}
		next := job[T, R]{task, make(chan result[R], 1)}
		select {
		case order <- next.done:
		case <-ctx.Done():
			return nil
		}
		queue <- next
	}
	return nil
}

// doTasks does tasks until there are no more.
func (w *Work[T, R]) doTasks(ctx context.Context, queue <-chan job[T, R]) {
	do, end := w.Start()
	defer end()
	for one := range queue {
		var r result[R]
		r.err = Guard(func() (err error) { r.value, err = do(ctx, one.task); return err })
		one.done <- r
	}
}

// waitFor waits for a result, and calls Idle if that is long.
func (w *Work[T, R]) waitFor(done <-chan result[R]) (result[R], error) {
	select {
	case r := <-done: // without the cost of a timer
		return r, nil
	default:
	}
	t := time.NewTimer(idleAfter)
	defer t.Stop()
	select {
	case r := <-done:
		return r, nil
	case <-t.C:
	}
	var err error
	if w.Idle != nil {
		err = w.Idle()
	}
	return <-done, err
}
