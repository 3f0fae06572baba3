package verdict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/schemas"
	"github.com/svc-edge/svc-verify/verify"
)

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

// TestOutcome: every finding that counts is a problem of what it blames, the worst
// first; the others are none.
func TestOutcome(t *testing.T) {
	report := told().Outcome("svc-verify check")
	var got []string
	for item, err := range report.Items() {
		must.Do(t, err)
		line := item.Name + " " + string(item.Class) + " " + item.Place.File
		for _, p := range item.Problems {
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

// TestOutcomeOfRun: what was not examined, the numbers, and what is not proved.
func TestOutcomeOfRun(t *testing.T) {
	report := told().Outcome("svc-verify check")
	if want := []string{"What there was no time for.", `Logs: ` + strings.Repeat(`"x\x1b", `, 10) + "and 2 more",
		"What could not be read in 2 sources: gone, torn"}; !slices.Equal(report.NotExamined, want) {
		t.Errorf("not examined %q, want %q", report.NotExamined, want)
	}
	const want = "[{verified logs 1} {rejected logs 1} {inconclusive logs 1} {events 12} {missing events 1} {sources 6} " +
		"{sources without evidence 2} {findings that reject 4} {findings that leave the verdict open 3}]"
	got := fmt.Sprint(report.Counts)
	check.That(t, got == want, "counts %s, want %s", got, want)
	if len(report.Limitations) != 1 || !strings.HasPrefix(report.Limitations[0].Sentence,
		"2 events at the end of 1 log come after") {
		t.Errorf("limitations %v", report.Limitations)
	}
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
		violations, err := schemas.Validate(name, []byte(line))
		check.That(t, err == nil && len(violations) == 0, "%v, %v: %s", err, violations, line)
	}
	if want := []string{"", "log", "log", "log", "source", "source", "source", "source", "source",
		"source"}; !slices.Equal(kinds, want) {
		t.Errorf("the lines are %q, want %q", kinds, want)
	}
	i := bytes.IndexFunc(b.Bytes(), func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') })
	check.That(t, i < 0, "octet %d is not printable", i)
}
