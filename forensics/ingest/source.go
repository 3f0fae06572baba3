package ingest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/listing"
)

// Source is a source as it was given: an open file, or the volumes of one, whose bytes may be
// read more than once, and its state when it was opened. It is valid until its visit ends.
type Source struct {
	File     io.ReaderAt
	Path     string
	Absolute string   // "" for the standard input, and for volumes
	Volumes  []string // that were joined; nil if it is one file
	Remark   string   // the case's remark on the source as a whole; may be ""
	Size     int64
	below    string // the path that patterns are matched with, as of [listing.Found]; "" always matches
	modified time.Time
	replaces []int64         // earlier readings of the same content
	sum      chain.Hash      // of the content when that was found out
	again    bool            // the case records that it was read in the same way
	sameAs   string          // another path of the same content; "" if the case has this one
	began    facts.Beginning // the earlier source of the file, with less in it
	beganAs  string          // and where
}

// ingestSource ingests an open file: as known, as the rest of one that was begun, or
// anew.
func (in *ingest) ingestSource(ctx context.Context, g *Source) error {
	switch out, err := in.leavesOut(ctx, g); {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return in.noteUnreadable(g.Path, err)
	case out:
		return nil
	}
	if err := in.noteWriteAheadLog(g); err != nil {
		return err
	}
	switch ours, err := store.IsCase(g.File); {
	case err != nil:
		return in.noteUnreadable(g.Path, err)
	case ours:
		return in.refusePath(g.Path, finding.SourceNotEvidence,
			"a case of svc-verify, which is no evidence: give the files that it was made from")
	}
	if in.visitor != nil {
		return in.visitor.visitSource(ctx, g, io.NewSectionReader(g.File, 0, g.Size))
	}
	if known, err := in.noteKnown(ctx, g); known || err != nil {
		return err
	}
	if err := in.findBeginning(g); err != nil {
		return err
	}
	p, err := in.findBegun(ctx, g)
	if err == nil && p.Source == 0 {
		p, err = in.startSource(g)
	}
	if err != nil {
		return err
	}
	if err := in.nameSource(p.Source, g); err != nil {
		return err
	}
	p.Size = g.Size
	content := newCounted(io.NewSectionReader(g.File, 0, g.Size))
	content.mark = g.began.Size
	before := in.sum
	if err := in.readSource(ctx, content, &p, g.Path); err != nil {
		return in.noteBroken(g, p, err)
	}
	if err := in.finishSource(ctx, g, content, p); err != nil || !g.again {
		return err
	}
	// By all reports, the case had it already.
	in.sum = before
	in.hadAlready(g)
	return nil
}

// nameSource names a source: by its path, or by the paths of its volumes.
func (in *ingest) nameSource(source int64, g *Source) error {
	if g.Volumes == nil {
		return in.w.Name(source, g.Path, g.Absolute)
	}
	var err error
	for _, path := range g.Volumes {
		err = errors.Join(err, in.w.Name(source, path, ""))
	}
	return err
}

// hadAlready counts a source that the case had already.
func (in *ingest) hadAlready(g *Source) {
	in.sum.Known++
	if g.sameAs != "" {
		in.sum.Same = append(in.sum.Same, Same{g.Path, g.sameAs})
	}
}

// startSource begins a source.
func (in *ingest) startSource(g *Source) (facts.Progress, error) {
	p, err := in.w.Start(g.Size, sha256.Sum256(nil))
	if err == nil {
		err = in.w.ReadAs(p.Source, in.how)
	}
	return p, err
}

// noteBroken notes a file that could not be read to its end; any other fault ends the ingest. Its
// earlier rows stay, under a source that is unfinished.
func (in *ingest) noteBroken(g *Source, p facts.Progress, err error) error {
	if p.Read == 0 {
		if err := in.w.Forget(p.Source); err != nil {
			return err
		}
	}
	var read *readError
	if errors.As(err, &read) {
		return in.noteUnreadable(g.Path, read.err)
	}
	return err
}

// finishSource notes the digest of the whole source, and whether the file is unchanged.
func (in *ingest) finishSource(ctx context.Context, g *Source, content *counted, p facts.Progress) error {
	// Whatever the reader left unread belongs to the source as well.
	if _, err := io.Copy(io.Discard, listing.Cancellable(ctx, content)); err != nil {
		return in.noteBroken(g, p, err)
	}
	p.Read, p.ReadSHA256 = content.readSoFar()
	change := g.Changed(p.Read)
	if change == "" && (g.sum == chain.Hash{} || g.sum == p.ReadSHA256) {
		for _, old := range g.replaces {
			if err := in.before.Replace(old, p.Source); err != nil {
				return err
			}
		}
	}
	if _, twice, err := in.w.Known(p.ReadSHA256); twice || err != nil {
		return errors.Join(err, in.refusePath(g.Path, finding.SourceChanged,
			"cut, while it was read, to the content that the case has already"))
	}
	if err := in.noteAt(&p, p.Read, 1, finding.SourceChanged, change); err != nil {
		return err
	}
	if err := in.noteAt(&p, p.Read, 2, finding.SourceNoRecord, g.Remark); err != nil {
		return err
	}
	in.sum.Sources++
	if err := in.w.Finish(p); err != nil {
		return err
	}
	return in.noteGrowth(g, content, p)
}

