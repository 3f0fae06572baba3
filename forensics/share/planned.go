package share

import (
	"context"
	"fmt"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/trust"
)

// Planned is a share of a plan.
type Planned struct {
	*plan.Plan
	SHA256 chain.Hash // of the plan
	Index  int        // of the share, from 0
}

// ReadPlanned reads a share of a plan as [Read] reads paths. How evidence is read is the
// plan's to say. Other content than was planned is an [ingest.Other].
func ReadPlanned(ctx context.Context, p Planned, root *trust.Root, o Options) (*Share, error) {
	if p.Index < 0 || p.Index >= p.Shares {
		return nil, fmt.Errorf("expected the index of a share from 0 to %d, found %d", p.Shares-1, p.Index)
	}
	o.Read, o.plan = p.Read(), p.SHA256
	return readShare(ctx, root, o, func(w *worker) (sum ingest.Summary, err error) {
		if p.Index == 0 {
			for _, u := range p.Unread {
				sum.Unread++
				if err := w.Refuse(u); err != nil {
					return sum, err
				}
			}
		}
		for _, piece := range p.Share(p.Index) {
			if err := w.piece(ctx, &p, &piece, o, &sum); err != nil {
				return sum, err
			}
		}
		return sum, nil
	})
}

// piece reads a piece of the plan.
func (w *worker) piece(ctx context.Context, p *Planned, piece *plan.Piece, o Options, sum *ingest.Summary) error {
	in := ingest.Piece{Paths: piece.Paths(), Names: piece.Names, Remark: piece.Remark, Size: piece.Size,
		From: piece.From, To: piece.To, SHA256: piece.Range.SHA256}
	w.planned = piece
	defer func() { w.planned = nil }()
	o.Read = p.ReadPiece(*piece)
	one, err := ingest.Pour(ctx, w, in, o.Options, func(now ingest.Progress) {
		if now.Sources, now.Events = now.Sources+sum.Sources, now.Events+sum.Events; o.Progress != nil {
			o.Progress(now)
		}
	})
	sum.Sources += one.Sources
	sum.Events += one.Events
	sum.Documents += one.Documents
	sum.Skipped += one.Skipped
	return err
}
