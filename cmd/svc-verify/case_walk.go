package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics"
	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/english"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func walkCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "walk",
		Summary: "Verify whole logs of a case: is all genuine, and up to where is nothing missing",
		Description: "Verifies every hash, link and signature of the logs of a case under the pinned keys of a trust file, and says up to which anchored sequence nothing is missing. " +
			"The result is kept in the case.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "verified"},
			{Code: exitRejected, Meaning: "rejected: the evidence is bad"},
			{Code: exitInconclusive, Meaning: "inconclusive: no log was there, not all was examined, or not enough to say"},
		},
		Flags: append([]cliapp.Flag{
			caseFlag(),
			{Name: "trust", Value: "TRUST", Usage: "The trust file to hold it against", Required: true},
			{Name: "log", Kind: cliapp.List, Value: "ID", Usage: "Only this log. The others then anchor nothing"},
			{Name: "collected", Kind: cliapp.List, Value: "ID", Usage: "This log was collected, so that it is no excuse if nothing of it is there"},
			{Name: "since-last", Kind: cliapp.Switch, Usage: "Begin where the last walk under this trust file ended"},
			{Name: "max-duration", Kind: cliapp.Duration, Value: "D", Usage: "Stop after this time; the result is then no success"},
			{Name: "no-compare", Kind: cliapp.Switch, Usage: "Do not hold the pieces of evidence against each other"},
			storeFlag(),
			{Name: "jobs", Kind: cliapp.Number, Value: "N", Least: "1", Usage: "How many stretches to examine at once; as many as there are processors if not given"},
			formFlag(), colorFlag(),
		}, progressFlags()...),
		Examples: []string{"svc-verify walk --case case.db --trust trust.json", "svc-verify walk --case case.db --trust trust.json --since-last --output json"},
		Action:   walkCase,
	}
}

func walkCase(c *cliapp.Context) (int, error) {
	root, err := readTrust(c, c.Text("trust"))
	if err != nil {
		return 0, err
	}
	ctx, stop := interruptible()
	defer stop()
	if c.Given("max-duration") {
		limited, cancel := context.WithTimeout(ctx, c.Duration("max-duration"))
		defer cancel()
		ctx = limited
	}
	m := newMeter(c, number)
	defer m.clear()
	options := examineOptions(ctx, c, m)
	options.Logs, options.Collected, options.NoCompare = c.List("log"), c.List("collected"), c.Switch("no-compare")
	if c.Given("jobs") {
		options.Workers = c.Number("jobs")
	}
	if c.Switch("since-last") {
		options.Extent = forensics.SinceLast
	}
	result, err := forensics.Examine(ctx, c.Text("case"), root, options)
	m.clear()
	if err != nil {
		return 0, caseFault(c, err)
	}
	if ctx.Err() != nil {
		fmt.Fprintln(c.Stderr, "svc-verify: stopped before the end: the result is of what was walked, and walk --since-last goes on from there")
	}
	if c.Text("output") == "json" {
		return exitCode(result.Verdict), writeJSON(c.Stdout, result)
	}
	return exitCode(result.Verdict), writePage(c, walkText(result, safetext.Quote(c.Text("case"))))
}

// examineOptions are what every command has in common that can examine a case.
func examineOptions(ctx context.Context, c *cliapp.Context, m *meter) forensics.Options {
	options := forensics.Options{Workers: runtime.GOMAXPROCS(0), Case: caseOptions(ctx, c.Stderr),
		Remembered: func(s store.Standing, signatures int64) {
			sayStanding(c, s)
			if signatures > 0 {
				fmt.Fprintf(c.Stderr, "svc-verify: not verified again: %s that held in an earlier walk under your key\n",
					english.Count(signatures, "signature"))
			}
		}}
	options.Stores, options.FindStores = storesOf(c)
	options.Progress = func(p forensics.Progress) {
		m.show(done{p.LogID, int64(p.Sequences), int64(p.Of), int64(p.Sequences)})
	}
	return options
}

// writeVerdict writes the verdict on a case, what was not examined and the finding
// that decides. A case that was not examined has no result.
func writeVerdict(p *page.Page, r *verdict.Result, file string) {
	if r == nil {
		p.Heading("not walked  " + file)
		return
	}
	p.Headline(string(r.Verdict), file)
	if d := r.Decides; d != nil {
		p.Prose(2, fmt.Sprintf("%s: %s", d.Code, d.Message))
		p.Prose(2, "next: "+d.Next)
	}
	writeLeftOut(p, r.LeftOut)
}

// writeLeftOut says what was not examined.
func writeLeftOut(p *page.Page, all []verdict.LeftOut) {
	for i, l := range all {
		if i == 0 {
			p.Heading("not examined")
		}
		p.Prose(2, l.Text)
		for _, item := range l.Items[:min(len(l.Items), mostInCheck)] {
			p.Prose(4, safetext.Quote(item))
		}
		if n := len(l.Items) - mostInCheck; n > 0 {
			p.Prose(4, fmt.Sprintf("and %d more", n))
		}
	}
}

