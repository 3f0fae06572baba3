package walk

import (
	"context"

	"github.com/svc-edge/svc-verify/trust"
)

// Bounds that tests go beyond, or vary.
const (
	MostCopies    = mostCopies
	MostEvidence  = mostEvidence
	MostBranches  = mostBranches
	StretchEvents = stretchEvents
)

// RunCut is [Run] with stretches of so many events.
func RunCut(ctx context.Context, source Source, root *trust.Root, options Options,
	stretch int) (*Result, *State, error) {
	w := newWalker(source, root, options)
	w.stretch = stretch
	return w.runSince(ctx, options.Since)
}
