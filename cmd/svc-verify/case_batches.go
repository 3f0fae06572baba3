package main

import (
	"bufio"
	"context"
	"io"
	"iter"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/report/text"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
)

func batchesCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "batches",
		Summary: "Show the export batches of a case",
		Description: "Shows every batch id with the events that arrived under it. An id is the digest of its events: if they produce it, the batch is whole. " +
			"Anyone on the way can write an id: it explains deliveries and proves nothing.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "a batch was shown"},
			{Code: exitInconclusive, Meaning: "there was none"},
		},
		Flags: append([]cliapp.Flag{
			caseFlag(),
			{Name: "log", Value: "ID", Usage: "Only batches with an event of this log"},
			{Name: "batch", Value: "ID", Usage: "Only the batch of this id"},
			formFlag(),
		}, progress.Flags()...),
		Examples: []string{"svc-verify batches --case case.db"},
		Action:   showBatches,
	}
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
			err = text.Batches(out, all, &total)
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
