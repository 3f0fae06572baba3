package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/svc-edge/svc-verify/forensics"
	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func walkCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "walk",
		Summary: "Verify whole logs of a case: is all genuine, and up to where is nothing missing",
		Description: "Verifies every hash, link and signature of the logs of a case under the pinned keys of a trust file, and says up to which anchored sequence nothing is missing. " +
			"The result is kept in the case.\n\n" +
			"Exit codes: 0 verified, 1 rejected, 3 inconclusive: no log was there, or not enough to say.",
		Flags: []cliapp.Flag{
			caseFlag(),
			{Name: "trust", Value: "TRUST", Usage: "The trust file to hold it against", Required: true},
			{Name: "log", Kind: cliapp.List, Value: "ID", Usage: "Only this log; may be repeated. The others then anchor nothing"},
			{Name: "since-last", Kind: cliapp.Switch, Usage: "Begin where the last walk under this trust file ended"},
			{Name: "max-duration", Kind: cliapp.Duration, Value: "D", Usage: "Stop after this time; the result is then no success"},
			{Name: "jobs", Kind: cliapp.Number, Value: "N", Usage: "How many stretches to examine at once; as many as there are processors if not given"},
			formFlag(),
		},
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
	options := forensics.Options{Workers: runtime.GOMAXPROCS(0), Logs: c.List("log")}
	if c.Given("jobs") {
		options.Workers = c.Number("jobs")
	}
	if c.Switch("since-last") {
		options.Extent = forensics.SinceLast
	}
	result, err := forensics.Walk(ctx, c.Text("case"), root, options)
	if errors.Is(err, context.Canceled) {
		return 0, errors.New("interrupted: nothing of this walk was kept but the signatures that held")
	}
	if err != nil {
		return 0, caseFault(c, err)
	}
	if c.Text("output") == "json" {
		return exitCode(result.Verdict), writeJSON(c.Stdout, result)
	}
	_, err = c.Stdout.Write([]byte(walkText(result, safetext.Quote(c.Text("case")))))
	return exitCode(result.Verdict), err
}

// walkText renders a walk for people.
func walkText(r *walk.Result, file string) string {
	p := newPage()
	p.heading(fmt.Sprintf("%s  %s", r.Verdict, file))
	p.pairs(pair{"trust sha256", r.TrustSHA256})
	for _, l := range r.Logs {
		p.heading(fmt.Sprintf("%s  %s", l.Verdict, safetext.Quote(l.LogID)))
		p.pairs(logPairs(l)...)
	}
	p.heading("findings")
	writeFindings(p, r.Findings)
	p.heading("batches")
	p.pairs(pair{"distinct", fmt.Sprint(r.Batches.Distinct)}, pair{"redelivered", fmt.Sprint(r.Batches.Redelivered)},
		pair{"conflicting", fmt.Sprint(r.Batches.Conflicting)}, pair{"without an id", count(int(r.Batches.Absent), "event")})
	p.heading("sources")
	writeSources(p, r.Sources)
	return p.String()
}

// logPairs says integrity first and completeness below: they are two answers.
func logPairs(l walk.LogResult) []pair {
	tenant := "none"
	if l.TenantID != "" {
		tenant = safetext.Quote(l.TenantID)
	}
	pairs := []pair{{"tenant", tenant}}
	if l.SinceSequence > 0 {
		pairs = append(pairs, pair{"walked from", fmt.Sprintf("after sequence %d, where an earlier walk ended", l.SinceSequence)})
	}
	anchored := "nowhere"
	if l.AnchoredSequence > 0 {
		kinds := make([]string, len(l.AnchoredBy))
		for i, k := range l.AnchoredBy {
			kinds[i] = string(k)
		}
		anchored = fmt.Sprintf("sequence %d, by %s", l.AnchoredSequence, strings.Join(kinds, ", "))
	}
	return append(pairs,
		pair{"events", fmt.Sprintf("%d, sequences %d to %d", l.Events, l.FirstSequence, l.LastSequence)},
		pair{"missing", fmt.Sprint(l.Missing)},
		pair{"valid", fmt.Sprintf("%d hashes, %d links, %d signatures", l.HashValid, l.LinkValid, l.SignatureValid)},
		pair{"complete up to", anchored},
		pair{"unanchored tail", count(int(l.UnanchoredTail), "event")})
}

// writeFindings writes findings, each with its places and with what to do next.
func writeFindings(p *page, all []finding.Finding) {
	for _, f := range all {
		p.prose(2, fmt.Sprintf("%-8s  %s", f.Severity, f.Code))
		p.prose(4, f.Message)
		for i, e := range f.Evidence {
			if i == mostInCheck {
				p.prose(4, fmt.Sprintf("and %d more places; --output json lists them", len(f.Evidence)-i))
				break
			}
			p.prose(4, "at "+placeText(e))
		}
		for _, e := range f.Explanations {
			p.prose(4, "perhaps: "+e)
		}
		if f.Next != "" {
			p.prose(4, "next: "+f.Next)
		}
	}
	if len(all) == 0 {
		p.prose(2, "none")
	}
}

// placeText writes a place: the file, the way through its archives, the bytes.
func placeText(e finding.Evidence) string {
	where := safetext.Quote(e.Source)
	if e.Container != "" {
		where += "!" + safetext.Quote(e.Container)
	}
	if e.Length == 0 {
		return where
	}
	return fmt.Sprintf("%s, bytes %d to %d", where, e.Offset, e.Offset+e.Length-1)
}
