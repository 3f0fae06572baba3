package verdict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/schemas"
	"github.com/svc-edge/svc-verify/verify"
)

func found(code finding.Code, log string) finding.Finding {
	return finding.Finding{Code: code, LogID: log, Sequence: 3, LastSequence: 3, Expected: "x", Found: "y"}.Complete()
}

// TestDecides: the effect on the verdict comes first, then the severity, then the
// order.
func TestDecides(t *testing.T) {
	open, later := found(finding.KeyUnknown, "node/a"), found(finding.HashMismatchLossy, "node/a")
	gap, fork, hash := found(finding.Gap, "node/a"), found(finding.Fork, "node/b"), found(finding.HashMismatch, "node/c")
	for name, c := range map[string]struct {
		verdict verify.Verdict
		found   []finding.Finding
		want    *finding.Finding
	}{
		"verified":             {verify.Verified, []finding.Finding{open}, nil},
		"nothing":              {verify.Inconclusive, nil, nil},
		"effect":               {verify.Rejected, []finding.Finding{open, gap}, &gap},
		"severity":             {verify.Rejected, []finding.Finding{gap, fork}, &fork},
		"order":                {verify.Rejected, []finding.Finding{gap, fork, hash}, &fork},
		"another order":        {verify.Rejected, []finding.Finding{hash, fork, gap}, &hash},
		"open":                 {verify.Inconclusive, []finding.Finding{later, open}, &open},
		"what does not decide": {verify.Inconclusive, []finding.Finding{found(finding.TimeRegression, "node/a")}, nil},
	} {
		got := Decides(c.verdict, c.found[:len(c.found)/2], c.found[len(c.found)/2:])
		check.That(t, (got == nil) == (c.want == nil) && (got == nil || got.Code == c.want.Code && got.LogID == c.want.LogID),
			"%s: %v, want %v", name, got, c.want)
	}
}

// TestWhy: every verdict that is not verified has a reason and a next command.
func TestWhy(t *testing.T) {
	gap := found(finding.Gap, "node/a")
	left := []LeftOut{{What: Comparison, Text: "The comparison."}}
	r := Why(verify.Verified, nil, nil)
	check.That(t, r == nil, "verified: %+v", r)
	for name, c := range map[string]struct {
		reason     *Reason
		text, next string
	}{
		"a finding":         {Why(verify.Rejected, &gap, left), "node/a, event 3 missing.", "svc-verify show gaps "},
		"what was left out": {Why(verify.Inconclusive, nil, left), "Not all was examined.", "svc-verify walk "},
		"a missing share": {Why(verify.Inconclusive, nil, []LeftOut{{What: Shares}}), "Not all was examined.",
			"svc-verify part "},
		"a source elsewhere": {Why(verify.Inconclusive, nil, []LeftOut{{What: Sources}}), "Not all was examined.",
			"svc-verify conclude"},
		"an empty case": {Why(verify.Inconclusive, nil, nil), "No event of a log is here.", "svc-verify ingest "},
	} {
		check.That(t, c.reason != nil && c.reason.Text == c.text && strings.HasPrefix(c.reason.Next, c.next),
			"%s: %+v", name, c.reason)
	}
	var none *Result
	check.That(t, none.Why() == nil, "a case that was not examined has a reason")
}

// TestWhyLogs: the finding that decides on a log is about that log, and blames no source.
func TestWhyLogs(t *testing.T) {
	log := func(id string, v verify.Verdict) walk.LogResult { return walk.LogResult{LogID: id, Verdict: v} }
	r := &Result{Verdict: verify.Rejected, Findings: []finding.Finding{
		found(finding.AlteredCopy, "node/a"), found(finding.Fork, "node/b"), found(finding.KeyUnknown, "node/a"),
		found(finding.Gap, "node/a")},
		Logs: []walk.LogResult{log("node/a", verify.Rejected), log("node/b", verify.Rejected),
			log("node/a", verify.Inconclusive), log("node/c", verify.Verified)}}
	for i, want := range []finding.Code{finding.Gap, finding.Fork, finding.KeyUnknown, ""} {
		got := r.WhyLogs()[i]
		check.That(t, (got == nil) == (want == "") && (got == nil || got.Finding != nil && got.Finding.Code == want),
			"log %d: %+v, want %s", i, got, want)
	}
}

// TestLeave: unexamined evidence makes a success inconclusive, and changes no other verdict.
// Shares that are missing take away every verdict.
func TestLeave(t *testing.T) {
	open, bad := found(finding.KeyUnknown, "node/a"), found(finding.HashMismatch, "node/a")
	for before, after := range map[verify.Verdict]verify.Verdict{verify.Verified: verify.Inconclusive,
		verify.Inconclusive: verify.Inconclusive, verify.Rejected: verify.Rejected} {
		r := &Result{Verdict: before, Findings: []finding.Finding{bad, open}}
		r.Leave(LeftOut{What: Sources})
		check.That(t, r.Verdict == after && len(r.LeftOut) == 1 && r.Decides != nil,
			"%s becomes %s with %d left out", before, r.Verdict, len(r.LeftOut))
		r.Leave(LeftOut{What: Shares})
		check.That(t, r.Verdict == verify.Inconclusive && len(r.LeftOut) == 2 && r.LeftOut[0].What == Shares &&
			r.Decides == nil, "without shares, %s becomes %s with %v left out", before, r.Verdict, r.LeftOut)
	}
}

