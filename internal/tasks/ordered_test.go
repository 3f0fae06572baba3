package tasks_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/tasks"
)

// numbers yields the numbers below n, and then an error if there is one.
func numbers(n int, end error) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
		if end != nil {
			yield(0, end)
		}
	}
}

var errTest = errors.New("a fault of the test")

// work squares numbers, fails at some, and adds the results to a list.
func work(workers int, failsAt, taken *int, all *[]int) *tasks.Work[int, int] {
	return &tasks.Work[int, int]{Workers: workers,
		Start: func() (func(context.Context, int) (int, error), func()) {
			return func(_ context.Context, n int) (int, error) {
				if n == *failsAt {
					return 0, errTest
				}
				return n * n, nil
			}, func() {}
		},
		Take: func(r int) error {
			if *taken--; *taken < 0 {
				return errTest
			}
			*all = append(*all, r)
			return nil
		}}
}

// TestOrder: all results come once and in their order, and none after the first fault of a task, of taking a result,
// or of the list of tasks.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, workers := rapid.IntRange(0, 500).Draw(t, "tasks"), rapid.IntRange(1, 4).Draw(t, "workers")
		failsAt, taken := rapid.IntRange(0, 1000).Draw(t, "fails at"), rapid.IntRange(0, 1000).Draw(t, "taken")
		most := min(n, failsAt, taken)
		var end error
		if rapid.Bool().Draw(t, "list fails") {
			end = errTest
		}
		var want, all []int
		for i := range most {
			want = append(want, i*i)
		}
		err := work(workers, &failsAt, &taken, &all).Run(t.Context(), numbers(n, end))
		must.That(t, slices.Equal(all, want), "%d results, want %d", len(all), most)
		must.That(t, errors.Is(err, errTest) == (most < n || end != nil), "%v", err)
	})
}

// TestStop: no task begins after the context has ended, and that is no fault.
func TestStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	failsAt, taken, all := -1, 1_000_000, []int{}
	w := work(2, &failsAt, &taken, &all)
	take := w.Take
	w.Take = func(r int) error {
		if len(all) == 10 {
			cancel()
		}
		return take(r)
	}
	err := w.Run(ctx, numbers(1_000_000, nil))
	check.That(t, err == nil && len(all) > 10 && len(all) < 1000, "%d results: %v", len(all), err)
}

// TestFault: a fault of the program ends the work with an error.
func TestFault(t *testing.T) {
	w := tasks.Work[int, int]{Workers: 2, Take: func(int) error { return nil },
		Start: func() (func(context.Context, int) (int, error), func()) {
			return func(context.Context, int) (int, error) { panic("a fault") }, func() {}
		}}
	check.That(t, errors.As(w.Run(t.Context(), numbers(5, nil)), new(*tasks.Panic)), "no fault")
}

// TestIdle: Idle is called once while a result is waited for, and its fault ends the work.
func TestIdle(t *testing.T) {
	for _, fails := range []error{nil, errTest} {
		idle := make(chan struct{})
		w := tasks.Work[int, int]{Workers: 1, Take: func(int) error { return nil },
			Idle: func() error { close(idle); return fails },
			Start: func() (func(context.Context, int) (int, error), func()) {
				return func(context.Context, int) (int, error) {
					select {
					case <-idle:
					case <-time.After(time.Minute):
					}
					return 0, nil
				}, func() {}
			}}
		err := w.Run(t.Context(), numbers(1, nil))
		check.That(t, errors.Is(err, fails), "%v", err)
	}
}
