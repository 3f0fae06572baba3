package batch

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/svc-edge/svc-verify/batch/entry"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
)

// TestRoom: the largest documents are alone, and usual ones are not held up by each other.
// Unreadable documents need no room, and one of unknown size needs all of it.
func TestRoom(t *testing.T) {
	for _, test := range []struct {
		name string
		size int64
		err  error
		fit  int // of 100 side by side
	}{
		{name: "usual", size: 14 << 10, fit: 100},
		{name: "empty", fit: 100},
		{name: "of a mebibyte", size: 1 << 20, fit: 16},
		{name: "half of the largest", size: form.MaxBundle / 2, fit: 2},
		{name: "more than half", size: form.MaxBundle/2 + 1, fit: 1},
		{name: "the largest", size: form.MaxBundle, fit: 1},
		{name: "too large", size: 1 << 50, fit: 1},
		{name: "of unknown size", size: -1, fit: 1},
		{name: "unreadable", size: -1, err: errors.New("no such file"), fit: 100},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, in := newRoom(), 0
				size := roomOf(&entry.Entry{Size: test.size, Err: test.err})
				go func() {
					for range 100 {
						check.Do(t, r.Acquire(t.Context(), size))
						in++
					}
				}()
				synctest.Wait()
				check.That(t, in == test.fit, "%d fit, want %d", in, test.fit)
				for in < 100 { // the goroutine ends
					r.Release(size)
					synctest.Wait()
				}
			})
		})
	}
}