// TestForkedStores: of the stores of a forked log only those are at fault that hold the
// history that anchors do not name; all are if anchors do not decide.
func TestForkedStores(t *testing.T) {
	for _, tt := range []struct {
		name   string
		named  walk.Naming
		a, b   []string // the stores of each branch
		states []crosscheck.Standing
	}{
		{"named", walk.NamesFirst, []string{"one", "two"}, []string{"three"},
			[]crosscheck.Standing{"faithful", "faithful", "differs"}},
		{"both in one", walk.NamesFirst, []string{"one", "two"}, []string{"two", "three"},
			[]crosscheck.Standing{"faithful", "differs", "differs"}},
		{"neither named", walk.NamesNeither, []string{"one", "two"}, []string{"three"},
			[]crosscheck.Standing{"differs", "differs", "differs"}},
		{"both named", walk.NamesBoth, []string{"one", "two"}, []string{"three"},
			[]crosscheck.Standing{"differs", "differs", "differs"}},
	} {
		c := &crosscheck.Result{Presence: []crosscheck.Log{{TenantID: "t", LogID: "node/n", Histories: []crosscheck.History{
			{Sequence: 5, Hash: "a", Stores: tt.a}, {Sequence: 5, Hash: "b", Stores: tt.b}, {Sequence: 9, Hash: "a"}}}}}
		for _, name := range []string{"one", "two", "three"} {
			c.Stores = append(c.Stores, crosscheck.Store{Name: name, State: crosscheck.StoreDiffers, Events: 14, Shared: 4,
				Differs: 10})
		}
		fork := walk.Fork{Sequence: 5, Named: tt.named, Branches: [2]walk.Branch{{FirstHash: "a", Events: 12},
			{FirstHash: "b", Events: 10}}}
		w := &walk.Result{Verdict: "rejected", Logs: []walk.LogResult{{TenantID: "t", LogID: "node/n",
			Forks: []walk.Fork{fork}}}}
		r := Make(Examined{Walk: w, Comparison: c})
		for i, want := range tt.states {
			if got := r.Stores[i].State; got != want {
				t.Errorf("%s: %s is %s, want %s", tt.name, r.Stores[i].Name, got, want)
			}
		}
		check.That(t, len(r.Logs[0].Forks[0].Branches[1].Stores) == len(tt.b) &&
			w.Logs[0].Forks[0].Branches[0].Stores == nil && c.Stores[0].State == crosscheck.StoreDiffers,
			"%s: %+v", tt.name, r.Logs[0].Forks)
	}
}

// told is a result with a finding of every kind of place.
func told() *Result {
	at := func(f finding.Finding, source string, offset, length int64) finding.Finding {
		f.Evidence = []finding.Evidence{{Source: source, Offset: offset, Length: length}}
		return f
	}
	of := func(f finding.Finding, tenant string) finding.Finding {
		f.TenantID = tenant
		return f
	}
	store := at(of(found(finding.SourceAltered, "node/a"), "t"), "dump", 1, 2)
	store.Store = "loki"
	return &Result{Verdict: verify.Rejected, TrustSHA256: strings.Repeat("ab", 32),
		LeftOut: []LeftOut{{What: Rest, Text: "What there was no time for.", Items: []string{}},
			{What: Logs, Text: "Logs:", Items: slices.Repeat([]string{"x\x1b"}, 12)}},
		Incidents: []incident.Incident{{Name: "altered-12ab", Findings: []int{1}}},
		Logs: []walk.LogResult{
			{TenantID: "t", LogID: "node/a", Verdict: verify.Rejected, Events: 5, Missing: 1, UnanchoredTail: 2,
				TailByOthers: 2},
			{TenantID: "u", LogID: "node/a", Verdict: verify.Verified, Events: 7, AnchoredSequence: 7},
			{TenantID: "t", LogID: "node/b", Verdict: verify.Inconclusive},
		},
		Sources: []walk.SourceFile{
			{Path: "b.ndjson", SHA256: "02", Format: "journal", Records: 5, Events: 5, JournalOf: []string{"node/a"}},
			{Path: "a.ndjson", SHA256: "03", Format: "journal", Records: 5, Events: 4, Skipped: 1,
				JournalOf: []string{"node/a"}},
			{Path: "b.ndjson", SHA256: "01", Format: "journal", Records: 5, Events: 5},
			{Path: "README", SHA256: "04", Records: 1, Skipped: 1},
			{Path: "torn", SHA256: "05", Records: 1, Skipped: 1},
			{Path: "node/a", SHA256: "06", Format: "bundle", Records: 1},
		},
		Findings: []finding.Finding{
			of(found(finding.KeyUnknown, "node/a"), "t"),
			at(of(found(finding.HashMismatch, "node/a"), "t"), "b.ndjson", 9, 5),
			at(found(finding.AlteredCopy, "node/a"), "a.ndjson", 0, 5),
			at(found(finding.SourceUnreadable, ""), "gone", 0, 0),
			at(found(finding.SourceUnparseable, ""), "torn", 3, 4),
			at(found(finding.SourceNoRecord, ""), "README", 0, 4),
			of(found(finding.TailUnanchored, "node/a"), "u"),
			found(finding.Gap, "node/strange"),
			store,
		}}
}

