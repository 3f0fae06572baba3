package batch

import (
	"golang.org/x/sync/semaphore"

	"github.com/svc-edge/svc-verify/batch/entry"
	"github.com/svc-edge/svc-verify/internal/form"
)

// opened is the largest number of bytes of memory that a document uses for each of its own,
// itself included, while its values are looked at. The worst are lists and objects of very
// many small values.
const opened = 6

// largest is how many bytes are read of a document at most.
const largest = form.MaxBundle + 1

// newRoom bounds the memory of the documents that workers have or wait for: the largest bundle
// there may be, opened, or many usual ones. A large document is not overtaken for ever.
func newRoom() *semaphore.Weighted { return semaphore.NewWeighted(opened * largest) }

// roomOf returns how much room an entry needs.
func roomOf(e *entry.Entry) int64 {
	switch {
	case e.Err != nil:
		return 0
	case e.Size < 0: // it is larger by an unknown amount
		return opened * largest
	}
	return opened * min(e.Size, largest)
}
