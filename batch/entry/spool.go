package entry

import (
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/spool"
)

// keepStdin returns a reader of standard input that keeps a copy of what it reads.
func (s *Set) keepStdin(r io.Reader) (io.Reader, error) {
	t, err := spool.Create(s.source.TempDir)
	if err != nil {
		return nil, err
	}
	s.stdin = t
	return io.TeeReader(r, &kept{t}), nil
}

// kept writes to a temporary file. That it cannot is no fault of what is read.
type kept struct{ to io.Writer }

// Write implements io.Writer.
func (k *kept) Write(p []byte) (int, error) {
	n, err := k.to.Write(p)
	if err != nil {
		err = &fatalError{fmt.Errorf("writing a temporary file: %w", access.WithoutPath(err))}
	}
	return n, err
}

// fatalError is a fault of the machine, and not of what is read: it ends the walk.
type fatalError struct{ error }

func (f *fatalError) Unwrap() error { return f.error }
