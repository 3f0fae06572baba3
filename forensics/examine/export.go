package examine

import (
	"context"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// Exported counts the events that an export wrote, the ones with other copies in the case, and
// the ones where nothing shows which copy belongs to the log, so that the first by digest was
// written.
type Exported struct{ Written, Contested, Guessed int64 }

// Export writes those events of a log that a filter asks for as a journal: one
// canonical line for each, ascending (SPEC 4.5), as a journal has one event for
// each sequence. Of copies that differ it writes the one on the history that the
// newest walk gives its numbers of, or else the one that links to the others.
func Export(ctx context.Context, c *store.Case, log facts.Log, f store.Filter, w io.Writer) (out Exported,
	err error) {
	f.TenantID, f.LogID = log.TenantID, log.LogID
	choice, err := newChoice(ctx, c, log)
	if err != nil {
		return out, err
	}
	for e, err := range c.Select(ctx, f) {
		if err != nil {
			return out, err
		}
		wanted, err := choice.wants(ctx, &e.Event)
		if err != nil {
			return out, err
		}
		if !wanted {
			continue
		}
		line, err := c.Line(ctx, &e)
		if err != nil {
			return out, fmt.Errorf("event %d of %s: %w", e.Link.Sequence, log.LogID, err)
		}
		if _, err := w.Write(line); err != nil {
			return out, err
		}
		if _, err := w.Write([]byte{'\n'}); err != nil {
			return out, err
		}
		out.Written++
	}
	out.Contested, out.Guessed = choice.contested, choice.guessed
	return out, nil
}