// noteAt adds something to the case that is said of a source as a whole, "" for nothing. It has
// the place where the source ends, and comes behind the reader's reports, as the one of that
// number.
func (in *ingest) noteAt(p *facts.Progress, end, number int64, code finding.Code, detail string) error {
	if detail == "" {
		return nil
	}
	p.Skipped++
	in.sum.Skipped++
	note := &facts.Chunk{Source: p.Source, Containers: []facts.Container{{}},
		Skips: []facts.FoundSkip{{Found: facts.Found{Offset: end, Record: p.Reports + number},
			Code: string(code), Detail: detail}}}
	return in.w.Add(note, *p)
}

// Changed describes how the file changed or moved since it was opened, after so many of its
// bytes were read; "" if it is the same.
func (g *Source) Changed(read int64) string {
	if g.Absolute == "" && g.Volumes == nil {
		return ""
	}
	f, ok := g.File.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return ""
	}
	info, err := f.Stat()
	if err != nil {
		return withoutPath(err)
	}
	moved := ""
	if g.Volumes == nil {
		moved = g.howMoved(info)
	}
	switch {
	case moved != "":
		return moved
	case info.Size() < g.Size:
		return fmt.Sprintf("cut while it was read, from %d bytes to %d; read were %d", g.Size, info.Size(), read)
	case read != g.Size || info.Size() != g.Size:
		return fmt.Sprintf("expected %d bytes, as when it was opened, found %d; read were %d", g.Size, info.Size(), read)
	case !info.ModTime().Equal(g.modified):
		return "written to while it was read"
	}
	return ""
}

// howMoved returns how an open file is no longer where it was.
func (g *Source) howMoved(info fs.FileInfo) string {
	there, err := os.Lstat(g.Absolute)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "renamed or removed while it was read; all of it was read"
	case err != nil:
		return withoutPath(err)
	case !os.SameFile(info, there):
		return "another file took its place while it was read: this one was read, and the other one is still to be given"
	}
	return ""
}

// noteKnown notes a source whose content is in the case already, read in the same way. Only a
// source of the same size can be that, so that no other is read twice. The key vouches that
// nothing of it is missing: else it is read again, and so is a source that was read in another
// way. That replaces the rows of the earlier reading.
func (in *ingest) noteKnown(ctx context.Context, g *Source) (bool, error) {
	if candidate, err := in.w.KnownSize(g.Size); !candidate || err != nil {
		return false, err
	}
	sum, err := g.digestBeginning(ctx, g.Size)
	if err != nil {
		return false, ctx.Err() // an unreadable source is found out again, and noted, when it is poured
	}
	known, ok, err := in.w.Known(sum)
	if !ok || err != nil {
		return false, err
	}
	if g.sameAs, err = in.w.OtherName(known.Number, g.Path); err != nil {
		return false, err
	}
	if known.How != in.how || !known.Ours {
		g.replaces, g.sum, g.again = append(g.replaces, known.Number), sum, known.How == in.how
		return false, nil
	}
	in.hadAlready(g)
	return true, in.nameSource(known.Number, g)
}

// findBegun finds the source that this one was when its ingest was interrupted.
// Those that were read in another way, or that no one vouches for, are replaced.
func (in *ingest) findBegun(ctx context.Context, g *Source) (found facts.Progress, err error) {
	unfinished, err := in.w.Unfinished()
	if err != nil {
		return found, err
	}
	h := sha256.New()
	r := listing.Cancellable(ctx, io.NewSectionReader(g.File, 0, g.Size))
	at := int64(0)
	for _, p := range unfinished { // ascending by their content
		if p.Read == 0 || p.Read > g.Size {
			continue
		}
		if _, err := io.CopyN(h, r, p.Read-at); err != nil {
			return found, ctx.Err()
		}
		at = p.Read
		switch {
		case chain.Hash(h.Sum(nil)) != p.ReadSHA256:
		case in.before == nil || p.How == in.how && in.before.Standing() == store.Made:
			found = p
		default:
			g.replaces = append(g.replaces, p.Source)
		}
	}
	return found, nil
}

// digestBeginning hashes the beginning of the file.
func (g *Source) digestBeginning(ctx context.Context, size int64) (sum chain.Hash, err error) {
	h := sha256.New()
	_, err = io.Copy(h, listing.Cancellable(ctx, io.NewSectionReader(g.File, 0, size)))
	return chain.Hash(h.Sum(nil)), err
}
