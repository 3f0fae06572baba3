package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/gap"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/english"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func gapsCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "gaps",
		Summary: "Show which events of the logs are missing, and what may have become of them",
		Description: "Shows the missing ranges of each log with the events beside them, and for each usual cause what in the case speaks for it and what against. " +
			"No walk is needed, but the end of a log that was cut off shows only by an anchor that the newest walk found. With --source, what one source lacks and others have.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "the question was answered, whether or not anything is missing"},
			{Code: exitInconclusive, Meaning: "the case holds no such log"},
		},
		Flags: slices.Concat([]cliapp.Flag{caseFlag(), logFlag(), sequenceFlag()}, timeFlags(), []cliapp.Flag{
			{Name: "source", Value: "PATH", Usage: "What this source lacks and others have, by the path that it was given under"},
			formFlag(), colorFlag(),
		}, progressFlags()),
		Examples: []string{"svc-verify gaps --case case.db", "svc-verify gaps --case case.db --log node/mesh-oslo-1 --source loki.jsonl"},
		Action:   showGaps,
	}
}

func showGaps(c *cliapp.Context) (int, error) {
	events, err := filterOf(c, "log", "sequence", "from")
	if err != nil {
		return 0, err
	}
	return withCase(c, func(ctx context.Context, in *store.Case) (int, error) {
		f := gap.Filter{Filter: events}
		if f.Source, err = sourceAt(ctx, c, in); err != nil {
			return 0, err
		}
		code, err := anyLog(ctx, c, in)
		if err != nil {
			return 0, err
		}
		result, err := verdict.Last(ctx, in, chain.Hash{})
		if err != nil {
			return 0, err
		}
		warnOfLater(c, result)
		out := bufio.NewWriter(c.Stdout)
		if c.Text("output") == "json" {
			err = writeGapsJSON(out, result, gap.Find(ctx, in, f))
		} else {
			p := page.New()
			writeVerdict(p, result, safetext.Quote(c.Text("case")))
			p.WriteByte('\n')
			if err = writePage(c, p); err == nil {
				err = writeGaps(out, gap.Find(ctx, in, f))
			}
		}
		if err != nil {
			return 0, err
		}
		return code, out.Flush()
	})
}

// sourceAt returns the number of the source that --source names.
func sourceAt(ctx context.Context, c *cliapp.Context, in *store.Case) (int64, error) {
	if !c.Given("source") {
		return 0, nil
	}
	all, err := in.Sources(ctx)
	if err != nil {
		return 0, err
	}
	for _, s := range all {
		if slices.Contains(s.Paths, c.Text("source")) {
			return s.Number, nil
		}
	}
	return 0, cliapp.Usagef("--source: the case has no source that was given as %s; svc-verify walk lists them", safetext.Quote(c.Text("source")))
}

// anyLog is the exit code of a question about the logs of a case, with a warning
// if there is none.
func anyLog(ctx context.Context, c *cliapp.Context, in *store.Case) (int, error) {
	logs, err := in.Logs(ctx)
	if err != nil {
		return 0, err
	}
	if slices.ContainsFunc(logs, store.Filter{LogID: c.Text("log")}.Wants) {
		return exitVerified, nil
	}
	name := "any log"
	if c.Given("log") {
		name = safetext.Quote(c.Text("log"))
	}
	fmt.Fprintf(c.Stderr, "svc-verify: the case holds no event of %s\n", name)
	return exitInconclusive, nil
}

func writeGapsJSON(w io.Writer, result *verdict.Result, gaps func(func(gap.Gap, error) bool)) error {
	out := newList(w, "svc-verify/gaps/v2", "gaps")
	missing := uint64(0)
	for g, err := range gaps {
		if err != nil {
			return err
		}
		missing += g.Count
		out.add(g)
	}
	return out.end(member{"missing", missing}, member{"verdict", result.Word()})
}

