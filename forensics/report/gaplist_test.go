package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/gap"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestGapsFit: no line about a gap is wider than a terminal, and none of its
// numbers is lost, however large they are and however long the names.
func TestGapsFit(t *testing.T) {
	const top = 1<<53 - 1
	beside := &gap.Neighbour{Sequence: top, OccurredAt: "2026-03-02T09:00:42.565Z", Hash: strings.Repeat("a", 64),
		PreviousHash: strings.Repeat("b", 64),
		Bytes:        top, Batches: []string{strings.Repeat("c", 64)}, Sources: []string{strings.Repeat("d/", 60)}}
	for name, c := range map[string]struct {
		gap   gap.Gap
		title string
	}{
		"short": {gap.Gap{LogID: "node/n", First: 1, Last: 3, Count: 3}, "node/n  events 1 to 3 missing (3)\n"},
		"one": {gap.Gap{LogID: "node/n", First: top, Last: top, Count: 1},
			"node/n  event 9007199254740991 missing\n"},
		"16 digits": {gap.Gap{LogID: "node/n", First: top - 8e15, Last: top, Count: 8e15 + 1},
			"node/n  events 1007199254740991 to 9007199254740991 missing (8000000000000001)\n"},
		"a name that just fits": {gap.Gap{LogID: "node/nn", First: top - 8e15, Last: top, Count: 8e15 + 1},
			"node/nn  events 1007199254740991 to 9007199254740991 missing (8000000000000001)\n"},
		"a name that does not": {gap.Gap{LogID: "node/nnnn", First: top - 8e15, Last: top, Count: 8e15 + 1},
			"node/nnnn  events 1007199254740991 to 9007199254740991 missing\n  (8000000000000001)\n"},
		"a long name": {gap.Gap{LogID: "node/" + strings.Repeat("n", 123), First: 1, Last: top, Count: top},
			"node/nnn"},
	} {
		c.gap.Before, c.gap.After = beside, beside
		var out bytes.Buffer
		must.Do(t, WriteGaps(&out, false, nil, Asked{Name: "case.db"}, yields(c.gap)))
		check.That(t, strings.HasPrefix(out.String(), "NOT WALKED  case.db\n\n"+c.title),
			"%s: %.100s, want %s", name, out.String(), c.title)
		for line := range strings.SplitSeq(out.String(), "\n") {
			if columns.Width(line) > answer.Width && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("%s: %d columns: %s", name, columns.Width(line), line)
			}
		}
	}
}
