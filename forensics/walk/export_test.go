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
	SectionEvents = sectionEvents
)

// RunCut is [Run] with sections of so many events.
func RunCut(ctx context.Context, reader Reader, root *trust.Root, options Options,
	section int) (*Result, *State, error) {
	w := newWalker(reader, root, options)
	w.section = section
	return w.runSince(ctx, options.Since)
}
