package ingest

import (
	"context"
	"errors"
	"io"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// visitor receives the sources of an ingest in place of a case.
type visitor interface {
	refusePath(path string, code finding.Code, detail string) error
	// visitSource adds the records of an open file, or of the standard input, which has none.
	visitSource(context.Context, *Source, io.Reader) error
}

// ErrStream reports the standard input, which cannot be listed: it is read only once.
var ErrStream = errors.New("the standard input can be read only once")

// List finds the evidence under paths as [Paths] does, with the same options, and writes
// nothing. It calls take with each source, and refuse with each path that a case would list as
// not read. It reads only the part of a file that shows where it belongs. An error is one of
// these two, or means that ctx was done.
func List(ctx context.Context, paths []string, options Options, take func(*Source) error,
	refuse func(facts.Unread) error) error {
	in := newIngest(paths, options)
	in.visitor = &lister{take, refuse}
	for _, path := range paths {
		if path == "-" {
			return ErrStream
		}
		if err := in.ingestPath(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// lister passes on the given sources.
type lister struct {
	take   func(*Source) error
	unread func(facts.Unread) error
}

func (l *lister) refusePath(path string, code finding.Code, detail string) error {
	return l.unread(facts.Unread{Path: path, Code: string(code), Detail: detail})
}

func (l *lister) visitSource(_ context.Context, g *Source, _ io.Reader) error { return l.take(g) }
