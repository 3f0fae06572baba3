package examine

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/partview"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/spool"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/trust"
)

// Temporary is evidence that was read for one check. Close it after use.
type Temporary struct {
	*share.Share
	root *trust.Root
	read read.Options
}

// Interrupted reports a check whose context was done before all evidence was read:
// there is no verdict.
type Interrupted struct{ Events int64 }

func (e *Interrupted) Error() string {
	return fmt.Sprintf("interrupted after %d events, before anything was verified", e.Events)
}

// ErrFull reports that there was no room for the records.
var ErrFull = errors.New("there is no room for temporary files")

// ReadPaths reads the evidence under paths, as [ingest.Paths] does, and judges each event
// under a trust file.
func ReadPaths(ctx context.Context, paths []string, root *trust.Root, o share.Options) (*Temporary, error) {
	if err := hasPlace(o.Dir); err != nil {
		return nil, err
	}
	events, told := int64(0), o.Progress
	o.Progress = func(p ingest.Progress) {
		if events = p.Events; told != nil {
			told(p)
		}
	}
	s, err := share.Read(ctx, paths, root, o)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, &Interrupted{events}
	case err != nil:
		return nil, roomError(err)
	}
	return &Temporary{s, root, o.Read}, nil
}

// hasPlace returns an error unless temporary files can be made in a folder.
func hasPlace(dir string) error {
	f, err := spool.Create(dir)
	if err != nil {
		return &NoPlace{err}
	}
	return f.Close()
}

// NoPlace is the error for a folder in which no temporary file can be made.
type NoPlace struct{ Err error }

func (e *NoPlace) Error() string { return e.Err.Error() }
func (e *NoPlace) Unwrap() error { return e.Err }

// Examine returns the verdict on the evidence, as [Of] does: when the context is done, the
// result lists the parts that were left out. A check without any event is inconclusive.
func (e *Temporary) Examine(ctx context.Context, o Options) (*verdict.Result, error) {
	again := partview.Options{Read: e.read, Again: ingest.Again, Source: e.Source}
	view, err := partview.New(context.WithoutCancel(ctx), e.Share, again)
	if err != nil {
		return nil, err
	}
	result, err := Of(ctx, view, e.root, o)
	return result, roomError(err)
}

// roomError is an error, as [ErrFull] if there was no room.
func roomError(err error) error {
	if errors.Is(err, sqlite.ErrFull) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) {
		return ErrFull
	}
	return err
}
