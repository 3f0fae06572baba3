package bag

import (
	"context"
	"fmt"
	"hash"
	"io"
)

// sums are the digests of one file, of those algorithms that are asked for.
type sums [4]hash.Hash

// ofSHA256 is the place of SHA-256 among the algorithms.
const ofSHA256 = 1

// newSums returns the sums that a file has digests of.
func newSums(f *file) *sums {
	var s sums
	for i, digest := range f.digest {
		if digest != "" {
			s[i] = algorithms[i].make()
		}
	}
	return &s
}

// Write implements io.Writer.
func (s *sums) Write(p []byte) (int, error) {
	for _, h := range s {
		if h != nil {
			_, _ = h.Write(p) // never returns an error
		}
	}
	return len(p), nil
}

// wrong says which digest the file does not have, "" if it has all.
func (s *sums) wrong(f *file) string {
	for i, h := range s {
		if h == nil || f.digest[i] == "" {
			continue
		}
		if found := h.Sum(nil); string(found) != f.digest[i] {
			return fmt.Sprintf("expected %s %x, found %x", algorithms[i].name, f.digest[i], found)
		}
	}
	return ""
}

// stoppable is a reader that ends with its context.
type stoppable struct {
	ctx context.Context
	io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Reader.Read(p)
}
