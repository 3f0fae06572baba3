package ingest

import (
	"context"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Piece is a source with known content, or a range of one. Its options have where the range
// begins.
type Piece struct {
	Paths    []string // that are opened: one, or volumes
	Names    []Name   // under which the source was given
	Remark   string   // the remark on the source as a whole; may be ""
	Size     int64    // of the whole source
	From, To int64    // the range, in bytes
	SHA256   chain.Hash
}

// Name is a path under which a source was given; absolute is "" for volumes.
type Name struct{ Given, Absolute string }

// Other is the error for a piece with other content than before.
type Other struct{ Path, What, Expected, Found string }

func (e *Other) Error() string {
	return fmt.Sprintf("%s changed: expected %s %s, found %s", safetext.Quote(e.Path), e.What, e.Expected,
		e.Found)
}

// Plain reports whether a record of a source itself is kept in the same way at any place: it
// is no span that could not be read, and nothing is counted for it that bounds the space of
// later records ([read.Lines]).
func Plain(r *read.Record) bool {
	whole := len(r.Body) >= leastEvent || documentKind(r.Kind) != ""
	return whole && skipOversized(r) == nil && batchCost(r, batchText(r.Batches)) == 0
}

// Pour adds a piece to a target. An error means that the piece could not be read, or changed,
// that the target could not be written, or that ctx was done.
func Pour(ctx context.Context, w Target, p Piece, options Options, progress func(Progress)) (Summary, error) {
	in := newIngestTo(w, nil, options, progress)
	file, err := Open(p.Paths...)
	if err != nil {
		return in.sum, err
	}
	defer file.Close()
	if file.Size() != p.Size {
		return in.sum, &Other{p.Paths[0], "a size of", fmt.Sprint(p.Size), fmt.Sprint(file.Size())}
	}
	return in.sum, in.addPiece(ctx, p, file)
}

// addPiece pours a piece that was opened.
func (in *ingest) addPiece(ctx context.Context, piece Piece, file io.ReaderAt) error {
	p, err := in.startSource(&Source{Size: piece.Size})
	if err != nil {
		return err
	}
	for _, n := range piece.Names {
		if err := in.w.Name(p.Source, n.Given, n.Absolute); err != nil {
			return err
		}
	}
	p.Size = piece.To - piece.From
	content := newCounted(io.NewSectionReader(file, piece.From, p.Size))
	if err := in.readSource(ctx, content, &p, piece.Paths[0]); err != nil {
		return err
	}
	// Whatever the reader left unread belongs to the source as well.
	if _, err := io.Copy(io.Discard, listing.Cancellable(ctx, content)); err != nil {
		return err
	}
	if p.Read, p.ReadSHA256 = content.readSoFar(); p.ReadSHA256 != piece.SHA256 {
		return &Other{piece.Paths[0], fmt.Sprintf("octets %d to %d with SHA-256", piece.From, piece.To),
			piece.SHA256.String(), p.ReadSHA256.String()}
	}
	if piece.To == piece.Size {
		if err := in.noteAt(&p, piece.Size, 2, finding.SourceNoRecord, piece.Remark); err != nil {
			return err
		}
	}
	in.sum.Sources++
	return in.w.Finish(p)
}
