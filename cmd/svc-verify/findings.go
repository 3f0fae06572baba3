package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/gap"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func showFindings(c *cliapp.Context) (int, error) {
	wanted, err := findingFilterOf(c)
	if err != nil {
		return 0, err
	}
	trust, err := trustOf(c)
	if err != nil {
		return 0, err
	}
	return withCase(c, func(ctx context.Context, in *casefile.Case) (int, error) {
		last, err := verdict.Last(ctx, in, trust)
		if err != nil {
			return 0, err
		}
		warnOfLater(c, last)
		found, err := query.Findings(ctx, in, last, trust, wanted)
		if err != nil {
			return 0, err
		}
		code := exitVerified
		if last == nil {
			code = exitInconclusive
		}
		if c.Text("output") == "json" {
			return code, writeJSON(c.Stdout, found)
		}
		return code, writeDocument(c, report.Findings(found, caseName(c), c.Given("trust")))
	})
}

// findingFilterOf returns which findings the flags select.
func findingFilterOf(c *cliapp.Context) (f query.FindingFilter, err error) {
	f = query.FindingFilter{LogID: c.Text("log"), Severity: c.Text("severity"), Codes: c.List("code")}
	s, err := spanOf(c)
	if err != nil {
		return f, err
	}
	if c.Given("sequence") {
		f.First, f.Last = s.first, s.last
	}
	for _, code := range f.Codes {
		if e, _ := finding.Lookup(finding.Code(code)); !e.OfCase() {
			return f, unknownCode(code)
		}
	}
	f.Events, err = filterOf(c, "log", "type", "transaction", "from")
	return f, err
}

func showGaps(c *cliapp.Context) (int, error) {
	events, err := filterOf(c, "log", "sequence", "from")
	if err != nil {
		return 0, err
	}
	return withCase(c, func(ctx context.Context, in *casefile.Case) (int, error) {
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
			err = writeGapsJSON(out, result, gap.Find(ctx, in, result, f))
		} else {
			err = report.WriteGaps(out, colored(c), result, caseName(c), gap.Find(ctx, in, result, f))
		}
		return code, cmp.Or(err, out.Flush())
	})
}

// sourceAt returns the number of the source that --source names.
func sourceAt(ctx context.Context, c *cliapp.Context, in *casefile.Case) (int64, error) {
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
	return 0, cliapp.Usagef("--source: the case has no source that was ingested as %s; svc-verify walk lists them",
		safetext.Quote(c.Text("source")))
}

// anyLog is the exit code of a question about the logs of a case, with a warning
// if there is none.
func anyLog(ctx context.Context, c *cliapp.Context, in *casefile.Case) (int, error) {
	logs, err := in.Logs(ctx)
	if err != nil {
		return 0, err
	}
	if slices.ContainsFunc(logs, casefile.Filter{LogID: c.Text("log")}.Wants) {
		return exitVerified, nil
	}
	name := "any log"
	if c.Given("log") {
		name = safetext.Quote(c.Text("log"))
	}
	fmt.Fprintf(c.Stderr, "svc-verify: the case has no event of %s\n", name)
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
	after := []member{{"missing", missing}, {"verdict", result.Word()}}
	if result != nil && result.Decides != nil {
		after = append(after, member{"decides", result.Decides})
	}
	return out.end(after...)
}
