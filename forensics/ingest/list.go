package ingest

import (
	"context"
	"errors"
	"io"

	"github.com/svc-edge/svc-verify/finding"
)

// visitor takes the sources of an ingest in place of a case.
type visitor interface {
	refuse(path string, code finding.Code, detail string) error

	// source takes an open file, and stream the standard input.
	source(context.Context, given) error
	stream(context.Context, given, io.Reader) error
}

// Source is a source as [List] finds it: an open file, or the volumes of one. It is
// valid until its visit ends.
type Source struct {
	Path     string
	Absolute string   // "" for volumes
	Volumes  []string // that are read as one file; nil if it is one file
	Remark   string   // what a case says of the source as a whole; "" for nothing
	Size     int64    // when it was opened
	File     io.ReaderAt

	given *given
}

// Changed says how a source is no longer what it was when it was opened, after so many
// of its octets were read; "" if it is the same.
func (s *Source) Changed(read int64) string { return s.given.change(read) }

// ErrStream reports the standard input, which cannot be listed: it is read only once.
var ErrStream = errors.New("the standard input can be read only once")
