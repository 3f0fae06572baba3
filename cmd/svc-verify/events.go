package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// mostEvents is how many events the text shows if --limit does not say.
const mostEvents = 200

func listEvents(c *cliapp.Context) (int, error) {
	f, err := filterOf(c, "log", "type", "transaction", "sequence", "from")
	if err != nil {
		return 0, err
	}
	return withCase(c, func(ctx context.Context, in *casefile.Case) (int, error) {
		out := bufio.NewWriterSize(c.Stdout, 1<<20)
		var total int
		switch c.Text("output") {
		case "json":
			total, err = writeEvents(out, query.Events(ctx, in, f), limitOf(c, 0))
		case "jsonl":
			total, err = query.WriteLines(ctx, out, in, f, limitOf(c, 0))
		default:
			var logs []string
			if logs, err = logsOf(ctx, in, f); err == nil {
				total, err = report.NewListing(logs, limitOf(c, mostEvents)).Write(out, query.Events(ctx, in, f))
			}
		}
		if err != nil {
			return 0, err
		}
		if total == 0 {
			return exitInconclusive, out.Flush()
		}
		return exitVerified, out.Flush()
	})
}

// limitOf returns --limit; 0 is none.
func limitOf(c *cliapp.Context, otherwise int) int {
	if c.Given("limit") {
		return c.Number("limit")
	}
	return otherwise
}

// logsOf returns the ids of the logs of a case that a filter selects.
func logsOf(ctx context.Context, in *casefile.Case, f casefile.Filter) (ids []string, err error) {
	logs, err := in.Logs(ctx)
	for _, l := range logs {
		if f.Wants(l) {
			ids = append(ids, l.LogID)
		}
	}
	return ids, err
}

func writeEvents(w io.Writer, all iter.Seq2[query.Event, error], limit int) (total int, err error) {
	out := newList(w, "svc-verify/events/v1", "events")
	for e, err := range all {
		if err != nil {
			return total, err
		}
		if total++; limit == 0 || total <= limit {
			out.add(e)
		}
	}
	return total, out.end(member{"more", total - out.count})
}

func showBatches(c *cliapp.Context) (int, error) {
	return withCase(c, func(ctx context.Context, in *casefile.Case) (int, error) {
		total, err := query.TotalsOf(ctx, in)
		if err != nil {
			return 0, err
		}
		out := bufio.NewWriter(c.Stdout)
		all := query.Batches(ctx, in, query.BatchFilter{ID: c.Text("batch"), LogID: c.Text("log")})
		if c.Text("output") == "json" {
			err = writeBatches(out, all, &total)
		} else {
			err = report.WriteBatches(out, all, &total)
		}
		if err != nil {
			return 0, err
		}
		if total.Distinct == 0 {
			return exitInconclusive, out.Flush()
		}
		return exitVerified, out.Flush()
	})
}

func writeBatches(w io.Writer, all iter.Seq2[query.Batch, error], total *query.BatchTotals) error {
	out := newList(w, "svc-verify/batches/v1", "batches")
	for b, err := range all {
		if err != nil {
			return err
		}
		total.Add(b)
		out.add(b)
	}
	return out.end(member{"totals", total})
}

func exportLog(c *cliapp.Context) (int, error) {
	f, err := filterOf(c, "log", "sequence", "from")
	if err != nil {
		return 0, err
	}
	return withCase(c, func(ctx context.Context, in *casefile.Case) (int, error) {
		log, ok, err := logOf(ctx, c, in)
		if err != nil || !ok {
			return exitInconclusive, err
		}
		out := bufio.NewWriterSize(c.Stdout, 1<<20)
		exported, err := examine.Export(ctx, in, log, f, out)
		if err != nil {
			return 0, err
		}
		if n := exported.Contested; n > 0 {
			fmt.Fprintf(c.Stderr, "svc-verify: copies of %s differ: one of each was written\n",
				safetext.Count(n, "event"))
		}
		if n := exported.Guessed; n > 0 {
			fmt.Fprintf(c.Stderr, "svc-verify: nothing shows which copy of %s belongs to the log: "+
				"svc-verify walk tells which one verifies\n", safetext.Count(n, "event"))
		}
		if exported.Written == 0 {
			return exitInconclusive, nil
		}
		return exitVerified, out.Flush()
	})
}

// logOf returns the log of --log; ok is false, with a warning, if the case holds
// no event of it.
func logOf(ctx context.Context, c *cliapp.Context, in *casefile.Case) (log casefile.Log, ok bool, err error) {
	all, err := in.Logs(ctx)
	for _, l := range all {
		if l.LogID != c.Text("log") || c.Given("tenant") && l.TenantID != c.Text("tenant") {
			continue
		}
		if ok {
			return log, false, cliapp.Usagef("--log: two tenants have a log %s: give --tenant too",
				safetext.Quote(l.LogID))
		}
		log, ok = l, true
	}
	if !ok && err == nil {
		fmt.Fprintf(c.Stderr, "svc-verify: the case has no event of %s\n", safetext.Quote(c.Text("log")))
	}
	return log, ok, err
}