func writeGaps(w io.Writer, gaps func(func(gap.Gap, error) bool)) error {
	n, missing := 0, uint64(0)
	for g, err := range gaps {
		if err != nil {
			return err
		}
		n, missing = n+1, missing+g.Count
		p := page.New()
		p.Heading(gapTitle(g))
		writeGap(p, g)
		p.WriteByte('\n')
		if _, err := io.WriteString(w, p.String()); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s, %d missing\n", english.Count(n, "gap"), missing)
	return err
}

// gapTitle names a log and what is missing of it, below each other where one line
// is too short for both.
func gapTitle(g gap.Gap) string {
	missing := fmt.Sprintf("events %d to %d missing (%d)", g.First, g.Last, g.Count)
	if g.Count == 1 {
		missing = fmt.Sprintf("event %d missing", g.First)
	}
	if title := safetext.Cut(g.LogID, 36) + "  " + missing; safetext.Width(title) <= page.Width {
		return title
	}
	return safetext.Cut(g.LogID, page.Width) + "\n  " + missing
}

func writeGap(p *page.Page, g gap.Gap) {
	if g.Source != "" {
		p.Prose(2, "in "+safetext.Quote(g.Source)+"; held by "+page.List(g.Holders))
	}
	writeNeighbour(p, "before", g.Before)
	writeNeighbour(p, "after", g.After)
	if g.After != nil {
		p.Pairs(page.Pair{"the last missing event has the hash", g.After.PreviousHash})
	}
	for _, b := range g.CutBatches {
		p.Prose(2, "cut batch "+safetext.Quote(b))
	}
	for _, a := range g.Anchors {
		p.Prose(2, "they existed: "+safetext.Line(a))
	}
	writeOrigins(p, g)
	for _, e := range g.Unreadable {
		p.Prose(2, "not read: "+e.Text())
	}
	writeHypotheses(p, g.Hypotheses)
}

// mostOrigins bounds what the text lists of the missing events that are known, and
// of the transactions; the JSON has more.
const mostOrigins = 8

// writeOrigins writes what other evidence knows of the missing events.
func writeOrigins(p *page.Page, g gap.Gap) {
	for i, k := range g.Known {
		if i == mostOrigins {
			p.Prose(2, fmt.Sprintf("and the hashes of %d more", len(g.Known)-i))
			break
		}
		if k.Disclosed {
			p.Prose(2, fmt.Sprintf("event %d is in the bundle %s, which discloses it: %s of %s", k.Sequence, safetext.Line(k.Name), safetext.Quote(k.Type), safetext.Quote(k.TransactionID)))
		} else {
			p.Prose(2, fmt.Sprintf("the hash of event %d is known by %s", k.Sequence, safetext.Line(k.Name)))
		}
		p.Prose(6, "hash "+k.Hash)
	}
	for i, o := range g.Transactions {
		if i == mostOrigins {
			p.Prose(2, fmt.Sprintf("and %d more such transactions", len(g.Transactions)-i))
			break
		}
		p.Prose(2, fmt.Sprintf("%s has no %s here: the other side is event %d of %s", safetext.Quote(o.TransactionID), o.Lacks, o.Sequence, safetext.Quote(o.LogID)))
	}
}

// writeHypotheses writes the causes for which something speaks one by one, and
// the others by what they have in common.
func writeHypotheses(p *page.Page, all []gap.Hypothesis) {
	var order []string
	against := map[string][]string{}
	for _, h := range all {
		if len(h.For) > 0 {
			writeHypothesis(p, h)
			continue
		}
		fact := strings.Join(h.Against, "; ")
		if len(against[fact]) == 0 {
			order = append(order, fact)
		}
		against[fact] = append(against[fact], h.Cause)
	}
	for _, fact := range order {
		causes := strings.Join(against[fact], ", ")
		if fact == "" {
			p.Prose(2, "nothing speaks for or against "+causes)
			continue
		}
		p.Prose(2, "against "+causes+":")
		p.Prose(6, safetext.Line(fact))
	}
}

func writeHypothesis(p *page.Page, h gap.Hypothesis) {
	p.Prose(2, "perhaps "+h.Cause+": "+h.Title)
	for _, fact := range h.For {
		p.Prose(6, "for: "+safetext.Line(fact))
	}
	for _, fact := range h.Against {
		p.Prose(6, "against: "+safetext.Line(fact))
	}
}

func writeNeighbour(p *page.Page, label string, n *gap.Neighbour) {
	if n == nil {
		p.Prose(2, label+": nothing of this log is here")
		return
	}
	p.Prose(2, fmt.Sprintf("%s: event %d of %s, %d bytes, in %s", label, n.Sequence, n.OccurredAt, n.Bytes, page.List(n.Sources)))
	p.Prose(6, "hash "+n.Hash)
	for _, b := range n.Batches {
		p.Prose(6, "batch "+safetext.Quote(b))
	}
}
