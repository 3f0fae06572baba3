package cause

import (
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
)

// TestCandidates: the facts for and against each possible signer of a second history are
// reported, and no one is left out of the sentence.
func TestCandidates(t *testing.T) {
	early, late := walk.Span{First: 1_000_000, Last: 2_000_000}, walk.Span{First: 2_300_001, Last: 2_400_000}
	for name, tt := range map[string]struct {
		named         walk.Naming
		times         walk.ForkTimes
		newest        int64
		copied        uint64 // the last event of another copy
		pro, contra   string
		never, never2 string
	}{
		"clearly later": {walk.NamesNeither, walk.ForkTimes{Spans: [2]walk.Span{early, late}}, 0, 0,
			"a restored or second copy: one history ends", "", "at once", "anchors"},
		"at once": {walk.NamesNeither, walk.ForkTimes{Spans: [2]walk.Span{early, early}}, 0, 0,
			"a second holder of the key: both go on at once", "a restored or second copy: both go on at once", "signed anew",
			"anchors"},
		"signed anew": {walk.NamesNeither, walk.ForkTimes{Spans: [2]walk.Span{early, early}, Alike: true}, 0, 0,
			"the operator: both have event 11", "a restored or second copy: both have event 11", "anchors",
			"ends with event"},
		"times that go back": {walk.NamesNeither, walk.ForkTimes{Spans: [2]walk.Span{early, early}, Before: 1_300_001}, 0, 0,
			"", "before event 10, which it follows", "signed anew", "anchors"},
		"times that nearly go back": {walk.NamesNeither,
			walk.ForkTimes{Spans: [2]walk.Span{early, early}, Before: 1_300_000}, 0, 0, "", "", "which it follows", "anchors"},
		"one is named, and the later one never": {walk.NamesFirst, walk.ForkTimes{Spans: [2]walk.Span{early, late}}, 9_000_000,
			0, "a second holder of the key: anchors name one history", "no anchor names the history", "both histories", "at once"},
		"one is named, and no anchor is young enough": {walk.NamesFirst, walk.ForkTimes{Spans: [2]walk.Span{early, late}},
			1_500_000, 0, "", "", "anchors", "no anchor"},
		"the later one is named": {walk.NamesFirst, walk.ForkTimes{Spans: [2]walk.Span{late, early}}, 9_000_000, 0,
			"anchors name the history that was written later", "", "never the other", "both histories"},
		"an older copy ends there": {walk.NamesNeither, walk.ForkTimes{Spans: [2]walk.Span{early, late}}, 0, 10,
			"a copy in older ends with event 10", "", "anchors", "at once"},
		"an older copy ends elsewhere": {walk.NamesNeither, walk.ForkTimes{Spans: [2]walk.Span{early, late}}, 0, 9, "", "",
			"ends with event", "at once"},
	} {
		log := whole(berlin, 20)
		log.Forks = []walk.Fork{{Sequence: 11, Named: tt.named,
			Branches: [2]walk.Branch{{KeyID: "berlin"}, {KeyID: "berlin"}}}}
		f := factsOf([]walk.LogResult{log}, walk.Facts{Logs: map[facts.Log]walk.LogFacts{
			berlin: {Forks: []walk.ForkTimes{tt.times}, NewestAt: tt.newest}}}, about(berlin, finding.Fork, 11, 20))
		f.Compared = &crosscheck.Result{Stores: []crosscheck.Store{{Name: "older"}}, Presence: []crosscheck.Log{{
			TenantID: berlin.TenantID, LogID: berlin.LogID, Stretches: []crosscheck.Stretch{
				{First: 1, Last: max(1, tt.copied), Stores: []crosscheck.State{crosscheck.Present}},
				{First: 19, Last: 20, Stores: []crosscheck.State{crosscheck.Absent}}}}}}
		all := Find(f)
		if len(all) != 1 || all[0].Code != TwoHistories {
			t.Errorf("%s: %v", name, codesOf(all))
			continue
		}
		pro, contra := strings.Join(all[0].Pro(), "\n"), strings.Join(all[0].Con(), "\n")
		check.That(t, strings.Contains(pro, tt.pro) && strings.Contains(contra, tt.contra) &&
			!strings.Contains(pro+contra, tt.never) && !strings.Contains(pro+contra, tt.never2),
			"%s: for %q, against %q", name, pro, contra)
		for _, who := range []string{"a second holder of the key", "a restored or second copy", "operator"} {
			check.That(t, strings.Contains(all[0].Message, who), "%s: %s", name, all[0].Message)
		}
	}
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
