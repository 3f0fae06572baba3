package entry

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/listing"
)

// cursor is a walk through one file that waits for the next entry that is wanted,
// so that a file is gone through once if they are wanted in its order.
type cursor struct {
	path string
	at   int64 // of the next entry
	next func() (Entry, error, bool)
	end  func()
}

func (c *cursor) stop() {
	if c.end != nil {
		c.end()
	}
	*c = cursor{}
}

// errGone reports that a file no longer has the content that it had.
var errGone = errors.New("it is no longer there")

// Again returns the bytes of an entry that [Set.Walk] yielded without an error. The
// file may have changed since: compare the digest. An entry of standard input needs [Source.KeepStdin]. Entries of one
// archive are best asked for in their order. Again must not be called by two
// goroutines at once.
func (s *Set) Again(ctx context.Context, ref Ref) ([]byte, error) {
	c := &s.again
	if c.next == nil || c.path != ref.Path || c.at > ref.At {
		c.stop()
		c.path = ref.Path
		c.next, c.end = iter.Pull2(s.file(ctx, ref.Path))
	}
	for {
		e, err, ok := c.next()
		if !ok || err != nil {
			c.stop()
			return nil, errors.Join(err, errGone)
		}
		if c.at = e.Ref.At + 1; e.Ref.At == ref.At {
			return e.Read()
		}
		if c.at > ref.At {
			return nil, errGone
		}
	}
}

// errStop ends a walk whose caller wants no more.
var errStop = errors.New("enough")

// file yields the entries of one file.
func (s *Set) file(ctx context.Context, path string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		every := s.source
		every.Only = nil
		w := &walk{ctx: ctx, source: &every, counts: &Counts{}, names: newNames(), yield: func(e Entry) error {
			if !yield(e, nil) {
				return errStop
			}
			return nil
		}}
		if err := s.reopen(w, path); err != nil && !errors.Is(err, errStop) {
			yield(Entry{}, err)
		}
	}
}

// reopen examines a file, or the kept standard input.
func (s *Set) reopen(w *walk, path string) error {
	w.begin(path)
	if path == Stdin {
		if s.stdin == nil {
			return errors.New("standard input was not kept")
		}
		info, err := s.stdin.Stat()
		if err != nil {
			return access.WithoutPath(err)
		}
		r := io.NewSectionReader(s.stdin, 0, info.Size())
		in := &content{walk: w, at: w.top(Stdin, ""), size: -1, r: listing.Cancellable(w.ctx, r)}
		return in.examine()
	}
	return w.regular(&listing.Found{Path: path, Named: true})
}
