package forensics

import (
	"context"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/forensics/store"
)

// Export writes those events of a log that a filter asks for as a journal: one
// canonical line for each, ascending (SPEC 4.5). Of copies that differ it writes
// the first by digest, as a journal has one event for each sequence. It returns
// how many it wrote, and of how many sequences it left other copies out.
func Export(ctx context.Context, c *store.Case, log store.Log, f store.Filter, w io.Writer) (written, contested int64, err error) {
	f.TenantID, f.LogID = log.TenantID, log.LogID
	bodies, err := c.Bodies()
	if err != nil {
		return 0, 0, err
	}
	defer bodies.Close()
	for e, err := range c.Select(ctx, f) {
		if err != nil {
			return written, contested, err
		}
		if e.Variant > 0 {
			if e.Variant == 1 {
				contested++
			}
			continue
		}
		line, err := bodies.Line(ctx, e.Event)
		if err != nil {
			return written, contested, fmt.Errorf("event %d of %s: %w", e.Link.Sequence, log.LogID, err)
		}
		// The line may be part of the block that it was read from: it is not
		// appended to.
		if _, err := w.Write(line); err != nil {
			return written, contested, err
		}
		if _, err := w.Write([]byte{'\n'}); err != nil {
			return written, contested, err
		}
		written++
	}
	return written, contested, nil
}
