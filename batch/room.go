package batch

import (
	"sync"

	"github.com/svc-edge/svc-verify/batch/entry"
	"github.com/svc-edge/svc-verify/internal/form"
)

// opened is the largest number of bytes of memory that a document uses for each of its own,
// itself included, while its values are looked at. The worst are lists and objects of very
// many small values.
const opened = 6

// room bounds the memory of the documents that workers have or wait for: the
// largest bundle there may be, opened, or many usual ones.
type room struct {
	mu   sync.Mutex
	fits sync.Cond
	free int64
}

func newRoom() *room {
	r := &room{free: opened * largest}
	r.fits.L = &r.mu
	return r
}

// largest is how many bytes are read of a document at most.
const largest = form.MaxBundle + 1

// takeRoom waits until there is room for an entry, and returns what [room.give] is to
// give back. Only one goroutine may take, or a large document could wait for ever.
func (r *room) takeRoom(e *entry.Entry) int64 {
	size := min(e.Size, largest)
	switch {
	case e.Err != nil:
		size = 0
	case size < 0: // it is larger by an unknown amount
		size = largest
	}
	size *= opened
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.free < size {
		r.fits.Wait()
	}
	r.free -= size
	return size
}

func (r *room) give(taken int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free += taken
	r.fits.Signal()
}
