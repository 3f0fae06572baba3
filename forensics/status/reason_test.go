package status

import (
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/schemas"
	"github.com/svc-edge/svc-verify/verify"
)

// TestReasons: every reason is explained, decides something, and is in the schemas.
func TestReasons(t *testing.T) {
	source := ""
	for _, name := range []string{"status", "status-row"} {
		text := must.Get(schemas.Source(name))(t)
		source += string(text)
	}
	for _, e := range finding.Codes("status") {
		check.That(t, e.Sentence != "" && e.Next != "" && (e.Effect == finding.Rejects || e.Effect == finding.LeavesOpen),
			"%+v", e)
		check.That(t, strings.Contains(source, `"`+string(e.Code)+`"`), "no schema has %s", e.Code)
		if v := verdictOf(e.Code); v == verify.Verified {
			t.Errorf("%s is %s", e.Code, v)
		}
	}
	for _, e := range limits() {
		check.That(t, strings.Contains(source, `"`+string(e.Code)+`"`), "no schema has %s", e.Code)
	}
	for _, r := range rank[:len(rank)-1] {
		if e, _ := finding.Lookup(r); e.Group != "status" {
			t.Errorf("%s is not explained", r)
		}
	}
	if v := verdictOf("status.unheard-of"); v != verify.Rejected {
		t.Errorf("a reason that nobody knows is %s", v)
	}
	if v := verdictOf(""); v != verify.Verified {
		t.Errorf("no reason is %s", v)
	}
}

// TestBearing goes over the codes of all findings: what rejects or leaves open never
// passes as nothing, but for what says nothing about the events of the log.
func TestBearing(t *testing.T) {
	var nothing []finding.Code
	for _, entry := range finding.Codes("logs") {
		f := finding.Finding{Code: entry.Code, TenantID: "t", LogID: "tenant/t"}
		log := weighFindings([]finding.Finding{f})[facts.TenantLog("t")]
		if entry.Effect == finding.None {
			check.That(t, log.reason == "", "%s, which changes no verdict, is %s", entry.Code, log.reason)
			continue
		}
		if log.reason == "" {
			nothing = append(nothing, entry.Code)
		}
		check.That(t, entry.Effect != finding.LeavesOpen || verdictOf(log.reason) != verify.Rejected,
			"%s, which leaves open, is %s", entry.Code, log.reason)
		rejects := entry.Bearing == finding.Integrity && entry.Effect == finding.Rejects
		check.That(t, !rejects || log.reason == LogRejected || log.reason == "",
			"%s, which rejects, is %s", entry.Code, log.reason)
	}
	want := []finding.Code{finding.SourceDisagrees, finding.JournalLacks, finding.BundleRejected,
		finding.BundleKeyUnknown}
	slices.Sort(nothing)
	slices.Sort(want)
	check.That(t, slices.Equal(nothing, want), "nothing follows from %v, want %v", nothing, want)
}

// TestStanding: of several reasons the worst counts, and what is about another log
// does not.
func TestStanding(t *testing.T) {
	whole := walk.LogResult{TenantID: "t", LogID: "tenant/t", Verdict: verify.Verified, Events: 9, LastSequence: 9,
		CompleteByOthers: walk.Word{Sequence: 9}}
	about := func(code finding.Code, tenant, log string) finding.Finding {
		return finding.Finding{Code: code, TenantID: tenant, LogID: log}.Complete()
	}
	left := []verdict.LeftOut{{What: verdict.Rest}}
	const own = "tenant/t"
	gap, fork := about(finding.Gap, "t", own), about(finding.Fork, "t", own)
	unread, half := about(finding.SourceUnparseable, "", ""), about(finding.GapUnread, "t", own)
	witness, disputed := about(finding.WitnessOtherHistory, "t", own), about(finding.RecordDisputed, "t", own)
	ownWord := func(l *walk.LogResult) { l.CompleteByOthers, l.CompleteByOwn = walk.Word{}, walk.Word{Sequence: 9} }
	for name, tt := range map[string]struct {
		change  func(*walk.LogResult)
		found   []finding.Finding
		left    []verdict.LeftOut
		reason  Reason
		decides finding.Code
	}{
		"whole":                 {nil, nil, nil, "", ""},
		"another log":           {nil, []finding.Finding{about(finding.Gap, "t", "node/n")}, nil, "", ""},
		"another tenant":        {nil, []finding.Finding{about(finding.Fork, "u", "tenant/u")}, nil, "", ""},
		"a gap":                 {nil, []finding.Finding{gap}, nil, LogIncomplete, finding.Gap},
		"a gap and a fork":      {nil, []finding.Finding{gap, fork}, nil, LogRejected, finding.Fork},
		"a fork, and no time":   {nil, []finding.Finding{fork}, left, LogRejected, finding.Fork},
		"a gap, and no time":    {nil, []finding.Finding{gap}, left, LeftOut, ""},
		"a source":              {nil, []finding.Finding{unread}, nil, Unread, finding.SourceUnparseable},
		"a source and a gap":    {nil, []finding.Finding{unread, gap}, nil, LogIncomplete, finding.Gap},
		"a gap and a source":    {nil, []finding.Finding{gap, unread}, nil, LogIncomplete, finding.Gap},
		"a witness":             {nil, []finding.Finding{witness}, nil, LogRejected, finding.WitnessOtherHistory},
		"a disputed witness":    {nil, []finding.Finding{disputed}, nil, LogOpen, finding.RecordDisputed},
		"a witness elsewhere":   {nil, []finding.Finding{about(finding.WitnessOtherHistory, "u", "tenant/u")}, nil, "", ""},
		"two of one reason":     {nil, []finding.Finding{half, gap}, nil, LogIncomplete, finding.Gap},
		"missing events":        {func(l *walk.LogResult) { l.Missing = 1 }, nil, nil, LogIncomplete, ""},
		"no event":              {func(l *walk.LogResult) { l.Events = 0 }, nil, nil, LogIncomplete, ""},
		"a verdict and no more": {func(l *walk.LogResult) { l.Verdict = verify.Rejected }, nil, nil, LogOpen, ""},
		"no verdict":            {func(l *walk.LogResult) { l.Verdict = "" }, nil, nil, LogOpen, ""},
		"its own word":          {ownWord, nil, nil, AfterCheckpoint, ""},
		"no checkpoint":         {func(l *walk.LogResult) { l.CompleteByOthers = walk.Word{} }, nil, nil, AfterCheckpoint, ""},
	} {
		l := whole
		if tt.change != nil {
			tt.change(&l)
		}
		got := standingOf(&verdict.Result{LeftOut: tt.left}, weighFindings(tt.found), l, 1)
		check.That(t, got.Reason == tt.reason && got.Decides == tt.decides && got.Verdict == verdictOf(tt.reason),
			"%s: %+v, want %s by %s", name, got, tt.reason, tt.decides)
	}
}
