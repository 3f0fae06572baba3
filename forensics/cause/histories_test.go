package cause

import (
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
)

// forkRules are about the possible signers of a second history. Another copy ends somewhere.
func forkRules() []rule {
	early, late := walk.Span{First: 1_000_000, Last: 2_000_000}, walk.Span{First: 2_300_001, Last: 2_400_000}
	var all []rule
	for _, tt := range []struct {
		name           string
		named          walk.Naming
		a, b           walk.Span
		before, newest int64  // when the event before the fork was written, and the newest anchor made
		copied         uint64 // the last event of the other copy
	}{
		{"the second history is clearly later", walk.NamesNeither, early, late, 0, 0, 0},
		{"not clearly later", walk.NamesFirst, early, walk.Span{First: 2_300_000, Last: 2_400_000}, 0, 0, 0},
		{"at the same time", walk.NamesNeither, early, early, 0, 0, 0},
		{"times that go back", walk.NamesNeither, early, early, 1_300_001, 0, 0},
		{"times that nearly go back", walk.NamesNeither, early, early, 1_300_000, 0, 0},
		{"anchors name both", walk.NamesBoth, late, early, 0, 9_000_000, 0},
		{"anchors name both, the later one last", walk.NamesBoth, early, late, 0, 9_000_000, 0},
		{"later, and no anchor since names it", walk.NamesFirst, early, late, 0, 2_300_001, 0},
		{"later, and there is no anchor since", walk.NamesFirst, early, late, 0, 2_300_000, 0},
		{"anchors name the later one", walk.NamesFirst, late, early, 0, 9_000_000, 0},
		{"an older copy ends there", walk.NamesNeither, early, late, 0, 0, 10},
		{"an older copy ends elsewhere", walk.NamesNeither, early, late, 0, 0, 9},
	} {
		log := whole(berlin, 20)
		log.Forks = []walk.Fork{{Sequence: 11, Named: tt.named, Branches: [2]walk.Branch{{KeyID: "berlin"}, {KeyID: "oslo"}}}}
		times := walk.ForkTimes{Spans: [2]walk.Span{tt.a, tt.b}, Before: tt.before, Alike: tt.before == 1_300_000}
		f := factsOf([]walk.LogResult{log}, walk.Facts{Logs: map[facts.Log]walk.LogFacts{
			berlin: {Forks: []walk.ForkTimes{times}, NewestAt: tt.newest}}}, about(berlin, finding.Fork, 11, 20))
		f.Compared = &crosscheck.Result{Stores: []crosscheck.Store{{Name: "older"}}, Presence: []crosscheck.Log{{
			TenantID: berlin.TenantID, LogID: berlin.LogID, Stretches: []crosscheck.Stretch{
				{First: 1, Last: max(1, tt.copied), Stores: []crosscheck.State{crosscheck.Present}},
				{First: 19, Last: 20, Stores: []crosscheck.State{crosscheck.Absent}}}}}}
		all = append(all, rule{tt.name, f, []Code{TwoHistories}})
	}
	return all
}

// TestEveryFindingIsASign: a finding that counts is by itself the sign of a cause, in a node's
// log or in the tenant's, unless more facts are needed to name one. A new finding names in its
// entry the cause that it is a sign of, or is listed here.
func TestEveryFindingIsASign(t *testing.T) {
	needFacts := []finding.Code{
		finding.Unconnected, finding.Fork, finding.Absent, // of the log and its copies
		finding.AnchorKeyUnknown, finding.ReportKeyUnknown, // of the use of keys
		finding.StatementNotCovered, finding.LimitReached,
	}
	for _, e := range finding.Codes("logs") {
		named := 0
		for _, log := range []facts.Log{berlin, tenant} {
			f := about(log, e.Code, 5, 6)
			f.Evidence = []finding.Evidence{{Source: "a.ndjson"}}
			named += len(Find(factsOf([]walk.LogResult{whole(log, 20)}, walk.Facts{}, f)))
		}
		alone := e.Effect != finding.None && named == 0
		check.That(t, alone == slices.Contains(needFacts, e.Code), "%s alone names %d causes", e.Code, named)
	}
}