// walkText renders a walk for people.
func walkText(r *verdict.Result, file string) *page.Page {
	p := page.New()
	writeVerdict(p, r, file)
	p.Pairs(page.Pair{"trust sha256", r.TrustSHA256}, page.Pair{"findings", severityCounts(r.Findings)})
	for _, l := range r.Logs {
		p.Headline(string(l.Verdict), safetext.Quote(l.LogID))
		p.Pairs(logPairs(l)...)
	}
	writeStores(p, r.Stores)
	p.Heading("findings")
	writeFindings(p, r.Findings)
	p.Heading("batches")
	p.Pairs(page.Pair{"distinct", fmt.Sprint(r.Batches.Distinct)}, page.Pair{"redelivered", fmt.Sprint(r.Batches.Redelivered)},
		page.Pair{"conflicting", fmt.Sprint(r.Batches.Conflicting)}, page.Pair{"without an id", english.Count(r.Batches.Absent, "event")})
	p.Heading("sources")
	writeSources(p, r.Sources)
	return p
}

// severityCounts says how many findings there are of each severity, the worst
// first.
func severityCounts(all []finding.Finding) string {
	var counts []string
	for _, s := range severities {
		n := 0
		for _, f := range all {
			if string(f.Severity) == s {
				n++
			}
		}
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, s))
		}
	}
	if len(counts) == 0 {
		return "none"
	}
	return strings.Join(counts, ", ")
}

// logPairs says integrity first and completeness below: they are two answers.
func logPairs(l walk.LogResult) []page.Pair {
	tenant := "none"
	if l.TenantID != "" {
		tenant = safetext.Quote(l.TenantID)
	}
	pairs := []page.Pair{{"tenant", tenant}}
	if l.SinceSequence > 0 {
		pairs = append(pairs, page.Pair{"walked from", fmt.Sprintf("after sequence %d, where an earlier walk ended", l.SinceSequence)})
	}
	anchored := "nowhere"
	if l.AnchoredSequence > 0 {
		anchored = fmt.Sprintf("sequence %d, by %s", l.AnchoredSequence, walk.JoinKinds(l.AnchoredBy, ", "))
	}
	pairs = append(pairs,
		page.Pair{"events", eventsText(l)},
		page.Pair{"missing", missingText(l)},
		page.Pair{"valid", fmt.Sprintf("%d hashes, %d links, %d signatures", l.HashValid, l.LinkValid, l.SignatureValid)},
		page.Pair{"complete up to", anchored})
	if l.UnvouchedSequence > 0 {
		pairs = append(pairs, page.Pair{"not vouched for", fmt.Sprintf("from sequence %d to the anchor above", l.UnvouchedSequence)})
	}
	return append(pairs, page.Pair{"unanchored tail", english.Count(l.UnanchoredTail, "event")})
}

// givenTexts say what was given of a log that has no event here.
var givenTexts = map[walk.Collected]string{
	walk.NotCollected:  "nothing of the log was given",
	walk.OnlyStrays:    "only events for which nobody vouches were given",
	walk.OnlyEmptyFile: "an empty file was given",
	walk.DeclaredOnly:  "the log was collected",
}

func missingText(l walk.LogResult) string {
	if text := givenTexts[l.Collected]; text != "" {
		return fmt.Sprintf("%d; %s", l.Missing, text)
	}
	return fmt.Sprint(l.Missing)
}

func eventsText(l walk.LogResult) string {
	if l.Events == 0 {
		return "none"
	}
	return fmt.Sprintf("%d, sequences %d to %d", l.Events, l.FirstSequence, l.LastSequence)
}

// writeFindings writes findings, the worst first, each with its places and with
// what to do next.
func writeFindings(p *page.Page, all []finding.Finding) {
	rank := func(f finding.Finding) int { return slices.Index(severities, string(f.Severity)) }
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b finding.Finding) int { return rank(a) - rank(b) })
	for _, f := range all {
		p.Lead(string(f.Severity), func() { p.Prose(2, fmt.Sprintf("%-8s  %s", f.Severity, f.Code)) })
		p.Prose(4, f.Message)
		for i, e := range f.Evidence {
			if i == mostInCheck {
				p.Prose(4, fmt.Sprintf("and %d more places; --output json lists them", len(f.Evidence)-i))
				break
			}
			p.Prose(4, "at "+e.Text())
		}
		for _, e := range f.Explanations {
			p.Prose(4, "perhaps: "+e)
		}
		if f.Next != "" {
			p.Prose(4, "next: "+f.Next)
		}
	}
	if len(all) == 0 {
		p.Prose(2, "none")
	}
}
