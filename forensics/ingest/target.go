package ingest

import (
	"io/fs"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// Target receives the records of an ingest, source by source. One goroutine uses it at a time,
// but for its methods Owns and Prepare.
type Target interface {
	// Owns reports whether a file belongs to the target, so that it is no evidence.
	Owns(fs.FileInfo) bool

	// Spool creates a temporary file for a source that cannot be read twice. To close it means
	// that the ingest needs it no more.
	Spool() (facts.Spool, error)

	// KnownSize reports whether a source of this size may be there to its end.
	KnownSize(size int64) (bool, error)

	// Known returns the source that has some content, if it is there to its end.
	Known(chain.Hash) (known facts.KnownSource, ok bool, err error)

	// OtherName returns the first path under which a source was given; "" if it was
	// given under this one.
	OtherName(source int64, path string) (string, error)

	// Unfinished returns the sources that were not read to their end, by the number
	// of bytes that were read, ascending.
	Unfinished() ([]facts.Progress, error)

	// Start creates a source without records, and Forget removes it. ReadAs notes how it is
	// read, and Name a path under which it was given.
	Start(size int64, empty chain.Hash) (facts.Progress, error)
	Forget(source int64) error
	ReadAs(source int64, how string) error
	Name(source int64, path, absolute string) error

	// Prepare is called by a worker, before Add, with a chunk whose events were read.
	Prepare(*facts.Chunk)

	// Add adds a chunk of a source, and how far the source was read with it. The chunk's
	// memory is used again afterwards.
	Add(*facts.Chunk, facts.Progress) error

	// Finish notes that a source was read to its end.
	Finish(facts.Progress) error

	// Refuse notes a path that is not read, and Withdraw removes such a note for a reason.
	Refuse(facts.Unread) error
	Withdraw(path string, reason finding.Code) error

	// Commit keeps the additions so far.
	Commit() error
}

// lasting is a target that can have had evidence before.
type lasting interface {
	Standing() store.Standing

	// EachPath calls visit for each absolute path under which a source was given that is
	// there to its end. Beginning returns one that was given under a path.
	EachPath(visit func(source int64, absolute string)) error
	Beginning(source int64, absolute string) (facts.Beginning, bool, error)

	// Grew notes that a source is an earlier one with more in it, and Replace that it replaces
	// an earlier one. Purge removes the rows of such earlier ones.
	Grew(old, source int64, absolute string) error
	Replace(old, source int64) error
	Purge() error

	// Index makes the additions fast to read.
	Index() error
}
