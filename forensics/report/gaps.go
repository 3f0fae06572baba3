package report

import (
	"context"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/gap"
)

// addGaps adds the first gaps of a log, with the possible explanations of each, and counts the
// rest.
func (g *gatherer) addGaps(ctx context.Context, l *Log, log facts.Log) error {
	for found, err := range g.gaps.Of(ctx, log, gap.Filter{}) {
		if err != nil {
			return err
		}
		l.Gaps = append(l.Gaps, found)
		if len(l.Gaps) == mostGaps {
			break
		}
	}
	l.MoreGaps = max(0, l.Presence.gapCount()-len(l.Gaps))
	return nil
}

// gapCount counts the runs of sequences that are missing up to the end of the
// picture.
func (p Presence) gapCount() int {
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
