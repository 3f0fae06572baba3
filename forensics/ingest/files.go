package ingest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// ingestPath ingests one of the given paths. A link is followed, and the source has the name of its
// target.
func (in *ingest) ingestPath(ctx context.Context, path string) error {
	if path == listing.Stdin {
		return in.copyStdin(ctx)
	}
	in.left = 0
	err := listing.Walk(ctx, listing.Followed(path), func(found *listing.Found) error {
		in.walking = !found.Named
		var irregular *access.IrregularError
		switch {
		case found.Err != nil && !found.Folder && !in.options.Read.Only.Match(found.Below):
			in.left++
			return nil
		case errors.Is(found.Err, listing.ErrLink):
			return in.noteLink(found.Path)
		case errors.As(found.Err, &irregular):
			return in.refusePath(found.Path, finding.SourceNotEvidence, irregular.Error())
		case found.Err != nil:
			return in.noteUnreadable(found.Path, found.Err)
		}
		return in.ingestVolume(ctx, found)
	})
	return errors.Join(err, in.noteLeftOut(path))
}

// leavesOut reports whether a file is left out by its name, which is not asked of archives:
// they have names in them.
func (in *ingest) leavesOut(ctx context.Context, g *Source) (bool, error) {
	if g.below == "" || in.options.Read.Only.Match(g.below) {
		return false, nil
	}
	archive, err := read.HoldsMembers(ctx, io.NewSectionReader(g.File, 0, g.Size), in.options.Read.Limits)
	if err == nil && !archive {
		in.left++
	}
	return !archive, err
}

// noteLeftOut notes how many files below a path were left out by name, in place of the note of
// an earlier ingest of it.
func (in *ingest) noteLeftOut(path string) error {
	if in.visitor == nil {
		if err := in.w.Withdraw(path, finding.SourceLeftOut); err != nil {
			return err
		}
	}
	if in.left > 0 {
		return in.refusePath(path, finding.SourceLeftOut, safetext.Count(in.left, "file"))
	}
	return nil
}

// ingestFile ingests one regular file, with a remark, which may be "".
func (in *ingest) ingestFile(ctx context.Context, found *listing.Found, remark string) error {
	path := found.Path
	f, err := found.Open()
	var irregular *access.IrregularError
	switch {
	case errors.As(err, &irregular), errors.Is(err, listing.ErrLink), errors.Is(err, listing.ErrKind):
		return in.refusePath(path, finding.SourceNotEvidence, err.Error()) // exchanged since it was listed
	case err != nil:
		return in.noteUnreadable(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return in.noteUnreadable(path, err)
	case in.ownsFile(info):
		return nil
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	return in.ingestSource(ctx, &Source{File: f, Path: path, below: found.Below, Absolute: absolute, Size: info.Size(),
		modified: info.ModTime(), Remark: remark})
}

// copyStdin copies the standard input into the folder of the case, so that it is a file like any
// other: known by its content, and resumable. A read from a terminal or a pipe cannot be
// called off, so that one that still waits when ctx is done is left behind.
func (in *ingest) copyStdin(ctx context.Context) (err error) {
	r, end := listing.Unblocked(ctx, in.options.Stdin)
	defer end()
	if in.visitor != nil {
		return in.visitor.visitSource(ctx, &Source{Path: "-"}, r)
	}
	spool, err := in.w.Spool()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, spool.Close()) }()
	size, err := io.Copy(spool, r)
	if err != nil {
		return err
	}
	return in.ingestSource(ctx, &Source{File: spool, Path: "-", Size: size})
}

// refusePath notes a path that is not read.
func (in *ingest) refusePath(path string, code finding.Code, detail string) error {
	if in.visitor != nil {
		return in.visitor.refusePath(path, code, detail)
	}
	in.sum.Unread++
	return in.w.Refuse(facts.Unread{Path: path, Code: string(code), Detail: detail})
}

// noteUnreadable notes a path that could not be read, if the caller bears that.
func (in *ingest) noteUnreadable(path string, err error) error {
	if in.options.Unreadable != nil {
		if fault := in.options.Unreadable(path, err); fault != nil {
			return fault
		}
	}
	return in.refusePath(path, finding.SourceUnreadable, withoutPath(err))
}

// withoutPath is an error without the path, which is shown with it.
func withoutPath(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Op + ": " + at.Err.Error()
	}
	return err.Error()
}
