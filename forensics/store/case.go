package store

import (
	"context"
	"errors"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/partview"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// Case is an open case with the answers that its evidence gives.
type Case struct {
	*File
	*partview.View
	*Queries
}

var _ evidence.Reader = (*Case)(nil)

// Judging names the judge of the signatures of events as they are read. The zero value is for
// questions that need no judgement.
type Judging struct {
	Judge   *walk.Judge
	Workers int // that judge at once; 0 is one
}

// OpenCase is [OpenRead] for questions about the evidence.
func OpenCase(path string, options ...Option) (*Case, error) {
	f, err := OpenRead(path, options...)
	if err != nil {
		return nil, err
	}
	c, err := f.Case(context.Background(), Judging{})
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return c, nil
}

// Case returns an open case with the answers that its evidence gives. They are closed
// together.
func (f *File) Case(ctx context.Context, by Judging) (*Case, error) {
	v, err := partview.New(ctx, f.Content, partview.Options{Judge: by.Judge, Workers: by.Workers, Line: f.CopyLine})
	return &Case{f, v, NewQueries(f, v)}, err
}

// Case returns the case as it was committed last. It is closed with the writer.
func (w *Writer) Case(ctx context.Context, by Judging) (*Case, error) {
	if err := w.file.readCatalogue(); err != nil {
		return nil, err
	}
	return w.file.Case(ctx, by)
}