// TestOutcome: every finding that counts is a problem of the item or run that it blames, the
// worst first; other findings are no problems.
func TestOutcome(t *testing.T) {
	report := told().Outcome("svc-verify check")
	var got []string
	for item, err := range report.Items() {
		must.Do(t, err)
		line := item.Name + " " + string(item.Class) + " " + item.Place.File
		for _, p := range item.Problems {
			check.That(t, strings.HasPrefix(p.Message, "altered-12ab: ") == (p.Code == finding.HashMismatch), "%s", p.Message)
			line += "; " + string(p.Class) + " " + string(p.Code) + " " + p.Place.File
		}
		got = append(got, line)
	}
	want := []string{
		"node/a rejected a.ndjson; rejected event.hash-mismatch b.ndjson; inconclusive event.key-unknown ",
		"node/a (2) verified a.ndjson",
		"node/b inconclusive ; inconclusive  ",
		"a.ndjson rejected a.ndjson; rejected event.altered-copy a.ndjson",
		"b.ndjson verified b.ndjson",
		"b.ndjson (2) verified b.ndjson",
		"gone inconclusive gone; inconclusive source.unreadable gone",
		"node/a (3) verified node/a",
		"torn inconclusive torn; inconclusive source.unparseable-record torn",
	}
	check.That(t, slices.Equal(got, want),
		"the items are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	var run []string
	for _, p := range report.Problems {
		run = append(run, string(p.Class)+" "+string(p.Code)+" "+p.Subject+" "+p.Place.File)
	}
	if want := []string{"rejected source.altered store loki ",
		"rejected chain.gap node/strange "}; !slices.Equal(run, want) {
		t.Errorf("the problems of the run are %q, want %q", run, want)
	}
}

// TestOutcomeOfRun: the unexamined evidence, the numbers, and the limitations.
func TestOutcomeOfRun(t *testing.T) {
	report := told().Outcome("svc-verify check")
	if want := []string{"What there was no time for.", `Logs: ` + strings.Repeat(`"x\x1b", `, 9) + `"x\x1b" and 2 more`,
		"What could not be read in 2 sources: gone, torn"}; !slices.Equal(report.NotExamined, want) {
		t.Errorf("not examined %q, want %q", report.NotExamined, want)
	}
	const want = "[{verified logs 1} {rejected logs 1} {inconclusive logs 1} {events 12} {missing events 1} {sources 6} " +
		"{sources without evidence 2} {findings that reject 4} {findings that leave the verdict open 3}]"
	got := fmt.Sprint(report.Counts)
	check.That(t, got == want, "counts %s, want %s", got, want)
	check.That(t, len(report.Limitations) == 1 && strings.HasPrefix(report.Limitations[0].Sentence,
		"2 events at the end of 1 log come after"), "limitations %v", report.Limitations)
	check.That(t, report.Verdict == outcome.Rejected && report.TrustSHA256 == strings.Repeat("ab", 32),
		"%s, %s", report.Verdict, report.TrustSHA256)
	none := (&Result{}).Outcome("x")
	check.That(t, none.Verdict == outcome.Inconclusive && len(none.Limitations) == 0,
		"a result without a verdict is %s", none.Verdict)
}

// TestLines: a line for the run, and one for each item, as their schemas say, in
// printable ASCII.
func TestLines(t *testing.T) {
	r := told()
	r.Logs[2].LogID = "node/\x1b\u202e"
	var b bytes.Buffer
	must.Do(t, r.Outcome("svc-verify check").Lines(&b))
	var kinds []string
	for line := range strings.Lines(b.String()) {
		var doc struct{ Schema, Kind string }
		must.Do(t, json.Unmarshal([]byte(line), &doc))
		kinds = append(kinds, doc.Kind)
		name := strings.TrimSuffix(strings.TrimPrefix(doc.Schema, "svc-verify/"), "/v1")
		check.OK(t, schemas.Conformance(name, []byte(line)), "%s", line)
	}
	want := []string{"", "log", "log", "log", "source", "source", "source", "source", "source",
		"source"}
	check.That(t, slices.Equal(kinds, want), "the lines are %q, want %q", kinds, want)
	i := bytes.IndexFunc(b.Bytes(), func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') })
	check.That(t, i < 0, "octet %d is not printable", i)
}
