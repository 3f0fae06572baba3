package cases

import (
	"bytes"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/harness/shapes"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// historyFor returns the journal that a shape is tried with.
func historyFor(t *testing.T, s shapes.Shape) *history {
	t.Helper()
	return must.Get(historyIn(s))(t)
}

// fidelityNames are the classes of fidelity as pages call them.
var fidelityNames = map[facts.Fidelity]string{facts.Exact: "exact", facts.Unquoted: "unquoted",
	facts.Recanonicalised: "recanonicalised", facts.Lossy: "lossy"}

// TestHistories: the events are what they should be, before anything wraps them.
func TestHistories(t *testing.T) {
	for _, s := range []shapes.Shape{{}, {Cuts: true}} {
		h := historyFor(t, s)
		f := hand(t, h, shapes.Files{"journal.ndjson": append(bytes.Join(h.lines, []byte("\n")), '\n')}).examine(t, h)
		check.That(t, f.result.Verdict == "verified" && len(f.genuine) == len(h.lines) && len(f.counting()) == 0,
			"%s, %d events", f.result.Verdict, len(f.genuine))
		f.say(t)
	}
}
