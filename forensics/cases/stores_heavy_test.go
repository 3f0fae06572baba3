//go:build heavy

package cases

import (
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"

	"pgregory.net/rapid"
)

// TestEveryDumpWillDo: from any one dump, and no journal, every log is verified
// up to its end.
func TestEveryDumpWillDo(t *testing.T) {
	e := fleettest.Evidence(t, fleet.Scene)
	for _, name := range wholeDumps {
		t.Run(name, func(t *testing.T) {
			x := exam{fleet.Scene, with(exported, fleet.Store(name)), false, false}
			path := x.add(t, t.TempDir(), e)
			result := must.Get(examine.Examine(t.Context(), path, fleettest.Root(t, e), examine.Options{}))(t)
			for _, l := range result.Logs {
				check.That(t, l.Verdict == verify.Verified && l.UnanchoredTail == 0 && l.Events != 0,
					"%s: %s, %d events, %d unanchored", l.LogID, l.Verdict, l.Events, l.UnanchoredTail)
			}
			check.That(t, len(result.Logs) == len(e.Scene.Journals)+1, "%d logs", len(result.Logs))
		})
	}
}

// TestDeletedAnywhere deletes any range of a journal, which is found as exactly
// that range, as missing at the beginning, in between or at the end.
func TestDeletedAnywhere(t *testing.T) {
	scene := fleettest.Evidence(t, fleet.Scene)
	const node = "mesh-berlin-1"
	events := scene.Scene.Journals[node]
	rapid.Check(t, func(r *rapid.T) {
		first := rapid.IntRange(1, len(events)).Draw(r, "first")
		last := rapid.IntRange(first, len(events)).Draw(r, "last")
		e := scene.Clone()
		e.Files[fleet.Journal(node)] = fleet.Bytes(seal.Lines(slices.Concat(events[:first-1], events[last:])))
		code := finding.Gap
		switch {
		case first == 1 && last == len(events):
			code = finding.Gone
		case first == 1:
			code = finding.HeadMissing
		case last == len(events):
			code = finding.TailMissing
		}
		want := say(finding.Finding{Code: code, LogID: "node/" + node, Sequence: uint64(first),
			LastSequence: uint64(last)}.Complete())
		var found []string
		for _, f := range (exam{fleet.Scene, []string{fleet.Journal(node), fleet.Cursors(node)}, false, false}).examine(t, e) {
			// Of what is left before a missing end, and of an empty file.
			if f.Code != finding.TailUnanchored && f.Code != finding.SourceNoRecord {
				found = append(found, say(f))
			}
		}
		check.That(r, slices.Equal(found, []string{want}), "found %v, want %s", found, want)
	})
}
