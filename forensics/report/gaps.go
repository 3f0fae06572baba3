package report

import (
	"context"

	"github.com/svc-edge/svc-verify/forensics/gap"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// addGaps adds the first gaps of a log, with what may explain each, and counts
// the rest.
func (g *gatherer) addGaps(ctx context.Context, l *Log) error {
	filter := gap.Filter{Filter: store.Filter{TenantID: l.TenantID, LogID: l.LogID}}
	for found, err := range gap.Find(ctx, g.c, filter) {
		if err != nil {
			return err
		}
		if found.TenantID != l.TenantID {
			continue
		}
		l.Gaps = append(l.Gaps, found)
		if len(l.Gaps) == mostGaps {
			break
		}
	}
	l.MoreGaps = max(0, l.Presence.gaps()-len(l.Gaps))
	return nil
}

// gaps counts the runs of sequences that are missing up to the end of the
// picture.
func (p Presence) gaps() int {
	if len(p.Stretches) == 0 {
		return 0
	}
	n := len(p.Stretches) + p.More - 1
	if p.Stretches[0].First > 1 {
		n++
	}
	if p.end < p.Last {
		n++
	}
	return n
}
