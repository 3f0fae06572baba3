package examine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/verdict"
)

// reach is evidence that continues without the lines that cannot be read again: a difference
// between two copies then counts as a loss, and leaves the verdict open.
type reach struct {
	evidence.Reader
	mu   sync.Mutex
	gone map[string]bool // the sources of the lines
}

func newReach(r evidence.Reader) *reach { return &reach{Reader: r, gone: map[string]bool{}} }

// Explains reports whether a loss explains the difference between two copies, or may.
func (r *reach) Explains(ctx context.Context, genuine, copied facts.Ref) (bool, error) {
	explains, err := r.Reader.Explains(ctx, genuine, copied)
	if gone := (*evidence.UnreachableError)(nil); errors.As(err, &gone) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.gone[gone.Source] = true
		return true, nil
	}
	return explains, err
}

// listUnreached lists in a result the sources that were out of reach, if any were.
func (r *reach) listUnreached(result *verdict.Result) {
	if len(r.gone) > 0 {
		result.Leave(verdict.LeftOut{What: verdict.Sources, Items: slices.Sorted(maps.Keys(r.gone)),
			Text: "Whether copies that a transport changed were altered besides: their sources could not be read again:"})
	}
}
